//! Figures from NVRTC's machine code: what a kernel takes, and what its innermost loop costs a task.

use super::ARCHITECTURE;
use super::figure::{Figure, KernelFigures, KernelKey, Value};
use super::subject::Subject;
use crate::device::DeviceError;
use crate::device::cuda::{Disassembler, KernelBuild, Nvrtc};
use repro_machine_code::TaskCode;

/// Compilations of a file, at most, until every figure is as it was.
///
/// One source does not always give one machine code: for some large kernels NVRTC gives another one in up to one of three
/// compilations.
const COMPILATIONS: usize = 4;

/// Compiles the file of `subject` and looks at each of its kernels. A kernel whose figures are others than in `known` is compiled
/// again; if it is never as known, its figures are those that come most often.
///
/// # Errors
/// When it does not compile or cannot be listed.
pub(super) fn figures(
    subject: &Subject,
    nvrtc: &Nvrtc,
    disassembler: Option<&Disassembler>,
    known: &KernelFigures,
) -> Result<KernelFigures, DeviceError> {
    settled(known, || of_compilation(subject, nvrtc, disassembler))
}

fn settled(
    known: &KernelFigures,
    mut compile: impl FnMut() -> Result<KernelFigures, DeviceError>,
) -> Result<KernelFigures, DeviceError> {
    let mut compiled = vec![compile()?];
    let keys: Vec<KernelKey> = compiled[0].keys().cloned().collect();
    let is_as_known = |given: &KernelFigures, key: &KernelKey| given.get(key) == known.get(key);
    let is_settled = |compiled: &[KernelFigures], key: &KernelKey| {
        !known.contains_key(key) || compiled.iter().any(|given| is_as_known(given, key))
    };
    while compiled.len() < COMPILATIONS && !keys.iter().all(|key| is_settled(&compiled, key)) {
        compiled.push(compile()?);
    }
    let settle = |key: KernelKey| {
        let often =
            |of: &KernelFigures| compiled.iter().filter(|other| other.get(&key) == of.get(&key)).count();
        // Of equals the last is taken, which is the first that came.
        let best = compiled.iter().rev().max_by_key(|given| (is_as_known(given, &key), often(given)))?;
        let figures = best.get(&key)?.clone();
        Some((key, figures))
    };
    Ok(keys.into_iter().filter_map(settle).collect())
}

fn of_compilation(
    subject: &Subject,
    nvrtc: &Nvrtc,
    disassembler: Option<&Disassembler>,
) -> Result<KernelFigures, DeviceError> {
    let file = &*subject.source.file;
    let compiled = nvrtc.compile(&subject.source, ARCHITECTURE)?;
    let listed = match disassembler {
        Some(disassembler) => Some((disassembler, disassembler.kernels(file, &compiled.image)?)),
        None => None,
    };
    let builds = compiled.builds();
    if builds.is_empty() {
        return Err(DeviceError::other(format!(
            "NVRTC {} did not tell what the kernels of {file} take: point REPRO_NVRTC to another",
            nvrtc.version()
        )));
    }
    let mut figures = KernelFigures::new();
    for (kernel, build) in builds {
        let mut of_kernel = of_build(&build).to_vec();
        if let Some((disassembler, kernels)) = &listed {
            let not_listed =
                || DeviceError::other(format!("the disassembler did not list {kernel} of {file}"));
            let listed = kernels.iter().find(|listed| listed.name == kernel).ok_or_else(not_listed)?;
            let found = listed.task_loop().map_err(|problem| disassembler.cannot_list(file, &problem))?;
            of_kernel.extend(of_loop(found.code));
        }
        let key = KernelKey {
            implementation: subject.name.clone(),
            params: subject.parameters.to_string(),
            kernel,
        };
        figures.insert(key, of_kernel.into_iter().collect());
    }
    Ok(figures)
}

fn of_build(build: &KernelBuild) -> [(Figure, Value); 5] {
    [
        (Figure::Registers, build.registers),
        (Figure::SpillStoreBytes, build.spill_store_bytes),
        (Figure::SpillLoadBytes, build.spill_load_bytes),
        (Figure::StackBytes, build.stack_bytes),
        (Figure::CompiledSharedBytes, build.shared_bytes),
    ]
    .map(|(figure, amount)| (figure, Value::whole(amount)))
}

/// None of a kernel that does no tasks.
fn of_loop(code: TaskCode) -> impl Iterator<Item = (Figure, Value)> {
    let a_task = [
        (Figure::LoopInstructionsATask, code.instructions),
        (Figure::LoopTaskInstructionsATask, code.task_instructions),
        (Figure::LoopSharedLoadsATask, code.shared_loads),
        (Figure::LoopLocalAccessesATask, code.local_accesses),
    ];
    let a_task = a_task.into_iter().map(move |(figure, amount)| (figure, Value::ratio(amount, code.tasks)));
    let uncached = (code.tasks > 0).then(|| Value::whole(code.uncached_bytes()));
    a_task.chain([(Figure::LoopUncachedBytes, uncached)]).filter_map(|(figure, value)| Some((figure, value?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn kernels(registers: [u64; 2]) -> KernelFigures {
        let kernel = |(name, registers): (&str, u64)| {
            let key = KernelKey { implementation: "any".into(), params: String::new(), kernel: name.into() };
            (key, BTreeMap::from([(Figure::Registers, Value::whole(registers))]))
        };
        ["one", "other"].into_iter().zip(registers).map(kernel).collect()
    }

    #[test]
    fn only_what_no_compilation_gives_again_is_another_figure_and_then_what_comes_most_often() {
        let compiled = |known: [u64; 2], given: &[[u64; 2]]| {
            let mut given = given.iter().copied();
            let figures =
                settled(&kernels(known), || Ok(kernels(given.next().expect("no more compilations"))));
            (figures.unwrap(), given.count())
        };
        assert_eq!(compiled([5, 6], &[[5, 6], [7, 7]]), (kernels([5, 6]), 1));
        // Each kernel was as known once, and never both.
        assert_eq!(compiled([5, 6], &[[5, 7], [7, 6], [7, 7]]), (kernels([5, 6]), 1));
        assert_eq!(compiled([5, 6], &[[5, 7], [5, 8], [5, 8], [5, 10]]), (kernels([5, 8]), 0));
        assert_eq!(compiled([5, 6], &[[5, 7], [5, 8], [5, 9], [5, 10]]), (kernels([5, 7]), 0));
        let unknown = settled(&KernelFigures::new(), || Ok(kernels([1, 2])));
        assert_eq!(unknown.unwrap(), kernels([1, 2]));
    }

    #[test]
    fn a_figure_more_or_less_is_another_figure() {
        let mut more = kernels([5, 6]);
        for figures in more.values_mut() {
            figures.insert(Figure::StackBytes, Value::whole(0));
        }
        let settle = |known: &KernelFigures, given: [&KernelFigures; 2]| {
            let mut given = given.into_iter().cloned();
            settled(known, || Ok(given.next().expect("no more compilations"))).unwrap()
        };
        let less = kernels([5, 6]);
        assert_eq!(settle(&more, [&less, &more]), more);
        assert_eq!(settle(&less, [&more, &less]), less);
    }
}
