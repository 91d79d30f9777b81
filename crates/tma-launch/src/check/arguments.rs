use super::{Rule, Violation, Violations};
use crate::{Argument, Buffer, Form, Launch, Parameter, Signature};

/// Checks the number and the sizes of the arguments.
pub fn argument_forms(arguments: &[Form], signature: &Signature) -> Violations {
    let parameters = &signature.parameters;
    let mut found = Vec::new();
    if arguments.len() != parameters.len() {
        found.push(count(arguments, parameters));
    }
    for (index, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
        let fits = argument.size_bytes == parameter.size_bytes
            && (!argument.is_tensor_map || parameter.holds_tensor_map());
        if !fits {
            found.push(size(index, argument, parameter));
        }
    }
    Violations(found)
}

fn count(arguments: &[Form], parameters: &[Parameter]) -> Violation {
    let (given, wanted) = (arguments.len(), parameters.len());
    let fix = match (parameters.get(given), given.saturating_sub(wanted)) {
        (Some(next), _) => format!("add one for {next}"),
        (None, extra) => format!("drop the last {extra}"),
    };
    let limit = format!("the kernel takes {wanted}");
    Violation::new(
        Rule::ArgumentCount,
        "number of arguments",
        given,
        limit,
        fix,
    )
}

fn size(index: usize, argument: &Form, parameter: &Parameter) -> Violation {
    let size_bytes = parameter.size_bytes;
    let (rule, fix) = if argument.is_tensor_map {
        let fix = if size_bytes == argument.size_bytes {
            "declare the parameter as a grid constant"
        } else {
            "pass the tensor map to a parameter that is a grid constant"
        };
        (Rule::TensorMapParameter, fix.to_owned())
    } else if parameter.holds_tensor_map() {
        (Rule::ArgumentSize, "pass a tensor map".to_owned())
    } else {
        (
            Rule::ArgumentSize,
            format!("pass a value of {size_bytes} bytes"),
        )
    };
    let limit = format!("its parameter is {parameter}");
    Violation::new(rule, format!("argument {index}"), argument, limit, fix)
}

/// Checks the ranges in buffers that the arguments refer to.
pub fn buffer_ranges(launch: &Launch, buffers: &[Buffer]) -> Violations {
    let arguments = launch.arguments.iter().enumerate();
    let leaves = arguments.flat_map(|(index, argument)| {
        let leaves = argument.leaves().into_iter();
        leaves.map(move |leaf| (index, leaf))
    });
    let ranges = leaves.filter_map(|(index, leaf)| range(index, leaf, buffers));
    Violations(ranges.collect())
}

fn range(position: usize, argument: &Argument, buffers: &[Buffer]) -> Option<Violation> {
    let (index, offset_bytes) = match argument {
        Argument::Scalar(_)
        | Argument::Address(_)
        | Argument::EncodedMap(_)
        | Argument::OnDevice { .. }
        | Argument::Bytes(_)
        | Argument::Struct(_) => return None,
        Argument::Buffer {
            index,
            offset_bytes,
        }
        | Argument::TensorMap {
            index,
            offset_bytes,
            ..
        } => (*index, *offset_bytes),
    };
    let parameter = format!("argument {position}");
    let Some(buffer) = buffers.get(index) else {
        let value = format!("in buffer {index}");
        let (limit, fix) = match buffers.len() {
            0 => (
                "the job has no buffers".to_owned(),
                "add a buffer".to_owned(),
            ),
            count => (
                format!("the job has {count}"),
                format!("use {} or less", count - 1),
            ),
        };
        return Some(Violation::new(
            Rule::BufferIndex,
            parameter,
            value,
            limit,
            fix,
        ));
    };
    let (name, len_bytes) = (buffer.name(), buffer.bytes().len() as u64);
    let limit = format!("buffer `{name}` has {len_bytes} bytes");
    let Some(room_bytes) = len_bytes.checked_sub(offset_bytes) else {
        let value = format!("{offset_bytes} bytes into its buffer");
        let fix = format!("use {len_bytes} or less");
        return Some(Violation::new(
            Rule::BufferOffset,
            parameter,
            value,
            limit,
            fix,
        ));
    };
    let Argument::TensorMap { params, .. } = argument else {
        return None;
    };
    let tensor = params.tensor();
    let outside = tensor.first_outside(room_bytes)?;
    let value = format!(
        "a tensor of {} bytes from byte {offset_bytes}",
        tensor.memory_bytes()
    );
    let limit = format!("{limit}, and element {outside:?} is the first out of bounds");
    let missing = tensor.memory_bytes().saturating_sub(room_bytes);
    let fix = format!("make the buffer {missing} bytes longer");
    Some(Violation::new(
        Rule::TensorSpan,
        parameter,
        value,
        limit,
        fix,
    ))
}
