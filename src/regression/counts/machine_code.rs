//! Figures from NVRTC's machine code: what a kernel takes, and what its innermost loop costs a task.

use super::ARCHITECTURE;
use super::figure::{Figure, KernelFigures, KernelKey, Value};
use super::subject::Subject;
use crate::device::DeviceError;
use crate::device::cuda::{Disassembler, KernelBuild, Nvrtc};
use repro_machine_code::{TaskLoop, model};
use std::collections::BTreeMap;

/// Compilations of a file, at most, until every figure is as it was.
///
/// The same source does not always give the same machine code: for some large kernels NVRTC gives another one in up to one of three
/// compilations. What none of so many gives is taken for a change of ours.
const COMPILATIONS: usize = 4;

/// Compiles the file of `subject` and looks at each of its kernels. A kernel whose figures are others than in `known` is compiled
/// again, and only what it never gives again is another figure.
///
/// # Errors
/// When it does not compile or cannot be listed.
pub(super) fn figures(
    subject: &Subject,
    nvrtc: &Nvrtc,
    disassembler: Option<&Disassembler>,
    known: &KernelFigures,
) -> Result<KernelFigures, DeviceError> {
    as_known(known, || of_compilation(subject, nvrtc, disassembler))
}

/// What `compile` gives first, but for kernels that a later compilation gives as they are known.
fn as_known(
    known: &KernelFigures,
    mut compile: impl FnMut() -> Result<KernelFigures, DeviceError>,
) -> Result<KernelFigures, DeviceError> {
    let is_as_known = |key: &KernelKey, figures: &BTreeMap<Figure, Value>| {
        let Some(known) = known.get(key) else { return true };
        figures.iter().all(|(figure, value)| known.get(figure).is_none_or(|known| known == value))
    };
    let mut first = compile()?;
    for _ in 1..COMPILATIONS {
        if first.iter().all(|(key, figures)| is_as_known(key, figures)) {
            break;
        }
        first.extend(compile()?.into_iter().filter(|(key, figures)| is_as_known(key, figures)));
    }
    Ok(first)
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
            of_kernel.extend(of_loop(&found, build.registers));
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

/// None of a kernel that does no tasks. The model has as many warps as have room with so many registers a thread.
fn of_loop(found: &TaskLoop, registers: u64) -> impl Iterator<Item = (Figure, Value)> {
    let code = found.code;
    let a_task = [
        (Figure::LoopInstructionsATask, code.instructions),
        (Figure::LoopTaskInstructionsATask, code.task_instructions),
        (Figure::LoopSharedLoadsATask, code.shared_loads),
        (Figure::LoopLocalAccessesATask, code.local_accesses),
        (Figure::LoopRegisterReadsATask, code.register_reads.iter().sum()),
        (Figure::LoopBankConflictCyclesATask, code.conflict_clocks()),
    ];
    let a_task = a_task.into_iter().map(move |(figure, amount)| (figure, Value::ratio(amount, code.tasks)));
    let model = found.estimate(model::warps(registers)).map(|estimate| estimate.of_round());
    let model = model.map(|(clocks, tasks)| (Figure::LoopModelCyclesATask, Value::ratio(clocks, tasks)));
    let uncached = (code.tasks > 0).then(|| Value::whole(code.uncached_bytes()));
    let others = model.into_iter().chain([(Figure::LoopUncachedBytes, uncached)]);
    a_task.chain(others).filter_map(|(figure, value)| Some((figure, value?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernels(registers: [u64; 2]) -> KernelFigures {
        let kernel = |(name, registers): (&str, u64)| {
            let key = KernelKey { implementation: "any".into(), params: String::new(), kernel: name.into() };
            (key, BTreeMap::from([(Figure::Registers, Value::whole(registers))]))
        };
        ["one", "other"].into_iter().zip(registers).map(kernel).collect()
    }

    #[test]
    fn only_what_no_compilation_gives_again_is_another_figure() {
        let compiled = |known: [u64; 2], given: &[[u64; 2]]| {
            let mut given = given.iter().copied();
            let figures =
                as_known(&kernels(known), || Ok(kernels(given.next().expect("no more compilations"))));
            (figures.unwrap(), given.count())
        };
        assert_eq!(compiled([5, 6], &[[5, 6], [7, 7]]), (kernels([5, 6]), 1));
        // Each kernel was as known once, and never both.
        assert_eq!(compiled([5, 6], &[[5, 7], [7, 6], [7, 7]]), (kernels([5, 6]), 1));
        assert_eq!(compiled([5, 6], &[[5, 7], [5, 8], [5, 9], [5, 10]]), (kernels([5, 7]), 0));
        let unknown = as_known(&KernelFigures::new(), || Ok(kernels([1, 2])));
        assert_eq!(unknown.unwrap(), kernels([1, 2]));
    }
}
