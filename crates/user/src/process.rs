//! A process for user kernels: this program once more, in a folder of its own and held within limits. Each request is one line of JSON, and
//! so is each answer. Matrices are files in its folder.

use super::check::CheckJob;
use crate::confine::{SandboxCommand, SandboxLimits, SandboxedProcess, foreign_text};
use repro_base::files::{Scratch, variable};
use repro_device::emulated::{COMPILER_VARIABLE, Finding, Instruments, LaunchCounts, Options};
use repro_device::{DeviceError, FailureKind};
use repro_graph::{ElementType, WeightRange, available_memory};
use repro_solvers::{ImplementationFile, Parameters};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt::Display;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::time::Duration;

/// The weights of a solve, row-major, as bytes.
pub const GRAPH: &str = "graph.bin";
/// The distances, likewise.
pub const DISTANCES: &str = "distances.bin";

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ServerRequest {
    /// The first request to a process that solves.
    Load(Box<LoadJob>),
    /// Prepare a solve of such a problem and, if `run`, solve the graph in [`GRAPH`] into [`DISTANCES`]. Answered by [`SolveCounts`].
    Solve { n: usize, weights: WeightRange, run: bool },
    /// Tell which kernels a file has. Answered by a list of `Signature`.
    Kernels(Box<CheckJob>, EmulatedDeviceSpec),
    /// Launch a kernel with fresh buffers. Answered by `LaunchReport`.
    Check(Box<CheckJob>, EmulatedDeviceSpec),
}

/// Open an emulated device, and compile what the file describes for this type.
#[derive(Serialize, Deserialize)]
pub struct LoadJob {
    pub given: ImplementationFile,
    pub device: EmulatedDeviceSpec,
    pub element: ElementType,
    pub parameters: Parameters,
}

/// The device that a kernel server opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmulatedDeviceSpec {
    pub instruments: Instruments,
    pub capability: (u32, u32),
    /// The order in which it runs blocks and threads.
    pub order: u64,
}

impl EmulatedDeviceSpec {
    /// The emulator's options for this device, with compiled kernels kept in the folder of its process.
    pub fn options(self) -> Options {
        let Self { instruments, capability, order: seed } = self;
        Options { capability, seed, cache: "compiled".into(), ..Options::new(instruments) }
    }
}

/// What the device counted and found in a solve. The distances mean nothing where something was found.
#[derive(Default, Serialize, Deserialize)]
pub struct SolveCounts {
    pub launches: Vec<LaunchCounts>,
    pub findings: Vec<Finding>,
}

/// What is wrong with the file of this name.
pub fn on_file(name: &str) -> impl Fn(io::Error) -> DeviceError {
    move |error| DeviceError::other(format!("{name}: {error}"))
}

/// Bytes of memory that the process may take even where little is free.
const LEAST_MEMORY: u64 = 2 << 30;
/// Bytes that it may write, matrices and compiled kernels together.
const MOST_ON_DISK: u64 = 4 << 30;
/// Variables that choose the compiler.
const OF_COMPILER: [&str; 2] = [COMPILER_VARIABLE, "CXX"];
/// How many bytes of a text in an answer are kept: enough for a compiler's first errors.
const MOST_OF_TEXT: usize = 2000;

/// Bytes of memory that a process started now may take.
pub fn most_memory() -> u64 {
    available_memory().map_or(u64::MAX, |free| (free / 2).max(LEAST_MEMORY)).min(64 << 30)
}

/// A running process for user kernels.
pub struct KernelProcess {
    /// Whose kernels it runs, for messages.
    of: String,
    process: SandboxedProcess,
    pub folder: Scratch,
}

impl KernelProcess {
    /// Starts this program as such a process.
    ///
    /// # Errors
    /// When the system does not let it be started so.
    pub fn start(of: &str) -> Result<Self, DeviceError> {
        let failed = |reason| {
            DeviceError::unavailable(format!("{of} cannot be run in a process of its own: {reason}"))
        };
        let folder = Scratch::new("kernel").map_err(|error| failed(error.to_string()))?;
        let limits = SandboxLimits {
            // Each request has a time limit of its own.
            wall: Duration::from_secs(24 * 3600),
            memory_bytes: most_memory(),
            folder_bytes: MOST_ON_DISK,
            folder_files: 10_000,
            // Counts of launches.
            stdout_bytes: 1 << 30,
            line_bytes: 256 << 20,
            ..SandboxLimits::default()
        };
        let compiler = |name: &str| Some((name.to_string(), variable(name)?.into_string().ok()?));
        let environment = OF_COMPILER.into_iter().filter_map(compiler).collect();
        // Without words the process serves by `serve_if_asked`.
        let command = SandboxCommand { words: Vec::new(), folder: folder.path().to_path_buf(), environment };
        let process =
            SandboxedProcess::spawn(&command, &limits).map_err(|report| failed(report.to_string()))?;
        Ok(Self { of: of.to_string(), process: process.resume(), folder })
    }

    /// What this system cannot keep the process from.
    pub fn lacks(&self) -> Vec<String> {
        self.process.protections.lacks()
    }

    /// Sends a request, one line of JSON, and waits for the answer, another line. Both begin with a random number, new for each request: a
    /// kernel that prints to standard output does not know it, so that it cannot forge an answer.
    ///
    /// # Errors
    /// The error that the process answers with, how it ended, or that it printed something that is no answer.
    pub fn ask<A: DeserializeOwned>(
        &mut self,
        ask: &ServerRequest,
        within: Duration,
    ) -> Result<A, DeviceError> {
        let ended = |how: &dyn Display| {
            DeviceError::other(format!("the process of {} {how}, and no finding says where", self.of))
        };
        let secret = RandomState::new().hash_one(());
        let line = serde_json::to_string(&(secret, ask)).map_err(|error| ended(&error))?;
        let answer = self.process.exchange(&line, within).map_err(|report| ended(&report.cause))?;
        // The number is compared before the JSON is parsed: what a kernel prints may take much memory to parse.
        let own = answer.strip_prefix(&format!("[{secret},")).and_then(|rest| rest.strip_suffix(']'));
        let answer = own.and_then(|answer| serde_json::from_str(answer).ok());
        let answer = answer.and_then(|answer| serde_json::from_value(clean(answer)).ok());
        let answer: Result<A, DeviceError> = answer.ok_or_else(|| ended(&"printed what is no answer"))?;
        answer.map_err(|DeviceError { kind, message }| {
            // What a user kernel did to its own process is no loss of this one's device.
            let kind = if kind == FailureKind::Lost { FailureKind::Other } else { kind };
            DeviceError { kind, message }
        })
    }
}

/// An answer with no text that a terminal obeys: a kernel may have written any of it.
fn clean(answer: Value) -> Value {
    match answer {
        Value::String(text) => foreign_text(&text, MOST_OF_TEXT).into(),
        Value::Array(all) => all.into_iter().map(clean).collect(),
        Value::Object(all) => all.into_iter().map(|(name, value)| (name, clean(value))).collect(),
        other => other,
    }
}
