//! All rows of the table, and the cases of a sweep.

mod bulk;
pub(crate) mod gather;
pub(crate) mod guide;
pub(crate) mod streaming;
mod tile;

use anyhow::{Result, anyhow, bail};
use kernels_gpu::settings::Setting;
use tensor_map::{Params, TensorMap};
use tma_host::Shape;
use tma_launch::{Argument, Call, DeviceDescription, Launch, Pointer, Violations};

use self::streaming::Subject;
use crate::{
    arena::Pattern,
    case::{Amount, Case, Check, Reference},
    limit::Needs,
    work::L2,
};

/// Device addresses and properties of the GPU that the cases use.
#[derive(Clone, Copy)]
pub(crate) struct Setup<'a> {
    pub(crate) device: &'a DeviceDescription,
    /// Maximum shared memory of a block in bytes.
    pub(crate) block_shared_bytes: u64,
    /// Size in bytes of the source and of the destination.
    pub(crate) bytes: u64,
    pub(crate) src: u64,
    pub(crate) dst: u64,
    pub(crate) counter: u64,
    /// Addresses of the positions of each dataset's boxes.
    pub(crate) positions: [u64; 2],
    pub(crate) sums: u64,
    /// Encodes a map of the tensor at an address.
    pub(crate) encode: &'a dyn Fn(Params, u64) -> Result<TensorMap>,
    /// The buffers of [`guide`] kernels.
    pub(crate) buffers: [u64; guide::BUFFERS],
}

impl Setup<'_> {
    /// Returns a shape with this number of blocks per multiprocessor.
    fn persistent(self, per_multiprocessor: u32, threads: u32) -> Shape {
        Shape::new(self.device.multiprocessors * per_multiprocessor, threads)
    }

    /// Like [`case`](Self::case), with the launch of a setting over all bytes.
    fn set_case(self, kernel: &'static str, call: Call<'_>, setting: Setting) -> Result<Case> {
        let shape = Shape::new(setting.grid(self.device, self.bytes), setting.threads);
        let mut case = self.case(kernel, call, shape)?;
        let least = setting.shared_bytes(self.device);
        case.shape.shared_bytes = case.shape.shared_bytes.max(least);
        Ok(case)
    }

    /// Returns the arguments of a launch in this setup.
    fn values(self, launch: &Launch) -> Result<Vec<Argument>> {
        let value = |argument: &Argument| {
            Ok(match argument {
                Argument::Scalar(_)
                | Argument::Bytes(_)
                | Argument::Address(_)
                | Argument::EncodedMap(_) => argument.clone(),
                Argument::Buffer {
                    index,
                    offset_bytes,
                } => Argument::Address(self.buffers[*index] + offset_bytes),
                Argument::TensorMap {
                    params,
                    index,
                    offset_bytes,
                } => {
                    let address = self.buffers[*index] + offset_bytes;
                    Argument::EncodedMap(Box::new((self.encode)(**params, address)?))
                }
                _ => bail!("no kernel here takes such an argument"),
            })
        };
        launch.arguments.iter().map(value).collect()
    }

    /// Creates a row of a kernel that reads the source and writes the destination, adding one to each number.
    fn case(self, kernel: &'static str, call: Call<'_>, shape: Shape) -> Result<Case> {
        let launch = kept(call.launch(shape))?;
        Ok(Case {
            kernel,
            variant: String::new(),
            values: self.values(&launch)?,
            entry: launch.entry,
            shape: launch.shape,
            draws: false,
            amount: Amount::Bytes(2 * self.bytes),
            needs: Needs::memory(2 * self.bytes),
            l2: L2::Cold,
            check: Check::Destination(Pattern::plus(self.bytes, 1)),
            reference: Reference::DriverCopy,
            goal: None,
        })
    }
}

/// Marks a row whose setting comes from the device's settings.
fn as_set(case: Case) -> Case {
    Case {
        variant: format!("as set, {}", case.variant),
        ..case
    }
}

/// Memory at a device address.
#[derive(Clone, Copy)]
struct At(u64);

impl<T> Pointer<T> for At {
    fn pointer(&self) -> Argument {
        Argument::Address(self.0)
    }
}

fn kept(launch: Result<Launch, Violations>) -> Result<Launch> {
    launch.map_err(|refused| anyhow!("{refused}"))
}

/// Returns the cases of the table.
pub(crate) fn all(setup: Setup<'_>) -> Result<Vec<Case>> {
    let mut cases = bulk::cases(setup)?;
    cases.extend(tile::cases(setup)?);
    cases.extend(gather::cases(setup)?);
    // Four stages of a product need 192 KiB, and barriers.
    let stages = if setup.block_shared_bytes > 200 << 10 {
        4
    } else {
        2
    };
    for row in guide::all(setup.device, stages, setup.bytes)? {
        cases.push(row.case(setup)?);
    }
    Ok(cases)
}

