//! Programs that people would use instead: an *adapter*, a file with a command line, becomes an [`Implementation`].
//!
//! A program never runs in the process that measures: each solve starts it anew, within limits and in a fresh folder of its own
//! ([`crate::confine`]). The graph is there as `graph.npy`, an n x n matrix; the distances come back as another such file, which did not exist before
//! and must have the right shape, type and order. They are verified as every result is.
//!
//! # With the protocol
//!
//! One JSON object a line: requests on standard input, answers on standard output.
//!
//! | request | answer |
//! |---|---|
//! | `{"load": {"graph": "graph.npy", "n": 1024, "element": "f32"}}` | `{"loaded": {}}` |
//! | `{"solve": {}}` | `{"solved": {"seconds": 0.0123}}`; its own seconds, if it has any |
//! | `{"store": {"distances": "distances.npy"}}` | `{"stored": {}}` |
//!
//! `{"failed": {"reason": "..."}}` answers any of them. The program is ended when it has answered the last one.
//!
//! [`Scope::ProgramSolve`](repro_solvers::Scope) is from the request to solve until its answer, by the clock of the host. It rests on the adapter's word that it
//! solves neither while it loads nor while it stores. [`Scope::Program`](repro_solvers::Scope) rests on nobody's word: it is from before the program is executed
//! until none of its processes computes any more, and what they have stored by then is the result.
//!
//! # Without it
//!
//! The command line has the placeholders `{graph}`, `{out}`, `{n}` and `{element}`, and the whole alone is timed. In either case `{adapters}` is the
//! folder of the adapter's file.

mod protocol;
mod solve;
mod table;

use crate::confine::SandboxLimits;
use protocol::missing;
use repro_base::files::variable;
use repro_device::DeviceError;
use repro_graph::ElementType;
use repro_solvers::kernel_file::{FileError, SourceText};
use repro_solvers::{
    Capabilities, Cost, Devices, Implementation, ImplementationFile, Parameters, PreparedSolve, Problem,
    Scope, Solver, check_batch,
};
use solve::ProgramSolve;
use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;
use table::{MemoryTable, ProgramFile, ProgramTable};

/// Bytes in its folder in addition to the two matrices, for what its libraries keep there.
const OTHER_FILES: u64 = 256 << 20;
/// Bytes of other files of a program that compiles kernels.
const OTHER_FILES_WITH_GPU: u64 = 2 << 30;
const FILES: u32 = 10_000;
/// Threads in addition to those for each processor.
const THREADS: u32 = 64;
/// Libraries of numbers, of parallel loops and of the language may each start one on every processor.
const THREADS_A_PROCESSOR: u32 = 8;

/// How long a program may run, how many processes and how much memory it may have, where its adapter does not say.
const SECONDS: u64 = 600;
const PROCESSES: u32 = 16;
const MATRICES: f64 = 8.0;
const MEBIBYTES: u64 = 1024;

/// A program that an adapter describes.
struct ExternalProgram {
    /// Every placeholder but those of a solve is filled in.
    file: ProgramFile,
    /// Why the program cannot be run here; empty until somebody asks, None inside if it can be run.
    missing: OnceLock<Option<String>>,
    /// The UUID of the only GPU that it may take, once there is one.
    gpu: OnceLock<String>,
}

impl ExternalProgram {
    /// # Errors
    /// What of the table cannot be.
    fn new(of: SourceText, mut file: ProgramFile, folder: &Path) -> Result<Self, FileError> {
        let table = &mut file.program;
        let span = table.command.span();
        let wrong = |problem: &str| of.error(&span, format!("command: {problem}"));
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let folder = folder.to_str().ok_or_else(|| wrong("its folder has a name that is not UTF-8"))?;
        let probe = table.probe.iter_mut().flat_map(|probe| &mut probe.command);
        let command = table.command.get_mut();
        probe.chain(command.iter_mut()).for_each(|word| *word = word.replace("{adapters}", folder));
        if command.first().is_none_or(String::is_empty) {
            return Err(wrong("expected the name of a program and its arguments"));
        }
        if !table.protocol && !command.iter().any(|word| word.contains("{out}")) {
            return Err(wrong(
                "has no {out}, where the distances are to be written: name it, or set protocol = true",
            ));
        }
        let MemoryTable { matrices, mebibytes } = table.memory;
        if !matrices.is_none_or(|matrices| (0.0..=1e6).contains(&matrices)) {
            return Err(of.error(&span, "memory.matrices: expected a number from 0 to 1,000,000"));
        }
        if mebibytes.is_some_and(|most| most > 1 << 30) || table.seconds.is_some_and(|most| most > 1 << 30) {
            return Err(of.error(&span, "memory.mebibytes, seconds: expected 1,073,741,824 at most"));
        }
        if file.elements.is_empty() {
            file.elements.push(ElementType::F32);
        }
        Ok(Self { file, missing: OnceLock::new(), gpu: OnceLock::new() })
    }

