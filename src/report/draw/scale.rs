//! Axes: where values and ticks are, as shares of a length, and how numbers are written.

use crate::lists::extent;
pub use crate::plan::AxisScale as Scale;
use crate::report::text::raised;

/// What the numbers on an axis measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Numbers of things. Numbers of vertices and parameters, which double, have ticks at powers of two.
    Whole,
    Seconds,
    /// Ticks are in 10⁹ tasks/s, which the axis' title says.
    TasksPerSecond,
    /// One time over another.
    Times,
    Percent,
    /// Whatever the axis' title says.
    Other,
    /// Days since 1970-01-01.
    Day,
}

/// Values beyond this have no place on an axis: their ratios leave the range of `f64`, and nothing measured comes near.
const OUT_OF_SIGHT: f64 = 1e100;

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    pub title: String,
    pub scale: Scale,
    pub quantity: Quantity,
    /// Values that it must show in addition to the data.
    pub includes: Vec<f64>,
}

/// An axis with its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisRange {
    pub scale: Scale,
    pub quantity: Quantity,
    pub low: f64,
    pub high: f64,
    /// The least and the greatest value, without the room around them.
    pub values: (f64, f64),
    /// Whether whole numbers are powers of two, written out: those of n or a parameter, but not measured ones.
    pub doubles: bool,
}

impl Axis {
    pub fn new(title: &str, scale: Scale, quantity: Quantity) -> Self {
        Self { title: title.to_string(), scale, quantity, includes: Vec::new() }
    }

    /// The axis of n, logarithmic.
    pub fn vertices() -> Self {
        Self::new("n, vertices", Scale::Log, Quantity::Whole)
    }

    pub fn including(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.includes.extend(values);
        self
    }

    /// A range that holds `values` and what any of `axes` includes, with some room at both ends; scale and quantity are those of the first.
    pub(super) fn range_of<'a>(
        mut axes: impl Iterator<Item = &'a Self>,
        values: impl Iterator<Item = f64>,
    ) -> AxisRange {
        let first = axes.next().cloned().unwrap_or_else(Self::vertices);
        let Self { scale, quantity, .. } = first;
        let includes = first.includes.iter().chain(axes.flat_map(|axis| &axis.includes)).copied();
        let all = values.chain(includes).filter(|value| holds(scale, *value));
        let values = extent(all).unwrap_or((1.0, 10.0));
        let (low, high) = values;
        let (low, high) = match scale {
            Scale::Log => {
                let room = (high / low).max(1.2).powf(0.04);
                if high / low < 1.2 { (low / 1.5, high * 1.5) } else { (low / room, high * room) }
            }
            Scale::Linear => {
                let span = if high > low { high - low } else { high.abs().max(1.0) };
                // Zero stays at the end.
                let low = if low == 0.0 { 0.0 } else { low - span * 0.05 };
                (low, high + span * 0.05)
            }
        };
        AxisRange { scale, quantity, low, high, values, doubles: false }
    }
}

/// Whether a value has a place on such an axis: a logarithmic one shows only positive values.
pub(super) fn holds(scale: Scale, value: f64) -> bool {
    value.abs() < OUT_OF_SIGHT && (scale == Scale::Linear || value > 1.0 / OUT_OF_SIGHT)
}

impl AxisRange {
    /// The place of a value: 0 at the low end of the range, 1 at the high end.
    pub fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// The text next to a tick.
    pub fn text(&self, tick: f64) -> String {
        if self.doubles && self.quantity == Quantity::Whole {
            plain(tick, 6)
        } else {
            self.quantity.text(tick)
        }
    }

    /// The most ticks for which `fit` is true.
    pub fn ticks_that(&self, fit: impl Fn(&[f64]) -> bool) -> Vec<f64> {
        (2..=10).rev().map(|most| self.ticks(most)).find(|ticks| fit(ticks)).unwrap_or_default()
    }