/// Returns the cases of a sweep: stages, sizes and blocks per multiprocessor.
pub(crate) fn sweep(setup: Setup<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for subject in Subject::all(setup) {
        for setting in subject.settings() {
            cases.push(subject.case(setup, setting)?);
        }
    }
    cases.extend(bulk::sweep(setup)?);
    cases.extend(gather::sweep(setup)?);
    Ok(cases)
}

/// Shared memory of a multiprocessor for all its blocks, including 1 KiB per block for the system.
const SHARED_BYTES: u32 = 228 * 1024;

fn fits(per_multiprocessor: u32, case: &Case) -> bool {
    per_multiprocessor * (case.shape.shared_bytes + 1024) <= SHARED_BYTES
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::LazyLock};

    use tensor_map::Target;
    use tma_host::Source;
    use tma_launch::{Limits, check};

    use super::*;
    use crate::{case::Run, modules::BUILT};

    fn setup(encode: &dyn Fn(Params, u64) -> Result<TensorMap>) -> Setup<'_> {
        static DEVICE: LazyLock<DeviceDescription> = LazyLock::new(DeviceDescription::h100);
        Setup {
            device: &DEVICE,
            block_shared_bytes: Limits::SM_90.shared_bytes,
            bytes: 1 << 32,
            src: 1 << 34,
            dst: 1 << 35,
            counter: 1 << 36,
            positions: [1 << 37, 1 << 38],
            sums: 1 << 39,
            encode,
            buffers: std::array::from_fn(|index| (index as u64 + 64) << 34),
        }
    }

    fn encode(params: Params, address: u64) -> Result<TensorMap> {
        let built = params.build_for(address, Target::SM_90);
        built.map_err(|refused| anyhow!("{refused}"))
    }

    #[test]
    fn every_launch_fits_its_kernel() -> Result<()> {
        assert_eq!(
            lacking(BUILT[0].kernels)?,
            BTreeSet::from(["gather_ldg".to_owned()])
        );
        Ok(())
    }

    #[test]
    #[cfg_attr(not(nvcc), ignore = "needs nvcc")]
    fn every_launch_fits_its_cuda_version() -> Result<()> {
        let lacks = lacking(BUILT[0].cuda.expect("nvcc compiled it"))?;
        assert_eq!(lacks, BTreeSet::new());
        Ok(())
    }

    /// Returns the entries used by rows that the module lacks; the launches of the others fit.
    fn lacking(text: &str) -> Result<BTreeSet<String>> {
        let source = Source::parse("module", text)?;
        let setup = setup(&encode);
        let launches = |case: &Case| {
            let own = (case.entry.clone(), vec![case.shape], case.values.clone());
            let loads = match &case.reference {
                Reference::Loads(shapes, values) => {
                    Some(("gather_ldg".to_owned(), shapes.clone(), values.clone()))
                }
                Reference::DriverCopy | Reference::Nothing => None,
            };
            let others = match &case.check {
                Check::Words(words) => [words.before.clone(), words.after.clone()],
                _ => [None, None],
            };
            let other = |run: Run| (run.entry, vec![run.shape], run.values);
            let [before, after] = others.map(|run| run.map(other));
            [Some(own), loads, before, after]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
        };
        let mut lacks = BTreeSet::new();
        for case in all(setup)?.iter().chain(&sweep(setup)?) {
            for (entry, shapes, values) in launches(case) {
                let forms: Vec<_> = values.iter().map(Argument::form).collect();
                let Ok(signature) = source.signature(&entry) else {
                    lacks.insert(entry);
                    continue;
                };
                for shape in &shapes {
                    let mut violations = check::shape(shape, &Limits::SM_90, signature);
                    violations
                        .0
                        .extend(check::argument_forms(&forms, signature).0);
                    let name = case.name();
                    assert!(violations.0.is_empty(), "{name}, `{entry}`: {violations:?}");
                }
            }
        }
        Ok(lacks)
    }

    #[test]
    fn rows_have_names_of_their_own() -> Result<()> {
        for cases in [all(setup(&encode))?, sweep(setup(&encode))?] {
            let names: BTreeSet<String> = cases.iter().map(Case::name).collect();
            assert_eq!(names.len(), cases.len());
        }
        Ok(())
    }

    #[test]
    fn all_that_is_moved_is_checked() -> Result<()> {
        for case in all(setup(&encode))? {
            match case.check {
                Check::Destination(pattern) => assert_eq!(8 * pattern.words, case.amount.bytes()),
                // Some cases read other buffers, or write less than they read.
                Check::Words(words) => assert!(words.count > 0),
                Check::Sums { warps, .. } => {
                    let threads = case.shape.grid.count() * case.shape.block.count();
                    assert_eq!(u64::from(warps) * 32, threads);
                }
            }
        }
        Ok(())
    }
}
