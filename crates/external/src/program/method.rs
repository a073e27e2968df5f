//! A program as a solver.

use super::probe::{missing, package};
use super::solve::ProgramSolve;
use super::table::ProgramTable;
use repro_confine::Limits;
use repro_device::DeviceError;
use repro_files::variable;
use repro_graph::ElementType;
use repro_solvers::kernel_file::{FileError, Text};
use repro_solvers::{
    Capabilities, Cost, Devices, Parameters, PreparedSolve, Problem, Scope, Solver, check_batch,
};
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// In its folder next to the two matrices: what its libraries keep there.
const OTHER_FILES: u64 = 256 << 20;
/// Bytes of other files of a program that compiles kernels.
const OTHER_FILES_WITH_GPU: u64 = 2 << 30;
const FILES: u32 = 10_000;
/// Threads in addition to those for each processor.
const THREADS: u32 = 64;
/// Libraries of numbers, of parallel loops and of the language may each start one on every processor.
const THREADS_A_PROCESSOR: u32 = 8;

/// How long a program may run, how many processes it may have, and what memory, where its adapter says nothing.
const SECONDS: u64 = 600;
const PROCESSES: u32 = 16;
const MATRICES: f64 = 8.0;
const MEBIBYTES: u64 = 1024;

/// A program that an adapter describes.
pub(super) struct Program {
    /// Every placeholder but those of a solve is filled in, here and in `table`.
    command: Vec<String>,
    environment: Vec<(String, String)>,
    table: ProgramTable,
    elements: Vec<ElementType>,
    /// Why it cannot be run here, once that was looked for.
    missing: OnceLock<Option<String>>,
    /// The UUID of the only GPU that it may take, once there is one.
    gpu: OnceLock<String>,
}

impl Program {
    /// # Errors
    /// What of the table cannot be.
    pub fn new(
        of: Text,
        mut table: ProgramTable,
        elements: Vec<ElementType>,
        folder: &Path,
    ) -> Result<Self, FileError> {
        let span = table.command.span();
        let wrong = |problem: &str| of.error(&span, format!("command: {problem}"));
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let folder = folder.to_str().ok_or_else(|| wrong("its folder has a name that is not UTF-8"))?;
        let placed = |words: &[String]| -> Vec<String> {
            words.iter().map(|word| word.replace("{adapters}", folder)).collect()
        };
        let command = placed(table.command.get_ref());
        if command.first().is_none_or(String::is_empty) {
            return Err(wrong("expected the name of a program and its arguments"));
        }
        if !table.protocol && !command.iter().any(|word| word.contains("{out}")) {
            return Err(wrong(
                "has no {out}, where the distances are to be written: name it, or set protocol = true",
            ));
        }
        if table.memory.matrices.is_some_and(|matrices| !(matrices.is_finite() && matrices >= 0.0)) {
            return Err(wrong("memory.matrices: expected a number from 0 on"));
        }
        if let Some(probe) = &mut table.probe {
            probe.command = placed(&probe.command);
        }
        for text in &table.needs.python {
            package(text.get_ref()).map_err(|problem| of.error(&text.span(), problem))?;
        }
        let mut environment = python_variables();
        environment.extend(std::mem::take(&mut table.environment));
        let (missing, gpu) = (OnceLock::new(), OnceLock::new());
        Ok(Self { command, environment, table, elements, missing, gpu })
    }

    /// Within what a solve of this problem is held.
    fn limits(&self, problem: &Problem) -> Limits {
        let gpu = self.table.needs.gpu;
        let others = if gpu { OTHER_FILES_WITH_GPU } else { OTHER_FILES };
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        Limits {
            wall: Duration::from_secs(self.table.seconds.unwrap_or(SECONDS)),
            memory_bytes: self.memory_bytes(problem),
            processes: self.table.processes.unwrap_or(PROCESSES),
            threads: THREADS + THREADS_A_PROCESSOR * processors,
            folder_bytes: 2 * problem.matrix_bytes() as u64 + others,
            folder_files: FILES,
            gpu,
            ..Limits::default()
        }
    }

