use ptx::{Block, Definitions, Function, Item, Linkage, Space, Variable};
use tma_launch::{Dim3, Parameter, Signature};

/// Returns the signature that a kernel declares in its PTX.
///
/// Static shared memory includes declarations of the kernel, of the functions that it reaches, and of the module as
/// far as they refer to them. The compiler may find that a part is unused.
pub(crate) fn signature<'m>(definitions: &Definitions<'m>, entry: &'m Function) -> Signature {
    let extent = |name| entry.directive(name)?.extent().map(Dim3::from);
    Signature {
        entry: entry.name.as_str().to_owned(),
        parameters: entry.parameters.iter().map(parameter).collect(),
        maxntid: extent(".maxntid"),
        reqntid: extent(".reqntid"),
        reqnctapercluster: extent(".reqnctapercluster"),
        static_shared_bytes: static_shared_bytes(
            &definitions.reached(entry.name.as_str()).collect::<Vec<_>>(),
        ),
        waits_for_kernels: entry
            .body
            .iter()
            .flat_map(Block::instructions)
            .any(|instruction| instruction.opcode.starts_with("griddepcontrol.wait")),
    }
}

fn parameter(parameter: &ptx::Parameter) -> Parameter {
    Parameter {
        name: parameter.name.as_str().to_owned(),
        size_bytes: parameter
            .size_bytes()
            .and_then(|bytes| bytes.try_into().ok())
            .unwrap_or(0),
        align_bytes: parameter.align_bytes() as usize,
    }
}

/// Lays out the shared memory of these items; declarations in functions precede module-level ones.
fn static_shared_bytes(items: &[&Item]) -> u64 {
    let bodies = items.iter().filter_map(|item| match item {
        Item::Function(function) => function.body.as_ref(),
        _ => None,
    });
    let of_module = items.iter().filter_map(|item| match item {
        Item::Variable(variable) => Some(&**variable),
        _ => None,
    });
    bodies
        .flat_map(Block::variables)
        .chain(of_module)
        .filter(|variable| is_static_shared(variable))
        .fold(0, |end: u64, variable| {
            let align = u64::from(variable.align.unwrap_or(1)).max(1);
            variable.declarators.iter().fold(end, |end, declarator| {
                let bytes = variable.size_bytes(declarator).unwrap_or(0);
                end.checked_next_multiple_of(align)
                    .unwrap_or(end)
                    .saturating_add(bytes)
            })
        })
}

fn is_static_shared(variable: &Variable) -> bool {
    let shared = matches!(
        variable.space,
        Space::Shared | Space::SharedCta | Space::SharedCluster
    );
    shared && variable.linkage != Some(Linkage::Extern)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 dynamic[];
.shared .align 4 .b8 common[6];
.shared .align 4 .b8 of_helper[40];
.shared .align 4 .b8 of_no_one[4096];
.func helper() { .shared .b8 own[2]; st.shared.u32 [of_helper+4], 1; ret; }
.visible .entry tile(
    .param .align 64 .b8 tile_param_0[128],
    .param .u64 .ptr .align 1 tile_param_1,
    .param .f32 tile_param_2,
    .param .align 8 .b8 tile_param_3[24]
)
.maxntid 16, 8
.reqnctapercluster 2, 1, 1
{
    .shared .align 8 .b64 barrier;
    {
        .shared .align 128 .b8 buffer[1024];
    }
    mov.u64 %rd1, common;
    mov.u64 %rd2, dynamic;
    ret;
}
.visible .entry plain() .reqntid 64 { griddepcontrol.wait; call helper; ret; }
";

    #[test]
    fn kernels_say_what_they_need() {
        let module = ptx::parse(TEXT).unwrap();
        let definitions = module.definitions();
        let signatures: Vec<_> = module
            .entries()
            .map(|e| signature(&definitions, e))
            .collect();
        let [tile, plain] = &signatures[..] else {
            panic!("{signatures:?}")
        };

        let parameters = tile.parameters.iter();
        let parameters: Vec<_> = parameters.map(|p| (p.size_bytes, p.align_bytes)).collect();
        assert_eq!(parameters, [(128, 64), (8, 8), (4, 4), (24, 8)]);
        let maps: Vec<_> = tile
            .parameters
            .iter()
            .map(|p| p.holds_tensor_map())
            .collect();
        assert_eq!(maps, [true, false, false, false]);
        assert_eq!(tile.parameters[1].name, "tile_param_1");
        assert_eq!(tile.maxntid, Some(Dim3::new(16, 8, 1)));
        assert_eq!(tile.reqnctapercluster, Some(Dim3::new(2, 1, 1)));
        // The barrier, the buffer at 128, and the variables of the module that it refers to.
        assert_eq!(tile.static_shared_bytes, 128 + 1024 + 6);

        assert_eq!(plain.reqntid, Some(Dim3::new(64, 1, 1)));
        assert_eq!((plain.maxntid, plain.reqnctapercluster), (None, None));
        assert_eq!(
            (tile.waits_for_kernels, plain.waits_for_kernels),
            (false, true)
        );
        // The shared memory of the called function: 2 bytes of its own, and 40 at 4.
        assert_eq!((plain.parameters.len(), plain.static_shared_bytes), (0, 44));
    }
}
