//! What every clock said of the same work: the timer pitfall, what follows from it, and what stands beside the kernels.

mod copies;
mod figure;
mod sentences;
mod table;
#[cfg(test)]
mod tests;

pub use copies::figures as copies;
pub use figure::figures;
pub use sentences::sentences;
pub use table::tables;

use crate::lists::{distinct, extremes};
use crate::plot::{Mark, Point, Series, SeriesStyle, Stroke};
use crate::results::{Pitfall, least};
use crate::show::{Column, Context, Time, over};
use crate::timing::{Estimate, Scope};

/// With what the paper compares: one core.
const BASELINE: &str = "cpu-naive";

/// What the clocks said of an implementation with its parameters, as far as they were read.
#[derive(Clone, Copy)]
pub struct Clocks<'a> {
    context: &'a Context<'a>,
    column: &'a Column,
    /// Add + min in registers here, tasks/s.
    peak: Option<f64>,
}

impl<'a> Clocks<'a> {
    pub fn of(context: &'a Context, column: &'a Column) -> Self {
        let peak = context.device().map(|device| device.add_min_tasks_per_s);
        Self { context, column, peak }
    }

    /// Of every implementation that was read by the clock that does not wait, with the parameters that the experiment names first.
    fn every(context: &'a Context) -> Vec<Self> {
        let all = context.columns.iter().map(|column| Self::of(context, column));
        let read: Vec<Self> = all.filter(|clocks| !clocks.sizes().is_empty()).collect();
        let names = distinct(read.iter().map(|clocks| clocks.name()));
        names.iter().filter_map(|name| read.iter().find(|clocks| clocks.name() == *name).copied()).collect()
    }

    fn name(&self) -> &'a str {
        &self.column.implementation
    }

    /// All sizes that the clock without synchronization was read at.
    pub fn sizes(&self) -> Vec<usize> {
        let read = |n: &usize| self.at(*n, Scope::HostUnsynced).is_some();
        self.context.sizes().into_iter().filter(read).collect()
    }

    fn at(&self, n: usize, scope: Scope) -> Option<Time> {
        self.context.at(self.column, n, scope)
    }

    fn seconds(&self, n: usize, scope: Scope) -> Option<f64> {
        Some(self.at(n, scope)?.median)
    }

    /// How many times as fast as one core this clock says that it is.
    fn speedup(&self, n: usize, scope: Scope) -> Option<Time> {
        Some(over(self.context.time(self.context.of(BASELINE)?, n)?, self.at(n, scope)?))
    }

    /// What the clock that does not wait says at n, beside those that do.
    fn pitfall(&self, n: usize) -> Option<Pitfall> {
        Pitfall::of(|scope| self.seconds(n, scope).map(Estimate::exact))
    }

    fn pitfalls(&self) -> Vec<(usize, Pitfall)> {
        self.sizes().into_iter().filter_map(|n| Some((n, self.pitfall(n)?))).collect()
    }

    /// Where the clock that does not wait reads least of the truth: n and its share of it.
    fn deepest(&self) -> Option<(usize, f64)> {
        least(&self.pitfalls())
    }

    /// The tasks a second that a clock implies.
    fn implied(&self, n: usize, scope: Scope) -> Option<f64> {
        Some((n as f64).powi(3) / self.seconds(n, scope)?)
    }

    /// Those tasks a second over what adds and minima in registers reach here.
    fn of_peak(&self, n: usize, scope: Scope) -> Option<f64> {
        Some(self.implied(n, scope)? / self.peak?)
    }
}

/// How the times of two compare by one clock, at each n where both have one.
struct Compared {
    ratios: Vec<(usize, Time)>,
    least: (usize, f64),
    most: (usize, f64),
}

impl Compared {
    fn of(slower: Clocks, faster: Clocks, scope: Scope) -> Option<Self> {
        let ratio = |n: usize| Some((n, over(slower.at(n, scope)?, faster.at(n, scope)?)));
        let ratios: Vec<(usize, Time)> = slower.sizes().into_iter().filter_map(ratio).collect();
        let medians: Vec<(usize, f64)> = ratios.iter().map(|(n, time)| (*n, time.median)).collect();
        let (least, most) = extremes(&medians)?;
        Some(Self { ratios, least, most })
    }

    fn range(&self) -> String {
        let Self { least, most, .. } = self;
        format!("{:.3} (n = {}) to {:.3} (n = {})", least.1, least.0, most.1, most.0)
    }

    fn longer(&self) -> String {
        let longer = self.ratios.iter().filter(|(_, ratio)| ratio.median > 1.0).count();
        format!("longer at {longer} of {} sizes", self.ratios.len())
    }
}

/// A line with its labels wide and narrow; one whose marks are open is dashed.
pub fn line(label: &str, short: &str, points: Vec<Point>, looks: SeriesStyle, filled: bool) -> Series {
    Series {
        short: Some(short.into()),
        mark: Some(Mark { shape: looks.shape, filled }),
        stroke: if filled { Stroke::Solid } else { Stroke::Dashed },
        ..Series::new(label, points, looks)
    }
}