    /// Round values for about `most` ticks, ascending.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let by_factors = match (self.scale, self.quantity) {
            (Scale::Linear, _) => Vec::new(),
            (Scale::Log, Quantity::Whole) if self.doubles => self.powers_of_two(most),
            (Scale::Log, _) => self.decades(most),
        };
        // A scale needs two ticks, unless there is a single value.
        let enough = if self.values.0 < self.values.1 { 2 } else { 1 };
        if by_factors.len() >= enough { by_factors } else { self.even(most) }
    }

    fn powers_of_two(&self, most: usize) -> Vec<f64> {
        let first = self.low.log2().ceil() as i32;
        let last = self.high.log2().floor() as i32;
        let step = ((last - first).max(0) as usize / most + 1) as i32;
        // Counted from the upper end, which matters more.
        (first..=last).filter(|power| (last - power) % step == 0).map(|power| 2f64.powi(power)).collect()
    }

    fn decades(&self, most: usize) -> Vec<f64> {
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let inside = |steps: &[f64]| -> Vec<f64> {
            (first..=last)
                .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
                .filter(|tick| (self.low..=self.high).contains(tick))
                .collect()
        };
        let one = inside(&[1.0]);
        if one.len() > most {
            let step = one.len() / most + 1;
            let first = (one.len() - 1) % step;
            return one.into_iter().skip(first).step_by(step).collect();
        }
        let fine = [
            &[1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.2, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0][..],
            &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0][..],
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0][..],
            &[1.0, 2.0, 5.0][..],
            &[1.0, 3.0][..],
        ];
        fine.into_iter()
            .map(inside)
            .find(|ticks| ticks.len() <= most)
            .filter(|ticks| ticks.len() > one.len())
            .unwrap_or(one)
    }

    fn even(&self, most: usize) -> Vec<f64> {
        let span = self.high - self.low;
        let rough = span / most as f64;
        let power = 10f64.powf(rough.log10().floor());
        let whole = matches!(self.quantity, Quantity::Day | Quantity::Whole);
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|step| step * power);
        let fits = |step: &f64| *step >= rough * 0.999 && (!whole || step.fract() == 0.0);
        let step = steps.into_iter().find(fits).unwrap_or(1.0);
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        (0..=100).map(|at| first + f64::from(at)).take_while(|at| *at <= last).map(|at| at * step).collect()
    }
}

impl Quantity {
    /// A value as it stands next to a tick.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Whole => significant(value, 6),
            Self::Seconds => seconds_text(value),
            Self::TasksPerSecond => significant(value / RATE_UNIT, 3),
            Self::Percent => format!("{}%", significant(value, 3)),
            Self::Times => format!("×{}", significant(value, 3)),
            Self::Day => day_text(value),
            _ => significant(value, 3),
        }
    }
}

/// The one unit of rates, tasks/s. A prefix that changes along an axis, or a letter for a power, would have to be looked up.
const RATE_UNIT: f64 = 1e9;

/// Seconds with the unit that needs fewest digits.
fn seconds_text(seconds: f64) -> String {
    // 0.9995 and more is written as 1.00 of the next unit.
    let (factor, unit) = match seconds.abs() {
        0.0 => return "0".to_string(),
        large if large >= 0.9995 => (1.0, "s"),
        middle if middle >= 0.9995e-3 => (1e3, "ms"),
        small if small >= 0.9995e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", significant(seconds * factor, 3))
}

/// At most `digits` significant digits; from 10⁵ on as a multiple of a power of ten.
fn significant(value: f64, digits: i32) -> String {
    if !(1e5..OUT_OF_SIGHT).contains(&value.abs()) {
        return plain(value, digits);
    }
    let power = (value.abs().log10() + 1e-9).floor() as i32;
    let (factor, exponent) = (plain(value / 10f64.powi(power), 3), raised(&power.to_string()));
    if factor == "1" { format!("10{exponent}") } else { format!("{factor}×10{exponent}") }
}

/// At most `digits` significant digits, without trailing zeros or an exponent; negative numbers have a true minus sign.
fn plain(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_string();
    }
    let after = digits - 1 - value.abs().log10().floor() as i32;
    let unit = 10f64.powi(-after);
    let text = format!("{:.*}", after.clamp(0, 12) as usize, (value / unit).round() * unit);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.replace('-', "−")
}

/// A number of days since 1970 as a date.
fn day_text(days: f64) -> String {
    let seconds = (days.floor() as i64).saturating_mul(86_400);
    jiff::Timestamp::from_second(seconds).map_or(String::new(), |day| day.strftime("%F").to_string())
}
