//! The process that runs user kernels: it has no reference and nothing else of a run, and is held within limits by whoever started it.

use super::messages::{Ask, CACHE, DISTANCES, Emulated, GRAPH, Solved, on_file};
use super::process::answer_each;
use repro_device::emulated::{EmulatedDevice, Options};
use repro_device::{Device, DeviceError};
use repro_files::{read_whole, write_anew};
use repro_solvers::{Implementation, Machine, Output, Prepared, Problem};
use repro_timing::CountingClock;
use std::io;
use std::path::Path;
use std::rc::Rc;

/// The argument that makes this program such a process; no subcommand, since people have no use for it.
pub const RUN_EXTERNAL: &str = "run-external";

/// Answers until its input closes.
///
/// # Errors
/// When its input or output fails.
pub fn serve() -> io::Result<()> {
    let mut inside = None;
    answer_each(|ask| match ask {
        Ask::Begin { given, device } => given
            .implementation()
            .map_err(|error| DeviceError::other(error.to_string()))
            .and_then(|implementation| Inside::open(implementation, device))
            .map(|opened| {
                inside = Some(opened);
                Solved::default()
            }),
        ask => inside
            .as_mut()
            .ok_or_else(|| DeviceError::other("asked to solve before it was told what"))
            .and_then(|inside| inside.answer(&ask)),
    })
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
            Ask::Begin { .. } => Err(DeviceError::other("asked to begin twice")),
            Ask::Load { element, parameters } => {
                let machine = Machine::of(&self.devices);
                self.implementation.method.load(*element, machine, parameters)?;
                Ok(Solved::default())
            }
            Ask::Prepare { n, element, weights, parameters } => {
                self.prepared = None;
                let (n, element, weights) = (*n, *element, *weights);
                let problem = Problem { n, element, weights, output: Output::Distances };
                self.implementation.check(parameters).map_err(DeviceError::other)?;
                let machine = Machine::of(&self.devices);
                let prepared = self.implementation.method.prepare(&problem, machine, parameters)?;
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
        prepared.run(&input, &mut output, &mut clock)?;
        let findings = self.device.take_findings();
        // What stopped a launch and is no finding.
        prepared.collect()?;
        write_anew(Path::new(DISTANCES), &output.numbers::<u8>()[..bytes])
            .map_err(|error| on_file(DISTANCES, &error))?;
        Ok(Solved { launches: clock.take(), findings })
    }
}
