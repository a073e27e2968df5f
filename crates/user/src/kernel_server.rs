//! The process that runs user kernels: it has no reference and nothing else of a run, and is held within limits by whoever started it.

use super::check::{CheckJob, KernelArgument, LaunchReport, MOST_PRINTED, fill};
use super::file::implementation;
use super::process::{
    DISTANCES, EmulatedDeviceSpec, GRAPH, LoadJob, ServerRequest, SolveCounts, most_memory, on_file,
};
use crate::confine::{read_whole, write_anew};
use repro_device::emulated::EmulatedDevice;
use repro_device::{Device, DeviceError};
use repro_emulator::{ArgumentValue, Emulator, Launch, Options, PackedArguments, Source};
use repro_graph::{WeightRange, available_memory};
use repro_solvers::{Implementation, PreparedSolve, Problem};
use repro_timing::CountingClock;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

/// If this process was started as a sandbox for other people's code, or as the supervisor of one, does that work and returns its exit code.
/// To be called first in `main`. None in every other process.
pub fn serve_if_asked() -> Option<ExitCode> {
    crate::confine::run_if_sandbox_child(|| {
        repro_base::files::report_size_limit();
        let served = serve().inspect_err(|error| eprintln!("error: {error}"));
        if served.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    })
}

/// Answers until its input closes.
fn serve() -> io::Result<()> {
    let mut server = None;
    for line in io::stdin().lock().lines() {
        let (secret, ask): (u64, ServerRequest) = serde_json::from_str(&line?)?;
        let answer = match ask {
            ServerRequest::Load(job) => {
                let loaded = KernelServer::load(*job).map(|loaded| server = Some(loaded));
                serde_json::to_string(&(secret, loaded))
            }
            ServerRequest::Solve { n, weights, run } => {
                let early = || io::Error::other("internal error: asked to solve before it has loaded");
                let server = server.as_mut().ok_or_else(early)?;
                serde_json::to_string(&(secret, server.solve(n, weights, run)))
            }
            ServerRequest::Kernels(job, device) => {
                let found = Emulator::open(device.options()).and_then(|it| it.kernels(&source(&job)));
                serde_json::to_string(&(secret, found.map_err(DeviceError::from)))
            }
            ServerRequest::Check(job, device) => {
                let launched = launch(&job, device).map_err(|error| DeviceError::other(error.to_string()));
                serde_json::to_string(&(secret, launched))
            }
        };
        writeln!(io::stdout(), "{}", answer?)?;
    }
    Ok(())
}

/// Refuses from here on to execute any program, a compiler too, since code of a kernel may run in this process now. Where the system
/// cannot refuse that, [`Protections`](crate::confine::Protections) say so.
fn refuse_programs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(crate::confine::refuse_programs);
}

/// What runs the kernels of one file.
struct KernelServer {
    // Fields are dropped in this order: what lives on the device goes before it.
    prepared: Option<(Problem, Box<dyn PreparedSolve>)>,
    implementation: Implementation,
    job: LoadJob,
    device: Rc<EmulatedDevice>,
}

impl KernelServer {
    fn load(job: LoadJob) -> Result<Self, DeviceError> {
        let implementation =
            implementation(&job.given).map_err(|error| DeviceError::other(error.to_string()))?;
        implementation.check(&job.parameters).map_err(DeviceError::other)?;
        let device = Rc::new(EmulatedDevice::open_with(0, job.device.options())?);
        implementation.solver.load(job.element, &[device.clone() as Rc<dyn Device>], &job.parameters)?;
        Ok(Self { prepared: None, implementation, job, device })
    }

