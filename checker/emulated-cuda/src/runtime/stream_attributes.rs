//! Stream attributes: hints that are stored and returned.

use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex},
};

use crate::{
    code::{Code, Result},
    export::export,
    ffi::{Out, Pointer},
    runtime::streams::{lock, stream},
};

/// `cudaLaunchAttributeValue`.
type Value = [u32; 16];

const ACCESS_POLICY_WINDOW: i32 = 1;
const SYNCHRONIZATION_POLICY: i32 = 3;
const PRIORITY: i32 = 8;
const MEM_SYNC_DOMAIN_MAP: i32 = 9;
const MEM_SYNC_DOMAIN: i32 = 10;

/// The stored values by stream and attribute.
static VALUES: LazyLock<Mutex<HashMap<(u64, i32), Value>>> = LazyLock::new(Mutex::default);

/// Returns the default value of an attribute.
fn default(of: Pointer, attribute: i32) -> Result<Value> {
    let (_, priority) = stream(of)?;
    let mut value = [0; 16];
    match attribute {
        ACCESS_POLICY_WINDOW | MEM_SYNC_DOMAIN => {}
        // No policy, the value on an H200.
        SYNCHRONIZATION_POLICY => value[0] = u32::MAX,
        PRIORITY => value[0] = priority as u32,
        // The default domain is number 0, the remote one number 1.
        MEM_SYNC_DOMAIN_MAP => value[0] = 1 << 8,
        _ => return Err(Code::INVALID_VALUE),
    }
    Ok(value)
}

export! {
    runtime;

    fn cudaStreamSetAttribute as cudaStreamSetAttribute_ptsz (of: Pointer, attribute: i32, value: Out<Value>) {
        default(of, attribute)?;
        lock(&VALUES).insert((of.address(), attribute), value.get()?);
        Ok(())
    }

    fn cudaStreamGetAttribute as cudaStreamGetAttribute_ptsz (of: Pointer, attribute: i32, value: Out<Value>) {
        let default = default(of, attribute)?;
        let set = lock(&VALUES).get(&(of.address(), attribute)).copied();
        value.put(set.unwrap_or(default))
    }

    fn cudaStreamCopyAttributes as cudaStreamCopyAttributes_ptsz (to: Pointer, from: Pointer) {
        stream(to)?;
        stream(from)?;
        let mut values = lock(&VALUES);
        let of_from = values.iter().filter(|((of, _), _)| *of == from.address());
        let set: Vec<_> = of_from.map(|(key, value)| (key.1, *value)).collect();
        values.extend(set.into_iter().map(|(attribute, value)| ((to.address(), attribute), value)));
        Ok(())
    }
}
