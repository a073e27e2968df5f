//! The process that runs user kernels: it has no reference and nothing else of a run, and is held within limits by whoever started it.

use super::check::launch;
use super::file::implementation;
use super::messages::{Ask, CACHE, DISTANCES, Emulated, GRAPH, Solved, on_file};
use super::process::{answer_each, refuse_programs};
use repro_device::emulated::{EmulatedDevice, Options};
use repro_device::{Device, DeviceError};
use repro_files::{read_whole, write_anew};
use repro_solvers::{Implementation, Machine, Prepared, Problem};
use repro_timing::CountingClock;
use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

/// The argument that makes this program such a process; no subcommand, since people have no use for it.
pub const RUN_EXTERNAL: &str = "run-external";

/// Serves as a process for other people's code, or as what keeps one within its limits, where this process was started for that. To be called
/// first in `main`. None where it was not.
pub fn serve_if_asked() -> Option<ExitCode> {
    let keeps = repro_confine::serve_if_asked();
    if keeps.is_some() || std::env::args_os().nth(1).is_none_or(|argument| argument != RUN_EXTERNAL) {
        return keeps;
    }
    repro_files::report_size_limit();
    Some(match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    })
}

/// Answers until its input closes.
fn serve() -> io::Result<()> {
    let mut inside = None;
    answer_each(|ask| match ask {
        Ask::Check { checked, instruments, order } => {
            serde_json::to_value(launch(&checked, instruments, order))
        }
        ask => serde_json::to_value(solve(&mut inside, &ask)),
    })
}

fn solve(inside: &mut Option<Inside>, ask: &Ask) -> Result<Solved, DeviceError> {
    match ask {
        Ask::Begin { given, device } => implementation(given)
            .map_err(|error| DeviceError::other(error.to_string()))
            .and_then(|implementation| Inside::open(implementation, *device))
            .map(|opened| {
                *inside = Some(opened);
                Solved::default()
            }),
        ask => inside
            .as_mut()
            .ok_or_else(|| DeviceError::other("asked to solve before it was told what"))
            .and_then(|inside| inside.answer(ask)),
    }
}

struct Inside {
    // Fields are dropped in this order: what lives on the device goes before it.
    prepared: Option<(Problem, Box<dyn Prepared>)>,
    implementation: Implementation,
    device: Rc<EmulatedDevice>,
    /// `device` again, as solvers take it.
    devices: [Rc<dyn Device>; 1],
}

impl Inside {
    fn open(implementation: Implementation, device: Emulated) -> Result<Self, DeviceError> {
        let options = Options {
            capability: device.capability,
            seed: device.order,
            cache: CACHE.into(),
            ..Options::new(device.instruments)
        };
        let device = Rc::new(EmulatedDevice::open_with(0, options)?);
        Ok(Self { prepared: None, implementation, devices: [device.clone()], device })
    }

    fn answer(&mut self, ask: &Ask) -> Result<Solved, DeviceError> {
        match ask {
            Ask::Begin { .. } | Ask::Check { .. } => Err(DeviceError::other("asked to begin twice")),
            Ask::Load { element, parameters } => {
                let machine = Machine::of(&self.devices);
                self.implementation.solver.load(*element, machine, parameters)?;
                Ok(Solved::default())
            }
            Ask::Prepare { n, element, weights, parameters } => {
                self.prepared = None;
                let (n, element, weights) = (*n, *element, *weights);
                let problem = Problem::one(n, element, weights);
                self.implementation.check(parameters).map_err(DeviceError::other)?;
                let machine = Machine::of(&self.devices);
                let prepared = self.implementation.solver.prepare(&problem, machine, parameters)?;
                self.prepared = Some((problem, prepared));
                Ok(Solved::default())
            }
            Ask::Solve => self.solve(),
        }
    }

    fn solve(&mut self) -> Result<Solved, DeviceError> {
        let nothing = || DeviceError::other("asked to solve what was not prepared");
        let (problem, prepared) = self.prepared.as_mut().ok_or_else(nothing)?;
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
