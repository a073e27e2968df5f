//! What a worker process holds between requests, and how it answers them.

mod matrix;

use crate::cluster::Processes;
use crate::device::Selection;
use crate::device::emulated::{EmulatedDevice, Instruments, Options};
use crate::graph::ElementType;
use crate::measure::hardware::{self, Hardware};
use crate::plan::Variant;
use crate::protocol::{Failure, FailureCause, GraphRequest, Introduced, Reply, Request, Unknown};
use crate::sharded::Team;
use crate::store::Build;
use matrix::Matrix;
use std::sync::Arc;

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Dropped first: what solves the matrix lives on devices.
    matrix: Option<Matrix>,
    on: Hardware,
}

impl Session {
    /// One that answers together with others that a launcher started, all of which are asked the same.
    pub fn of_processes(processes: Arc<Processes>) -> Self {
        Self { matrix: None, on: Hardware::of(Team::of(processes)) }
    }

    /// Frees what it has on devices.
    pub fn release(&mut self) {
        self.matrix = None;
    }

    /// Answers one request. A failure is a reply like any other. Of several processes the reply is that of all, and the same in each.
    pub fn answer(&mut self, request: &Request) -> Reply {
        if *request == Request::Leave {
            // The others are gone.
            return Reply::Right;
        }
        let own = self.answer_alone(request).unwrap_or_else(Reply::Failed);
        self.on.team.answer(own, self.matrix.as_mut().and_then(Matrix::sharded))
    }

    /// What this process has to answer.
    fn answer_alone(&mut self, request: &Request) -> Result<Reply, Failure> {
        Ok(match request {
            // The process does this.
            Request::Register { .. } | Request::Leave => Reply::Right,
            Request::Introduce { variants } => introduce(variants),
            Request::Open { device, variants, elements, instruments, order } => {
                self.release();
                let options = Options { seed: *order, ..EmulatedDevice::usual_options(*instruments) };
                Reply::Opened(Box::new(self.on.open(device, variants, elements, options)?))
            }
            Request::MeasureCeilings { elements } => Reply::Ceilings(self.on.measure_ceilings(elements)?),
            Request::LoadGraph { graph } => {
                self.load(graph)?;
                Reply::GraphReady
            }
            Request::Prepare { variant, warm_up_s } => {
                let (matrix, on) = self.loaded()?;
                matrix.prepare(on, variant, *warm_up_s)?
            }
            Request::Sample { variant, clocks, fresh } => {
                let (matrix, on) = self.loaded()?;
                Reply::Sampled(Box::new(matrix.sample(on, variant, *clocks, *fresh)?))
            }
            Request::TimeKernels { variant, solves } => {
                let (matrix, on) = self.loaded()?;
                Reply::KernelTimes { kernels: matrix.whole()?.time_kernels(on, variant, *solves)? }
            }
            Request::CountBeside { variant, graph } => {
                self.open_device(Selection::Emulated(None), Instruments::ALL);
                let (matrix, on) = self.load(graph)?;
                Reply::Counted(Box::new(matrix.count(on, variant)?))
            }
            Request::FirstRun { device, variant, graph } => {
                // With no variant nothing is loaded, nor is an emulated device opened: there is no clock on one.
                self.open_device(hardware::parse(device)?, Instruments::NONE);
                self.on.open_for(variant)?;
                let (matrix, on) = self.load(graph)?;
                Reply::Sampled(Box::new(matrix.whole()?.first_run(on, variant)?))
            }
            Request::Repeat { variant, rule } => {
                let (matrix, on) = self.loaded()?;
                Reply::Repeated { repeated: matrix.whole()?.repeat(on, variant, *rule)? }
            }
            Request::Check { variant } => {
                let (matrix, on) = self.loaded()?;
                matrix.check(on, variant)?;
                Reply::Right
            }
            Request::Count { variant } => {
                let (matrix, on) = self.loaded()?;
                Reply::Counted(Box::new(matrix.count(on, variant)?))
            }
            Request::StoreDistances { variant, path } => {
                let (matrix, on) = self.loaded()?;
                matrix.store_distances(on, variant, path)?;
                Reply::Right
            }
            Request::TryFolder { folder } => {
                self.on.team.try_folder(folder)?;
                Reply::Right
            }
        })
    }

    fn open_device(&mut self, selection: Selection, instruments: Instruments) {
        self.release();
        self.on.open_device(selection, EmulatedDevice::usual_options(instruments));
    }

    /// Makes the graph. Everything of the last one goes before it comes.
    fn load(&mut self, graph: &GraphRequest) -> Result<(&mut Matrix, &mut Hardware), Failure> {
        self.release();
        let matrix = Matrix::load(&self.on, graph)?;
        Ok((self.matrix.insert(matrix), &mut self.on))
    }

    fn loaded(&mut self) -> Result<(&mut Matrix, &mut Hardware), Failure> {
        let no_graph = || Failure::new(FailureCause::Other, "asked to solve before a graph was loaded");
        Ok((self.matrix.as_mut().ok_or_else(no_graph)?, &mut self.on))
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
    Reply::Introduced(Introduced { build: Build::current(), elements: ElementType::ALL.to_vec(), unknown })
}
