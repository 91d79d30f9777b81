//! All rows of the table, and the cases of a sweep.

mod bulk;
pub(crate) mod gather;
pub(crate) mod guide;
mod settings;
pub(crate) mod streaming;
mod tile;

use anyhow::Result;

use self::streaming::Subject;
use crate::{case::Case, setup::Setup};

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

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, sync::LazyLock};

    use anyhow::anyhow;
    use tensor_map::{Params, Target, TensorMap};
    use tma_host::Source;
    use tma_launch::{Argument, DeviceDescription, Limits, check};

    use super::*;
    use crate::{
        case::{Check, Reference, Run},
        modules::BUILT,
    };

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
