//! Figures from NVRTC's machine code: what a kernel takes, and what its innermost loop costs a task.

use super::ARCHITECTURE;
use super::figure::{Figure, KernelFigures, KernelKey, Value};
use super::subject::Subject;
use crate::device::DeviceError;
use crate::device::cuda::{Disassembler, KernelBuild, Nvrtc, TaskCode};

/// Compiles the file of `subject` and looks at each of its kernels.
///
/// # Errors
/// When it does not compile or cannot be listed.
pub(super) fn figures(
    subject: &Subject,
    nvrtc: &Nvrtc,
    disassembler: Option<&Disassembler>,
) -> Result<KernelFigures, DeviceError> {
    let file = &*subject.source.file;
    let compiled = nvrtc.compile(&subject.source, ARCHITECTURE)?;
    let codes = match disassembler {
        Some(disassembler) => Some(disassembler.task_codes(file, &compiled.image)?),
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
        if let Some(codes) = &codes {
            let code = codes.iter().find(|(name, _)| *name == kernel).ok_or_else(|| {
                DeviceError::other(format!("the disassembler did not list {kernel} of {file}"))
            })?;
            of_kernel.extend(of_code(&code.1));
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
fn of_code(code: &TaskCode) -> impl Iterator<Item = (Figure, Value)> {
    let tasks = code.tasks;
    [
        (Figure::LoopInstructionsATask, code.instructions),
        (Figure::LoopSharedLoadsATask, code.shared_loads),
        (Figure::LoopLocalAccessesATask, code.local_accesses),
    ]
    .into_iter()
    .filter_map(move |(figure, amount)| Some((figure, Value::ratio(amount, tasks)?)))
}