    /// Variables in addition to the few that every program gets.
    fn environment(&self) -> Vec<(String, String)> {
        let gpu = self.gpu.get().map(|uuid| ("CUDA_VISIBLE_DEVICES".to_string(), uuid.clone()));
        python_variables().into_iter().chain(self.file.program.environment.clone()).chain(gpu).collect()
    }

    fn memory_bytes(&self, problem: &Problem) -> u64 {
        let MemoryTable { matrices, mebibytes } = self.file.program.memory;
        let matrices = matrices.unwrap_or(MATRICES) * problem.matrix_bytes() as f64;
        matrices as u64 + (mebibytes.unwrap_or(MEBIBYTES) << 20)
    }
}

/// Variables for Python in the sandbox, where `HOME` and the working folder are others: where the user's packages lie, and `PYTHONPATH`
/// made absolute; and that it keeps no compiled modules, for which it has no place.
fn python_variables() -> Vec<(String, String)> {
    let path = variable("PYTHONPATH").and_then(|path| {
        let places = std::env::split_paths(&path).filter_map(|place| std::path::absolute(place).ok());
        std::env::join_paths(places).ok()
    });
    let usual = || Some(Path::new(&variable("HOME")?).join(".local").into_os_string());
    let base = variable("PYTHONUSERBASE").or_else(usual);
    let all = [("PYTHONUSERBASE", base), ("PYTHONPATH", path), ("PYTHONDONTWRITEBYTECODE", Some("1".into()))];
    let set = |(name, value): (&str, Option<OsString>)| Some((name.to_string(), value?.into_string().ok()?));
    all.into_iter().filter_map(set).collect()
}

impl Solver for ExternalProgram {
    fn capabilities(&self, _: &Parameters) -> Capabilities {
        let ProgramTable { protocol, cubic, needs, .. } = &self.file.program;
        let scopes = if *protocol { &Scope::PROGRAM[..] } else { &[Scope::Program][..] };
        Capabilities {
            elements: self.file.elements.clone().into(),
            // What it needs of a GPU it takes itself.
            devices: 0..=0,
            scopes: scopes.to_vec().into(),
            is_cubic: *cubic && !needs.gpu,
            takes_gpu: needs.gpu,
            ..Capabilities::on_device()
        }
    }

    fn take_gpu(&self, uuid: &str) {
        if self.file.program.needs.gpu {
            let _ = self.gpu.set(uuid.to_string());
        }
    }

    fn missing(&self) -> Option<String> {
        self.missing.get_or_init(|| missing(&self.file.program).err()).clone()
    }

    fn cost(&self, problem: &Problem, _: &Parameters) -> Cost {
        Cost::new(problem, self.memory_bytes(problem))
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
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u32;
        let ProgramTable { command, protocol, needs, seconds, processes, .. } = &self.file.program;
        let other_files = if needs.gpu { OTHER_FILES_WITH_GPU } else { OTHER_FILES };
        let limits = SandboxLimits {
            wall: Duration::from_secs(seconds.unwrap_or(SECONDS)),
            memory_bytes: self.memory_bytes(problem),
            processes: processes.unwrap_or(PROCESSES),
            threads: THREADS + THREADS_A_PROCESSOR * processors,
            folder_bytes: 2 * problem.matrix_bytes() as u64 + other_files,
            folder_files: FILES,
            gpu: needs.gpu,
            ..SandboxLimits::default()
        };
        let (words, environment) = (command.get_ref().clone(), self.environment());
        Ok(Box::new(ProgramSolve { words, environment, protocol: *protocol, problem: *problem, limits }))
    }
}

