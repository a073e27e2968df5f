//! The process that runs user kernels: it has no reference and nothing else of a run, and is held within limits by whoever started it.

use super::check::launch;
use super::file::implementation;
use super::messages::{Ask, CACHE, DISTANCES, GRAPH, Solved, on_file};
use repro_device::emulated::{EmulatedDevice, Options};
use repro_device::{Device, DeviceError};
use repro_files::{read_whole, write_anew};
use repro_solvers::{Implementation, PreparedSolve, Problem};
use repro_timing::CountingClock;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Once;

/// Serves as a process for other people's code, or as what keeps one within its limits, where this process was started for that. To be called
/// first in `main`. None where it was not.
pub fn serve_if_asked() -> Option<ExitCode> {
    repro_confine::run_if_sandbox_child(|| {
        repro_files::report_size_limit();
        match serve() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        }
    })
}

/// Answers until its input closes.
fn serve() -> io::Result<()> {
    let mut server = None;
    for line in io::stdin().lock().lines() {
        let (secret, ask): (u64, Ask) = serde_json::from_str(&line?)?;
        let answer = match ask {
            Ask::Check { job, instruments, order } => serde_json::to_value(launch(&job, instruments, order)),
            ask => serde_json::to_value(solve(&mut server, &ask)),
        };
        writeln!(io::stdout(), "{}", serde_json::to_string(&(secret, answer?))?)?;
    }
    Ok(())
}

/// From here on code of a kernel may run in this process, and nothing else is executed, no compiler either. Where the system cannot refuse that,
/// [`Protections`](repro_confine::Protections) say that it refuses nothing.
pub fn refuse_programs() {
    static ONCE: Once = Once::new();
    ONCE.call_once(repro_confine::refuse_programs);
}

/// What runs the kernels of one file.
struct KernelServer {
    // Fields are dropped in this order: what lives on the device goes before it.
    prepared: Option<(Problem, Box<dyn PreparedSolve>)>,
    implementation: Implementation,
    device: Rc<EmulatedDevice>,
    /// `device` again, as solvers take it.
    devices: [Rc<dyn Device>; 1],
}

fn solve(server: &mut Option<KernelServer>, ask: &Ask) -> Result<Solved, DeviceError> {
    if let Ask::Begin { given, device, element, parameters } = ask {
        let implementation = implementation(given).map_err(|error| DeviceError::other(error.to_string()))?;
        let options = Options {
            capability: device.capability,
            seed: device.order,
            cache: CACHE.into(),
            ..Options::new(device.instruments)
        };
        let device = Rc::new(EmulatedDevice::open_with(0, options)?);
        let devices: [Rc<dyn Device>; 1] = [device.clone()];
        implementation.solver.load(*element, &devices, parameters)?;
        *server = Some(KernelServer { prepared: None, implementation, devices, device });
        return Ok(Solved::default());
    }
    let early = || DeviceError::other("internal error: asked before Begin");
    server.as_mut().ok_or_else(early)?.answer(ask)
}

impl KernelServer {
    fn answer(&mut self, ask: &Ask) -> Result<Solved, DeviceError> {
        let Ask::Prepare { n, element, weights, parameters } = ask else { return self.solve() };
        self.prepared = None;
        let problem = Problem::one(*n, *element, *weights);
        self.implementation.check(parameters).map_err(DeviceError::other)?;
        let solver = &self.implementation.solver;
        let prepared = solver.prepare(&problem, &self.devices, parameters)?;
        self.prepared = Some((problem, prepared));
        Ok(Solved::default())
    }

    fn solve(&mut self) -> Result<Solved, DeviceError> {
        let early = || DeviceError::other("internal error: request Solve arrived before Prepare");
        let (problem, prepared) = self.prepared.as_mut().ok_or_else(early)?;
        let bytes = problem.matrix_bytes();
        let (mut input, mut output) = (self.device.allocate_host(bytes)?, self.device.allocate_host(bytes)?);
        read_whole(Path::new(GRAPH), &mut input.numbers_mut::<u8>()[..bytes])
            .map_err(|error| on_file(GRAPH, &error))?;
        output.numbers_mut::<u8>().fill(0xff);
        let mut clock = CountingClock::new(&self.devices);
        refuse_programs();
        prepared.run(&input, &mut output, &mut clock)?;
        let findings = self.device.take_findings();
        // What stopped a launch and is no finding.
        prepared.collect()?;
        write_anew(Path::new(DISTANCES), &output.numbers::<u8>()[..bytes])
            .map_err(|error| on_file(DISTANCES, &error))?;
        Ok(Solved { launches: clock.take(), findings })
    }
}
