//! Launches, signatures, maps and memory as JSON.

use launch_file::{LaunchFile, hex};
use serde_json::{Value, json};
use tensor_map::Params;
use tma_launch::{Buffer, Launch, Signature};

pub(crate) fn launch_to_json(launch: &Launch) -> Value {
    let shape = &launch.shape;
    json!({
        "entry": launch.entry,
        "grid": shape.grid.to_array(),
        "block": shape.block.to_array(),
        "cluster": shape.cluster.map(|cluster| cluster.to_array()),
        "shared_bytes": shape.shared_bytes,
    })
}

pub(crate) fn signature_to_json(signature: &Signature) -> Value {
    let parameter = |parameter: &tma_launch::Parameter| {
        json!({
            "name": parameter.name,
            "bytes": parameter.size_bytes,
            "is_map": parameter.holds_tensor_map(),
        })
    };
    json!({
        "entry": signature.entry,
        "parameters": signature.parameters.iter().map(parameter).collect::<Vec<_>>(),
        "block": signature.reqntid.or(signature.maxntid).map(|block| block.to_array()),
        "cluster": signature.reqnctapercluster.map(|cluster| cluster.to_array()),
        "shared_bytes": signature.static_shared_bytes,
    })
}

pub(crate) fn map_to_json((name, params): (&str, &Params)) -> Value {
    let tensor = params.tensor();
    let box_dims = match params {
        Params::Tiled(tiled) => Some(tiled.box_dims.as_slice()),
        _ => None,
    };
    json!({
        "name": name,
        "mode": params.mode(),
        "dims": tensor.dims.as_slice(),
        "box_dims": box_dims,
        "type": tensor.data_type.name(),
        "swizzle": tensor.swizzle.name(),
    })
}

/// Converts the buffers before and after a run.
pub(crate) fn buffers_to_json(file: &LaunchFile, before: &[Buffer], after: &[Buffer]) -> Value {
    let buffers = before.iter().zip(after).zip(file.shapes());
    let buffers = buffers.map(|((before, after), (ty, dims))| {
        let size = ty.bytes();
        let pairs = (before.bytes().chunks(size)).zip(after.bytes().chunks(size));
        json!({
            "name": before.name(),
            "type": ty.name(),
            "element_bytes": size,
            "dims": dims,
            "bytes": before.bytes().len(),
            "changed": pairs.filter(|(before, after)| before != after).count(),
            "before": hex(before.bytes()),
            "after": hex(after.bytes()),
        })
    });
    buffers.collect()
}
