//! Attributes of kernels, which programs read and set.

use tma_emulator::Session;
use tma_launch::Signature;

use crate::{
    attributes::MULTIPROCESSORS,
    code::{Code, Result},
    context::Context,
};

/// ptxas is not run, so every kernel reports this register count.
const REGISTERS: i32 = 32;

/// `cudaFuncAttributes`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct FunctionAttributes {
    shared_bytes: usize,
    constant_bytes: usize,
    local_bytes: usize,
    most_threads: i32,
    registers: i32,
    ptx_version: i32,
    binary_version: i32,
    caches_globals: i32,
    dynamic_shared_bytes: i32,
    carveout: i32,
    needs_cluster: i32,
    cluster: [i32; 3],
    cluster_policy: i32,
    non_portable_cluster: i32,
    reserved: [i32; 16],
}

impl Context {
    /// Returns the signature of a kernel by its key.
    pub(crate) fn signature(&mut self, key: u64) -> Result<Signature> {
        let kernel = self.kernel(key)?.clone();
        let module = self.module(kernel.binary)?;
        let signature = self.session.signature(module, &kernel.entry);
        signature.map_err(|failure| {
            if failure.error_name.as_deref() == Some("UNSUPPORTED") {
                self.report.cannot_run(&kernel.entry, &failure.what);
                return Code::NOT_SUPPORTED;
            }
            Code::INVALID_FUNCTION
        })
    }

    pub(crate) fn attributes_of(&mut self, key: u64) -> Result<FunctionAttributes> {
        let signature = self.signature(key)?;
        let kernel = self.kernel(key)?;
        let shared_bytes = signature.static_shared_bytes as usize;
        let default = (48_usize << 10).saturating_sub(shared_bytes) as i32;
        let cluster = signature.reqnctapercluster.map(tma_launch::Dim3::to_array);
        Ok(FunctionAttributes {
            shared_bytes,
            constant_bytes: 0,
            local_bytes: 0,
            most_threads: most_threads(&signature) as i32,
            registers: REGISTERS,
            ptx_version: 90,
            binary_version: 90,
            caches_globals: 0,
            dynamic_shared_bytes: kernel.shared_bytes.map_or(default, |bytes| bytes as i32),
            carveout: -1,
            needs_cluster: i32::from(cluster.is_some()),
            cluster: cluster.unwrap_or_default().map(|blocks| blocks as i32),
            cluster_policy: 0,
            non_portable_cluster: i32::from(kernel.non_portable_cluster),
            reserved: [0; 16],
        })
    }

    /// Returns an attribute by the driver's number for it.
    pub(crate) fn attribute_of(&mut self, key: u64, number: i32) -> Result<i32> {
        let all = self.attributes_of(key)?;
        Ok(match number {
            0 => all.most_threads,
            1 => all.shared_bytes as i32,
            2 => all.constant_bytes as i32,
            3 => all.local_bytes as i32,
            4 => all.registers,
            5 => all.ptx_version,
            6 => all.binary_version,
            7 => all.caches_globals,
            8 => all.dynamic_shared_bytes,
            9 => all.carveout,
            10 => all.needs_cluster,
            11..=13 => all.cluster[number as usize - 11],
            14 => all.non_portable_cluster,
            15 => all.cluster_policy,
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    /// Sets an attribute by its number, which the runtime and the driver share.
    pub(crate) fn set_attribute_of(&mut self, key: u64, number: i32, value: i32) -> Result {
        let signature = self.signature(key)?;
        let kernel = self.kernel(key)?;
        match number {
            8 => {
                let bytes = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
                let all = signature.static_shared_bytes.saturating_add(bytes.into());
                if all > Session::LIMITS.shared_bytes {
                    return Err(Code::INVALID_VALUE);
                }
                kernel.shared_bytes = Some(bytes);
            }
            14 => kernel.non_portable_cluster = value != 0,
            // These are only preferences.
            9..=13 | 15 => {}
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }

    /// Returns the number of resident blocks per multiprocessor of an H100, if not limited by registers.
    pub(crate) fn resident_blocks(
        &mut self,
        key: u64,
        threads: impl TryInto<u32>,
        shared: usize,
    ) -> Result<i32> {
        let signature = self.signature(key)?;
        let threads = threads.try_into().unwrap_or_default();
        if threads == 0 || threads > most_threads(&signature) {
            return Err(Code::INVALID_VALUE);
        }
        let shared = signature.static_shared_bytes.saturating_add(shared as u64);
        let blocks = Session::LIMITS.blocks_per_multiprocessor(threads.into(), shared);
        Ok(blocks as i32)
    }
}

/// Returns the number of resident clusters on the device, with `blocks` resident blocks per multiprocessor.
pub(crate) fn clusters_of(blocks: i32, cluster: Option<tma_launch::Dim3>) -> i32 {
    let cluster = cluster.map_or(1, tma_launch::Dim3::count);
    let cluster = i32::try_from(cluster).unwrap_or(i32::MAX);
    blocks * MULTIPROCESSORS / cluster.max(1)
}

/// Returns the maximum number of threads of a block of a kernel.
pub(crate) fn most_threads(signature: &Signature) -> u32 {
    let most = signature.reqntid.or(signature.maxntid);
    let most = most.map_or(u64::MAX, tma_launch::Dim3::count);
    most.min(u64::from(Session::LIMITS.block_threads)) as u32
}
