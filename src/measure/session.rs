//! What a worker process holds between requests, and how it answers them.

use crate::device::emulated::Instruments;
use crate::distributed::team::Team;
use crate::graph::ElementType;
use crate::measure::hardware::{Hardware, Matrix};
use crate::measure::sharded::{ShardedMatrix, barrier};
use crate::measure::this_build;
use crate::measure::whole::WholeMatrix;
use crate::plan::Variant;
use crate::protocol::{Failure, GraphRequest, Introduced, Reply, Request, Result, Unknown};
use std::rc::Rc;

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Dropped first: what solves the matrix lives on devices.
    matrix: Option<Box<dyn Matrix>>,
    on: Hardware,
}

impl Session {
    /// One that answers together with all of a team, which are asked the same.
    pub fn of(team: Rc<Team>) -> Self {
        Self { matrix: None, on: Hardware::of(team) }
    }

    /// Answers one request. Of several processes the answer is that of all, and the same in each.
    ///
    /// # Errors
    /// Why what is asked for cannot be done.
    pub fn answer(&mut self, request: &Request) -> Result<Reply> {
        if *request == Request::Leave {
            return Ok(Reply::Right);
        }
        let own = self.answer_alone(request);
        barrier(&self.on.team, own)
    }

    /// What this process has to answer.
    fn answer_alone(&mut self, request: &Request) -> Result<Reply> {
        Ok(match request {
            // The process does this.
            Request::Register { .. } | Request::Leave => Reply::Right,
            Request::Introduce { variants } => introduce(variants),
            Request::Open(opening) => {
                self.matrix = None;
                Reply::Opened(Box::new(self.on.open(opening)?))
            }
            Request::MeasureCeilings { elements, load_latency } => {
                Reply::Ceilings(self.on.measure_ceilings(elements, *load_latency)?)
            }
            Request::LoadGraph(graph) => {
                self.load(graph)?;
                Reply::GraphReady
            }
            Request::CountBeside { variant, device, order, graph, .. } => {
                // Beside a GPU it is asked for counts. Looking for races takes five times as long, and is for whoever asks for this device.
                let instruments = if device.is_some() { Instruments::ALL } else { Instruments::COUNT };
                self.open_device(device.as_deref().unwrap_or("emulated"), instruments, *order)?;
                self.load(graph)?;
                self.solve(variant, request)?
            }
            Request::FirstRun { device, variant, graph } => {
                // With no variant nothing is loaded, nor is an emulated device opened: there is no clock on one.
                self.open_device(device, Instruments::NONE, 0)?;
                self.on.open_for(variant)?;
                self.load(graph)?;
                self.solve(variant, request)?
            }
            Request::Prepare { variant, .. }
            | Request::Sample { variant, .. }
            | Request::TimeKernels { variant, .. }
            | Request::Repeat { variant, .. }
            | Request::Check { variant }
            | Request::Count { variant, .. }
            | Request::StoreDistances { variant, .. } => self.solve(variant, request)?,
        })
    }

    fn open_device(&mut self, device: &str, instruments: Instruments, order: u64) -> Result<()> {
        self.matrix = None;
        self.on.open_device(device.parse().map_err(Failure::other)?, instruments, order);
        Ok(())
    }

    /// Makes the graph. Everything of the last one goes before it comes.
    fn load(&mut self, graph: &GraphRequest) -> Result<()> {
        self.matrix = None;
        let matrix: Box<dyn Matrix> = match graph.sharded {
            false => Box::new(WholeMatrix::load(&self.on, graph)?),
            true => Box::new(ShardedMatrix::load(graph)?),
        };
        self.matrix = Some(matrix);
        Ok(())
    }

    /// Does what is asked for with the variant and the matrix.
    fn solve(&mut self, variant: &Variant, request: &Request) -> Result<Reply> {
        let none = || Failure::other("asked to solve before a graph was loaded");
        self.matrix.as_mut().ok_or_else(none)?.answer(&mut self.on, variant, request)
    }
}

fn introduce(variants: &[Variant]) -> Reply {
    // A parameter that is not known would be passed over in silence, and something else measured than was asked for.
    let check = |variant: &Variant| {
        variant.known().map_err(|unknown| unknown.to_string())?.check(&variant.parameters)
    };
    let unknown = |variant: &Variant| {
        let reason = check(variant).err()?;
        Some(Unknown { variant: variant.clone(), reason })
    };
    let unknown = variants.iter().filter_map(unknown).collect();
    Reply::Introduced(Introduced { build: this_build(), elements: ElementType::ALL.to_vec(), unknown })
}
