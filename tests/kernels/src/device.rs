use tma_host::{Capability, DeviceChoice, Failure, Jobs};

/// Opens a device for jobs; returns its capability too.
///
/// # Errors
/// As [`DeviceChoice::open`].
pub fn open(choice: DeviceChoice) -> Result<(Jobs, Capability), Failure> {
    let device = choice.open()?;
    let capability = device.capability();
    Ok((Jobs::new(device), capability))
}

/// Removes `--device WHERE` from a program's arguments; the default is the environment's choice.
///
/// # Errors
/// A value is missing, or is not auto, gpu or emulator.
pub fn device_of_arguments(
    arguments: impl Iterator<Item = String>,
) -> Result<(DeviceChoice, Vec<String>), String> {
    let mut device = None;
    let mut rest = Vec::new();
    let mut arguments = arguments;
    while let Some(argument) = arguments.next() {
        let value = match argument.strip_prefix("--device") {
            Some("") => arguments.next(),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => {
                rest.push(argument);
                continue;
            }
        };
        let value = value.ok_or("`--device` takes auto, gpu or emulator")?;
        device = Some(value.parse()?);
    }
    let from_env = || DeviceChoice::from_env().map_err(|failure| failure.to_string());
    Ok((device.map_or_else(from_env, Ok)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<(DeviceChoice, Vec<String>), String> {
        device_of_arguments(arguments.iter().map(|argument| argument.to_string()))
    }

    #[test]
    fn the_device_is_taken_out_of_the_arguments() {
        let rest = || vec!["cases".to_owned(), "tile".to_owned()];
        assert_eq!(
            parse(&["cases", "--device", "auto", "tile"]),
            Ok((DeviceChoice::Auto, rest()))
        );
        assert_eq!(
            parse(&["cases", "--device", "gpu", "tile"]),
            Ok((DeviceChoice::Gpu, rest()))
        );
        assert_eq!(
            parse(&["cases", "tile", "--device=emulator"]),
            Ok((DeviceChoice::Emulator, rest()))
        );
    }

    #[test]
    fn a_device_that_does_not_exist_is_refused() {
        assert!(parse(&["cases", "--device"]).is_err());
        let error = parse(&["cases", "--device", "tpu"]).unwrap_err();
        assert_eq!(error, "unknown device `tpu`; use auto, gpu or emulator");
    }
}