    /// Solves a problem or, if `run` is false, only prepares it. What was prepared last is used again if it is for the same problem.
    fn solve(&mut self, n: usize, weights: WeightRange, run: bool) -> Result<SolveCounts, DeviceError> {
        let devices: [Rc<dyn Device>; 1] = [self.device.clone()];
        let problem = Problem::one(n, self.job.element, weights);
        // What was prepared for another problem is dropped before memory is taken: the next matrix then has the same address, and a kernel
        // that keeps a result by its address gives itself away.
        let kept = self.prepared.take().filter(|(known, _)| *known == problem);
        let prepared = match kept {
            Some((_, prepared)) => prepared,
            None => self.implementation.solver.prepare(&problem, &devices, &self.job.parameters)?,
        };
        let (_, prepared) = self.prepared.insert((problem, prepared));
        if !run {
            return Ok(SolveCounts::default());
        }
        let bytes = problem.matrix_bytes();
        let (mut input, mut output) = (self.device.allocate_host(bytes)?, self.device.allocate_host(bytes)?);
        read_whole(Path::new(GRAPH), &mut input.numbers_mut::<u8>()[..bytes]).map_err(on_file(GRAPH))?;
        output.numbers_mut::<u8>().fill(0xff);
        let mut clock = CountingClock::new(&devices);
        refuse_programs();
        prepared.run(&input, &mut output, &mut clock)?;
        let findings = self.device.take_findings();
        // What stopped a launch and is no finding.
        prepared.collect()?;
        write_anew(Path::new(DISTANCES), &output.numbers::<u8>()[..bytes]).map_err(on_file(DISTANCES))?;
        Ok(SolveCounts { launches: clock.take(), findings })
    }
}

/// What kernels printed since it was last taken. Standard output is for answers.
static PRINTED: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn keep_printed(text: &[u8]) {
    let mut printed = PRINTED.lock().unwrap_or_else(PoisonError::into_inner);
    let room = MOST_PRINTED.saturating_sub(printed.len());
    printed.extend_from_slice(&text[..text.len().min(room)]);
}

fn source(job: &CheckJob) -> Source<'_> {
    Source {
        headers: job.headers.clone(),
        defines: job.args.define.clone(),
        architecture_specific: job.args.specific,
        whole: true,
        ..Source::new(&*job.file, &*job.text)
    }
}

/// Launches the kernel on a device of its own with fresh buffers.
///
/// # Errors
/// Why it cannot be compiled or launched.
fn launch(job: &CheckJob, device: EmulatedDeviceSpec) -> Result<LaunchReport, Box<dyn Error>> {
    let args = &job.args;
    let emulator = Emulator::open(Options {
        time_limit: Some(Duration::from_secs(args.time_limit)),
        print: keep_printed,
        ..device.options()
    })?;
    let bytes = args.arguments.iter().map(KernelArgument::buffer_bytes).fold(0, u64::saturating_add);
    let needed = bytes.saturating_mul(emulator.host_bytes_a_byte());
    let free = available_memory().unwrap_or(u64::MAX).min(most_memory());
    if needed > free {
        let problem = format!(
            "--args: buffers of {bytes} bytes need {needed} of the host's memory to be checked, and {free} are free: make them smaller"
        );
        return Err(problem.into());
    }
    let kernels = emulator.load(&source(job), &[job.kernel()])?;
    let (kernel, stream) = (&kernels[0], emulator.stream());
    for (number, (given, parameter)) in args.arguments.iter().zip(kernel.parameter_bytes()).enumerate() {
        given.check(number + 1, *parameter)?;
    }
    let filled = |number: usize| fill(device.order) + 2 * number as u64;
    let numbered = args.arguments.iter().enumerate();
    let placed = numbered.map(|(number, given)| given.placed(&emulator, &stream, filled(number)));
    let placed = placed.collect::<Result<Vec<_>, _>>()?;
    let packed: Vec<_> = placed.iter().map(|(bytes, _)| ArgumentValue::Struct(bytes)).collect();
    let launch = Launch {
        dynamic_shared_bytes: args.dynamic,
        cluster: args.cluster,
        ..Launch::new(args.grid, args.block)
    };
    refuse_programs();
    // SAFETY: whoever asks for the check wants this code to be run. What it does outside of its memory, the checker stops, and what
    // the checker does not see is within the limits of this process.
    unsafe { stream.launch(kernel, launch, &PackedArguments::new(&packed))? };
    let findings = emulator.take_findings();
    // What stopped a launch and is no finding.
    stream.synchronize()?;
    Ok(LaunchReport {
        findings,
        counts: emulator.take_counts().first().map(|launch| launch.counts),
        printed: std::mem::take(&mut *PRINTED.lock().unwrap_or_else(PoisonError::into_inner)),
        unseen: kernel.called().to_vec(),
    })
}
