//! A time with the interval that it lies in, and what is reckoned with it.

use crate::plot::{Facts, Point};
use crate::results::SummaryRow;

/// A time with the interval that it lies in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time {
    pub median: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
    pub facts: Facts,
}

/// The median of the kernel scope.
pub fn kernel_time(row: &SummaryRow) -> Option<Time> {
    let facts = facts(row, row.samples);
    row.median_s.map(|median| Time { median, low: row.ci_low_s, high: row.ci_high_s, facts })
}

pub(super) fn facts(row: &SummaryRow, samples: usize) -> Facts {
    Facts { samples: Some(samples), estimated: row.estimated().is_some(), ..Facts::default() }
}

/// The mean of all, with an interval that holds those of all.
pub(super) fn mean(times: &[Time]) -> Option<Time> {
    let count = times.len() as f64;
    let median = times.iter().map(|time| time.median).sum::<f64>() / count;
    let low = times.iter().map(|time| time.low).collect::<Option<Vec<f64>>>();
    let high = times.iter().map(|time| time.high).collect::<Option<Vec<f64>>>();
    let facts = times.iter().map(|time| time.facts).reduce(Facts::with)?;
    Some(Time {
        median,
        low: low.and_then(|all| all.into_iter().reduce(f64::min)),
        high: high.and_then(|all| all.into_iter().reduce(f64::max)),
        facts,
    })
}

/// The ratio of two times, as wide as both intervals allow.
pub fn over(above: Time, below: Time) -> Time {
    Time {
        facts: above.facts.with(below.facts),
        median: above.median / below.median,
        low: above.low.zip(below.high).map(|(low, high)| low / high),
        high: above.high.zip(below.low).filter(|(_, low)| *low > 0.0).map(|(high, low)| high / low),
    }
}

impl Time {
    /// A number that is known without doubt.
    pub fn exact(value: f64) -> Self {
        Self { median: value, low: Some(value), high: Some(value), facts: Facts::default() }
    }

    /// `amount` over the time: more of it is less, and so low and high change places.
    pub fn rate(self, amount: f64) -> Self {
        over(Self::exact(amount), self)
    }

    pub fn times(self, factor: f64) -> Self {
        let times = |value: f64| value * factor;
        let Self { median, low, high, facts } = self;
        Self { median: times(median), low: low.map(times), high: high.map(times), facts }
    }

    /// On a figure at `x`: mostly n.
    pub fn at(self, x: f64) -> Point {
        Point { x, y: self.median, low: self.low, high: self.high, facts: self.facts }
    }
}
