use super::{Rule, Violation, Violations};
use crate::{Dim3, Limits, Shape, Signature};

/// Checks grid, block, cluster and shared memory.
pub fn shape(shape: &Shape, limits: &Limits, signature: &Signature) -> Violations {
    let mut found = Vec::new();
    zero_dimensions(shape, &mut found);
    block(shape.block, limits, signature, &mut found);
    grid(shape.grid, limits, &mut found);
    shared(shape.shared_bytes, limits, signature, &mut found);
    cluster(shape, limits, signature, &mut found);
    let shared_bytes = signature
        .static_shared_bytes
        .saturating_add(u64::from(shape.shared_bytes));
    let each = limits.blocks_per_multiprocessor(shape.block.count(), shared_bytes);
    found.extend(cooperative_grid(shape, limits.multiprocessors, each));
    Violations(found)
}

/// Refuses a cooperative launch with more blocks than can be resident at once, `each` per multiprocessor.
pub fn cooperative_grid(shape: &Shape, multiprocessors: u32, each: u32) -> Option<Violation> {
    let most = u64::from(multiprocessors) * u64::from(each);
    let blocks = shape.grid.count();
    (shape.cooperative && blocks > most && each > 0).then(|| {
        Violation::new(
            Rule::CooperativeGrid,
            "grid",
            format!("{}, {blocks} blocks", shape.grid),
            format!(
                "all blocks of a cooperative launch must be resident at once, at most {most}: {each} on each of {multiprocessors} \
                 multiprocessors"
            ),
            format!("use {}", shrink(shape.grid, most)),
        )
    })
}

/// Returns the name and value of each dimension.
fn dimensions(what: &str, dim: Dim3) -> [(String, u32); 3] {
    let [x, y, z] = dim.to_array();
    [("x", x), ("y", y), ("z", z)].map(|(axis, value)| (format!("{what}.{axis}"), value))
}

fn zero_dimensions(shape: &Shape, found: &mut Vec<Violation>) {
    let cluster = shape.cluster.unwrap_or(Dim3::ONE);
    for (what, dim) in [
        ("grid", shape.grid),
        ("block", shape.block),
        ("cluster", cluster),
    ] {
        for (parameter, value) in dimensions(what, dim) {
            if value == 0 {
                let limit = "must be at least 1";
                found.push(Violation::new(
                    Rule::ZeroDimension,
                    parameter,
                    0,
                    limit,
                    "use 1",
                ));
            }
        }
    }
}

fn too_long(rule: Rule, what: &str, dim: Dim3, limit: Dim3, found: &mut Vec<Violation>) {
    for ((parameter, value), most) in dimensions(what, dim).into_iter().zip(limit.to_array()) {
        if value > most {
            let limit = format!("the device's limit is {most}");
            found.push(Violation::new(
                rule,
                parameter,
                value,
                limit,
                format!("use {most}"),
            ));
        }
    }
}

fn grid(grid: Dim3, limits: &Limits, found: &mut Vec<Violation>) {
    too_long(Rule::GridDimension, "grid", grid, limits.grid, found);
}

fn block(block: Dim3, limits: &Limits, signature: &Signature, found: &mut Vec<Violation>) {
    too_long(Rule::BlockDimension, "block", block, limits.block, found);

    let threads = block.count();
    let value = format!("{block}, {threads} threads");
    let mut too_many = |rule, most: u64, limit: String| {
        if threads > most {
            let fix = format!("use {}", shrink(block, most));
            found.push(Violation::new(rule, "block", &value, limit, fix));
        }
    };
    let most = u64::from(limits.block_threads);
    too_many(
        Rule::BlockThreads,
        most,
        format!("the device's limit is {most}"),
    );
    if let Some(maxntid) = signature.maxntid {
        let most = maxntid.count();
        too_many(
            Rule::Maxntid,
            most,
            format!("the kernel's limit is {most} (.maxntid)"),
        );
    }
    if let Some(reqntid) = signature.reqntid.filter(|reqntid| *reqntid != block) {
        let limit = format!("the kernel requires {reqntid} (.reqntid)");
        let fix = format!("use {reqntid}");
        found.push(Violation::new(Rule::Reqntid, "block", block, limit, fix));
    }
}

/// Shortens the outer dimensions of a block until at most `most` threads are left.
fn shrink(block: Dim3, most: u64) -> Dim3 {
    let fit = |wanted: u32, room: u64| wanted.min(u32::try_from(room).unwrap_or(u32::MAX)).max(1);
    let x = fit(block.x, most);
    let y = fit(block.y, most / u64::from(x));
    let z = fit(block.z, most / (u64::from(x) * u64::from(y)));
    Dim3::new(x, y, z)
}

fn shared(dynamic: u32, limits: &Limits, signature: &Signature, found: &mut Vec<Violation>) {
    let (fixed, most) = (signature.static_shared_bytes, limits.shared_bytes);
    if fixed.saturating_add(u64::from(dynamic)) <= most {
        return;
    }
    let value = format!("{dynamic}, besides {fixed} bytes of static shared memory");
    let limit = format!("the device's limit for both is {most}");
    let fix = match most.checked_sub(fixed) {
        Some(room) => format!("use {room}"),
        None => format!("declare {} bytes less in the kernel", fixed - most),
    };
    found.push(Violation::new(
        Rule::SharedBytes,
        "shared_bytes",
        value,
        limit,
        fix,
    ));
}

fn cluster(shape: &Shape, limits: &Limits, signature: &Signature, found: &mut Vec<Violation>) {
    let required = signature.reqnctapercluster;
    let Some(cluster) = shape.cluster.or(required) else {
        return;
    };
    if let Some(required) = required.filter(|required| *required != cluster) {
        let limit = format!("the kernel requires {required} (.reqnctapercluster)");
        let fix = format!("use {required}, or leave the cluster unset");
        found.push(Violation::new(
            Rule::Reqnctapercluster,
            "cluster",
            cluster,
            limit,
            fix,
        ));
    }

    let (blocks, portable) = (cluster.count(), limits.cluster_blocks);
    let non_portable = limits.non_portable_cluster_blocks.max(portable);
    let allowed = if shape.non_portable_cluster {
        non_portable
    } else {
        portable
    };
    if blocks > u64::from(allowed) {
        let value = format!("{cluster}, {blocks} blocks");
        let limit = format!("the limit is {portable}, or {non_portable} for non-portable sizes");
        let fix = if blocks <= u64::from(non_portable) {
            "allow a non-portable size".to_owned()
        } else {
            format!("use {}", shrink(cluster, u64::from(allowed)))
        };
        found.push(Violation::new(
            Rule::ClusterBlocks,
            "cluster",
            value,
            limit,
            fix,
        ));
    }

    let along = cluster.to_array();
    for ((parameter, value), along) in dimensions("grid", shape.grid).into_iter().zip(along) {
        if along != 0 && !value.is_multiple_of(along) {
            let limit = format!("clusters of {cluster} need a multiple of {along}");
            let whole = u64::from(value).next_multiple_of(u64::from(along));
            let fix = format!("use {whole}");
            found.push(Violation::new(
                Rule::WholeClusters,
                parameter,
                value,
                limit,
                fix,
            ));
        }
    }
}