/// The implementation that a file describes. Whether its program is there is found when it is first asked for.
///
/// # Errors
/// What of the file is not as described.
pub(crate) fn implementation(
    of: SourceText,
    given: &ImplementationFile,
) -> Result<Implementation, FileError> {
    let file: ProgramFile = toml::from_str(&given.text).map_err(|error| of.unreadable(&error))?;
    let [name, summary, source] =
        [&file.name.0, &file.summary.0, &file.from.0].map(|text| text.clone().into());
    let of_program = Implementation::new("", "", "", ExternalProgram::new(of, file, &given.folder)?);
    Ok(Implementation { name, summary, source, given: Some(given.clone()), ..of_program })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Implementation, String> {
        let given = ImplementationFile {
            file: "own.toml".to_string(),
            folder: "/somewhere".into(),
            name: "a".to_string(),
            text: text.to_string(),
            sources: Vec::new(),
            cubin: None,
        };
        crate::implementation(&given).map_err(|error| error.to_string())
    }

    const HEAD: &str = "name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n";

    #[test]
    fn an_adapter_is_an_implementation_on_the_host_with_clocks_of_its_own() {
        let with = |program: &str| {
            read(&format!("{HEAD}elements = [\"f32\", \"f64\"]\n[program]\n{program}")).unwrap()
        };
        let speaking = with("command = [\"x\"]\nprotocol = true\ncubic = true");
        let parameters = repro_solvers::Parameters::default();
        let abilities = speaking.capabilities(&parameters);
        assert_eq!(abilities.scopes[..], repro_solvers::Scope::PROGRAM);
        assert!(abilities.is_cubic && !speaking.needs_device());
        assert_eq!(abilities.elements[..], [ElementType::F32, ElementType::F64]);
        let silent = with("command = [\"x\", \"{graph}\", \"{out}\"]");
        assert_eq!(silent.capabilities(&parameters).scopes[..], [repro_solvers::Scope::Program]);
        // The ceilings of the processor bind no work of a GPU.
        let gpu = with("command = [\"x\"]\nprotocol = true\ncubic = true\nneeds = { gpu = true }");
        assert!(!gpu.capabilities(&parameters).is_cubic);
    }

    #[test]
    fn a_mistake_in_an_adapter_is_named() {
        let cases = [
            ("[program]\ncommand = []\nprotocol = true", "command: expected the name of a program"),
            ("[program]\ncommand = [\"x\"]", "command: has no {out}"),
            (
                "elements = [\"f16\"]\n[program]\ncommand = [\"x\"]\nprotocol = true",
                "unknown variant `f16`, expected one of `f32`, `i32`, `u16`, `f64`",
            ),
            (
                "[program]\ncommand = [\"x\"]\nprotocol = true\nneeds = { python = [\"scipy>=1\"] }",
                "is no package",
            ),
            (
                "[program]\ncommand = [\"x\"]\nprotocol = true\nmemory = { matrices = -1.0 }",
                "memory.matrices",
            ),
            ("[program]\ncommand = [\"x\"]\nprotocl = true", "unknown field `protocl`"),
        ];
        for (rest, part) in cases {
            let error = read(&format!("{HEAD}{rest}")).err().unwrap();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_program_on_a_gpu_is_left_the_one_that_it_was_given_and_others_have_none() {
        let with = |needs: &str| {
            let text = format!(
                "name = \"a\"\nsummary = \"b\"\nfrom = \"c\"\n[program]\ncommand = [\"x\"]\nprotocol = true\n{needs}"
            );
            let file: ProgramFile = toml::from_str(&text).unwrap();
            let of = SourceText { file: "", text: &text };
            ExternalProgram::new(of, file, Path::new("/")).unwrap()
        };
        let named = |program: &ExternalProgram| -> Vec<String> {
            let all = program.environment().into_iter();
            all.filter(|(name, _)| name == "CUDA_VISIBLE_DEVICES").map(|(_, uuid)| uuid).collect()
        };
        let (gpu, cpu) = (with("needs = { gpu = true }"), with(""));
        let takes_gpu = |program: &ExternalProgram| program.capabilities(&Parameters::default()).takes_gpu;
        assert!(takes_gpu(&gpu) && !takes_gpu(&cpu) && named(&gpu).is_empty());
        gpu.take_gpu("GPU-1");
        cpu.take_gpu("GPU-1");
        assert_eq!((named(&gpu), named(&cpu).len()), (vec!["GPU-1".to_string()], 0));
    }
}
