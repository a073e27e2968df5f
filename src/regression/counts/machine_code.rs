//! Figures from NVRTC's machine code: the resources of a kernel, and what its innermost loop costs a task.

use super::ARCHITECTURE;
use super::collect::CountTarget;
use super::metric::{Amount, CountMetric, Figures, KernelFigures, KernelKey};
use crate::device::DeviceError;
use crate::device::cuda::{KernelBuild, Nvrtc};
use repro_machine_code::{Disassembler, LoopCounts};
use std::num::NonZeroU64;

/// How many times a file is compiled again, at most, until the figures of every kernel match the known ones.
///
/// NVRTC does not always give the same machine code for the same source: for some large kernels up to one in three
/// compilations differs.
const RECOMPILATIONS: usize = 4;

/// The figures that `compile` gives. Compiles again while the figures of a kernel differ from those in `known`; if they never match, its
/// most frequent figures count.
///
/// # Errors
/// When `compile` fails.
pub(super) fn settle(
    known: &KernelFigures,
    mut compile: impl FnMut() -> Result<KernelFigures, DeviceError>,
) -> Result<KernelFigures, DeviceError> {
    let first = compile()?;
    let is_settled = |compiled: &[KernelFigures], key: &KernelKey| {
        !known.contains_key(key) || compiled.iter().any(|one| one.get(key) == known.get(key))
    };
    let mut compiled = vec![first.clone()];
    while compiled.len() <= RECOMPILATIONS && !first.keys().all(|key| is_settled(&compiled, key)) {
        compiled.push(compile()?);
    }
    let choose = |key: KernelKey| {
        let all = || compiled.iter().filter_map(|one| one.get(&key));
        let often = |figures: &Figures| all().filter(|other| *other == figures).count();
        // `max_by_key` takes the last of equals: reversed, that is the first compilation.
        let best = all().rev().max_by_key(|figures| (known.get(&key) == Some(figures), often(figures)))?;
        Some((key.clone(), best.clone()))
    };
    Ok(first.into_keys().filter_map(choose).collect())
}

/// Compiles the file of `target`, and reads the figures of each of its kernels.
///
/// # Errors
/// When the file does not compile, or its machine code cannot be disassembled.
pub(super) fn figures(
    target: &CountTarget,
    nvrtc: &Nvrtc,
    disassembler: Option<&Disassembler>,
) -> Result<KernelFigures, DeviceError> {
    let file = &*target.source.file;
    let compiled = nvrtc.compile(&target.source, ARCHITECTURE)?;
    let builds = compiled.builds();
    if builds.is_empty() {
        return Err(DeviceError::other(format!(
            "NVRTC {} did not tell what the kernels of {file} take: point REPRO_NVRTC to another",
            nvrtc.version()
        )));
    }
    let mut figures: KernelFigures =
        builds.iter().map(|(kernel, build)| (target.key(kernel), of_build(build))).collect();
    let Some(disassembler) = disassembler else { return Ok(figures) };
    let listed = disassembler.kernels(file, &compiled.image)?;
    for (key, figures) in &mut figures {
        let listed = listed.iter().find(|listed| listed.name == key.kernel);
        let found = listed.ok_or(format!("it leaves out {}", key.kernel)).and_then(|one| one.task_loop());
        let code = found.map_err(|problem| disassembler.cannot_list(file, &problem))?.code;
        figures.extend(of_loop(&code));
    }
    Ok(figures)
}

fn of_build(build: &KernelBuild) -> Figures {
    let taken = [
        (CountMetric::Registers, build.registers),
        (CountMetric::SpillStoreBytes, build.spill_store_bytes),
        (CountMetric::SpillLoadBytes, build.spill_load_bytes),
        (CountMetric::StackBytes, build.stack_bytes),
        (CountMetric::CompiledSharedBytes, build.shared_bytes),
    ];
    taken.map(|(metric, amount)| (metric, Amount::Whole(amount))).into()
}

/// The figures of the innermost loop; empty for a kernel that does no tasks.
fn of_loop(code: &LoopCounts) -> Figures {
    let Some(over) = NonZeroU64::new(code.tasks) else { return Figures::new() };
    let ratio = |amount| Amount::Ratio { amount, over };
    [
        (CountMetric::LoopInstructionsATask, ratio(code.instructions)),
        (CountMetric::LoopTaskInstructionsATask, ratio(code.task_instructions)),
        (CountMetric::LoopSharedLoadsATask, ratio(code.shared_loads)),
        (CountMetric::LoopLocalAccessesATask, ratio(code.local_accesses)),
        (CountMetric::LoopUncachedBytes, Amount::Whole(code.uncached_bytes())),
    ]
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn kernels(registers: [u64; 2]) -> KernelFigures {
        let kernel = |(name, registers): (&str, u64)| {
            let key = KernelKey { implementation: "any".into(), params: String::new(), kernel: name.into() };
            (key, BTreeMap::from([(CountMetric::Registers, Amount::Whole(registers))]))
        };
        ["one", "other"].into_iter().zip(registers).map(kernel).collect()
    }

    #[test]
    fn only_what_no_compilation_gives_again_is_another_figure_and_then_what_comes_most_often() {
        let compiled = |known: [u64; 2], given: &[[u64; 2]]| {
            let mut given = given.iter().copied();
            let figures =
                settle(&kernels(known), || Ok(kernels(given.next().expect("no more compilations"))));
            (figures.unwrap(), given.count())
        };
        assert_eq!(compiled([5, 6], &[[5, 6], [7, 7]]), (kernels([5, 6]), 1));
        // Each kernel was as known once, and never both.
        assert_eq!(compiled([5, 6], &[[5, 7], [7, 6], [7, 7]]), (kernels([5, 6]), 1));
        let others = [[5, 7], [5, 8], [5, 9], [5, 10]];
        assert_eq!(compiled([5, 6], &[&others[..], &[[5, 8]]].concat()), (kernels([5, 8]), 0));
        assert_eq!(compiled([5, 6], &[&others[..], &[[5, 11]]].concat()), (kernels([5, 7]), 0));
        // The first compilation and four more.
        assert_eq!(compiled([5, 6], &[&others[..], &[[5, 6]]].concat()), (kernels([5, 6]), 0));
        let unknown = settle(&KernelFigures::new(), || Ok(kernels([1, 2])));
        assert_eq!(unknown.unwrap(), kernels([1, 2]));
        // A figure more or less is another figure.
        let (less, mut more) = (kernels([5, 6]), kernels([5, 6]));
        more.values_mut().for_each(|figures| _ = figures.insert(CountMetric::StackBytes, Amount::Whole(0)));
        for (known, other) in [(&more, &less), (&less, &more)] {
            let mut given = [other, known].into_iter().cloned();
            assert_eq!(&settle(known, || Ok(given.next().expect("no more compilations"))).unwrap(), known);
        }
    }
}
