//! What a run reports while it goes on, as values: whoever shows it makes the words.

use crate::store::{Derived, Journal, Side, Status};
use repro_base::CellId;
use std::path::Path;

/// Who sees a run while it goes on, and makes of its records what is written next to them.
pub trait RunObserver {
    /// Something worth reading happened, in one run of a pair.
    fn event(&mut self, side: Option<Side>, event: Event);
    /// What is being done in one run of a pair, and how far both are.
    fn activity(&mut self, side: Option<Side>, activity: Activity, progress: RunProgress);
    /// What follows from the records so far, for the cells of `cells`.
    fn derived(&self, journal: &Journal, cells: &[CellId]) -> Derived;
}

/// How far runs are.
#[derive(Clone, Copy, Default)]
pub struct RunProgress {
    /// Cells that are done.
    pub done: usize,
    /// All cells.
    pub of: usize,
    /// How many seconds the rest may take, if that is known.
    pub remaining_s: Option<f64>,
}

/// What happened.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// Clocks, power and temperature cannot be read, for this reason.
    NoTelemetry(&'a str),
    /// What a kill had torn at the end of `samples.csv` was cut off and is kept here.
    Salvaged(&'a Path),
    /// The workers of a pair are not on quite the same machine.
    PairDiffers(&'a str),
    Cell(&'a CellId, CellEvent<'a>),
}

/// What happened to a cell.
#[derive(Clone, Copy)]
pub enum CellEvent<'a> {
    /// It has its samples.
    Measured(&'a Journal),
    /// A sample was faster than the machine's ceilings allow.
    Impossible(&'a str),
    Ended(Status, &'a str),
    /// Others use the host when it is begun, as a share of the time of its cores.
    BusyBefore(f64),
    /// It cannot be repeated without the host.
    NotRepeatable,
    /// It is right and counted.
    Counted,
    DistancesStored(&'a Path),
    DistancesExist(&'a Path),
    /// It was measured before its distances were asked for.
    DistancesGone,
}

/// What is being done.
#[derive(Clone, Copy)]
pub enum Activity<'a> {
    Opening,
    Ceilings,
    /// A graph of so many vertices and of this name, with its reference.
    Graph(usize, &'a str),
    WarmingUp(&'a CellId),
    /// Its sample of this number, from 1.
    Sampling(&'a CellId, usize),
    /// On the emulated device.
    Counting(&'a CellId),
    /// What is measured of a cell once it has its samples.
    Further(&'a CellId),
    StoringDistances(&'a CellId),
}
