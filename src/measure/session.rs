//! What a worker process holds between requests, and how it answers them.

use crate::device::Selection;
use crate::device::emulated::{EmulatedDevice, Instruments, Options};
use crate::distributed::team::Team;
use crate::graph::ElementType;
use crate::measure::hardware::{self, Hardware};
use crate::measure::sharded::{self, ShardedMatrix};
use crate::measure::this_build;
use crate::measure::whole::WholeMatrix;
use crate::plan::Variant;
use crate::protocol::{Failure, GraphRequest, Introduced, Reply, Request, Result, Unknown};
use std::rc::Rc;

/// A graph with what solves it. Either answers what is asked of a variant and the matrix.
enum Matrix {
    /// In the memory of this process.
    Whole(Box<WholeMatrix>),
    /// On devices of this process and of others, where no memory holds all of it.
    Sharded(Box<ShardedMatrix>),
}

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Dropped first: what solves the matrix lives on devices.
    matrix: Option<Matrix>,
    on: Hardware,
}

impl Session {
    /// One that answers together with all of a team, which are asked the same.
    pub fn of(team: Rc<Team>) -> Self {
        Self { matrix: None, on: Hardware::of(team) }
    }

    /// Frees what it has on devices.
    fn release(&mut self) {
        self.matrix = None;
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
        let sharded = match &mut self.matrix {
            Some(Matrix::Sharded(matrix)) => Some(&mut **matrix),
            _ => None,
        };
        sharded::answer(&self.on.team, own, sharded)
    }

    /// What this process has to answer.
    fn answer_alone(&mut self, request: &Request) -> Result<Reply> {
        Ok(match request {
            // The process does this.
            Request::Register { .. } | Request::Leave => Reply::Right,
            Request::Introduce { variants } => introduce(variants),
            Request::Open(opening) => {
                self.release();
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
                let selection = device.as_deref().map_or(Ok(Selection::Emulated(None)), hardware::parse)?;
                self.release();
                // Beside a GPU it is asked for counts. Looking for races takes five times as long, and is for whoever asks for this device.
                let instruments = if device.is_some() { Instruments::ALL } else { Instruments::COUNT };
                let usual = EmulatedDevice::usual_options(instruments);
                self.on.open_device(selection, Options { seed: *order, ..usual });
                self.load(graph)?;
                self.solve(variant, request)?
            }
            Request::FirstRun { device, variant, graph } => {
                // With no variant nothing is loaded, nor is an emulated device opened: there is no clock on one.
                self.open_device(hardware::parse(device)?, Instruments::NONE);
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

    fn open_device(&mut self, selection: Selection, instruments: Instruments) {
        self.release();
        self.on.open_device(selection, EmulatedDevice::usual_options(instruments));
    }

    /// Makes the graph. Everything of the last one goes before it comes.
    fn load(&mut self, graph: &GraphRequest) -> Result<()> {
        self.release();
        self.matrix = Some(match graph.sharded {
            false => Matrix::Whole(Box::new(WholeMatrix::load(&self.on, graph)?)),
            true => Matrix::Sharded(Box::new(ShardedMatrix::load(graph)?)),
        });
        Ok(())
    }

    /// Does what is asked for with the variant and the matrix.
    fn solve(&mut self, variant: &Variant, request: &Request) -> Result<Reply> {
        match &mut self.matrix {
            Some(Matrix::Whole(matrix)) => matrix.answer(&mut self.on, variant, request),
            Some(Matrix::Sharded(matrix)) => matrix.answer(&self.on.share(variant), request),
            None => Err(Failure::other("asked to solve before a graph was loaded")),
        }
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