    /// Variables in addition to the few that every program gets.
    fn environment(&self) -> Vec<(String, String)> {
        let gpu = self.gpu.get().map(|uuid| ("CUDA_VISIBLE_DEVICES".to_string(), uuid.clone()));
        self.environment.iter().cloned().chain(gpu).collect()
    }

    fn memory_bytes(&self, problem: &Problem) -> u64 {
        let matrices = self.table.memory.matrices.unwrap_or(MATRICES) * problem.matrix_bytes() as f64;
        matrices as u64 + (self.table.memory.mebibytes.unwrap_or(MEBIBYTES) << 20)
    }
}

/// Python finds packages of the user below the home folder, which is another here, and others where its path says, from another folder; and it has
/// nowhere to keep compiled modules.
pub(super) fn python_variables() -> Vec<(String, String)> {
    let path = variable("PYTHONPATH").and_then(|path| {
        let places = std::env::split_paths(&path).filter_map(|place| std::path::absolute(place).ok());
        std::env::join_paths(places).ok()?.into_string().ok()
    });
    let path = path.map(|path| ("PYTHONPATH".to_string(), path));
    let base = variable("PYTHONUSERBASE").and_then(|base| base.into_string().ok());
    let base = base.or_else(|| Some(format!("{}/.local", variable("HOME")?.into_string().ok()?)));
    let base = base.map(|base| ("PYTHONUSERBASE".to_string(), base));
    base.into_iter().chain(path).chain([("PYTHONDONTWRITEBYTECODE".to_string(), "1".to_string())]).collect()
}

impl Solver for Program {
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        let scopes = if self.table.protocol { &Scope::PROGRAM[..] } else { &[Scope::Program][..] };
        Capabilities {
            elements: self.elements.clone().into(),
            // What it needs of a GPU it takes itself.
            devices: 0..=0,
            scopes: scopes.to_vec().into(),
            is_cubic: self.table.cubic && !self.table.needs.gpu,
            takes_gpu: self.table.needs.gpu,
            ..Capabilities::on_device()
        }
    }

    fn take_gpu(&self, uuid: &str) {
        if self.table.needs.gpu {
            let _ = self.gpu.set(uuid.to_string());
        }
    }

    fn missing(&self) -> Option<String> {
        self.missing.get_or_init(|| missing(&self.table, &self.command)).clone()
    }

    fn cost(&self, problem: &Problem, _: &Parameters) -> Cost {
        Cost::of(problem, self.memory_bytes(problem))
    }

    fn prepare(
        &self,
        problem: &Problem,
        _: &Devices,
        _: &Parameters,
    ) -> Result<Box<dyn PreparedSolve>, DeviceError> {
        if let Some(reason) = self.missing() {
            return Err(DeviceError::unavailable(reason));
        }
        check_batch(problem.graphs, false).map_err(DeviceError::other)?;
        Ok(Box::new(ProgramSolve {
            command: self.command.clone(),
            environment: self.environment(),
            protocol: self.table.protocol,
            problem: *problem,
            limits: self.limits(problem),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::ProgramFile;
    use super::*;

    #[test]
    fn a_program_on_a_gpu_is_left_the_one_that_it_was_given_and_others_have_none() {
        let with = |needs: &str| {
            let text = format!(
                "name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n[program]\ncommand = [\"x\"]\nprotocol = true\n{needs}"
            );
            let file: ProgramFile = toml::from_str(&text).unwrap();
            let of = Text { file: "", text: &text };
            Program::new(of, file.program, vec![ElementType::F32], Path::new("/")).unwrap()
        };
        let named = |program: &Program| -> Vec<String> {
            let all = program.environment().into_iter();
            all.filter(|(name, _)| name == "CUDA_VISIBLE_DEVICES").map(|(_, uuid)| uuid).collect()
        };
        let (gpu, cpu) = (with("needs = { gpu = true }"), with(""));
        let takes_gpu = |program: &Program| program.capabilities(&Parameters::default()).takes_gpu;
        assert!(takes_gpu(&gpu) && !takes_gpu(&cpu) && named(&gpu).is_empty());
        gpu.take_gpu("GPU-1");
        cpu.take_gpu("GPU-1");
        assert_eq!((named(&gpu), named(&cpu).len()), (vec!["GPU-1".to_string()], 0));
    }
}
