//! Axes: from values to shares of a length, where ticks are, and how numbers are written.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    Linear,
    /// Holds positive values alone.
    Log,
}

/// What numbers on an axis are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Vertices, or a parameter: whole numbers, with ticks at powers of two.
    Whole,
    Seconds,
    /// Ticks are in 10⁹ tasks/s, which the axis' title says.
    TasksPerSecond,
    /// 1e9 bytes a second.
    GigabytesPerSecond,
    /// One time over another.
    Times,
    Bytes,
    Ways,
    Percent,
    Joules,
    TasksPerJoule,
    TasksPerByte,
    /// Days since 1970-01-01.
    Day,
}

/// What has a place on no axis: ends and ratios of such numbers leave `f64`, and nothing that is measured comes near.
const OUT_OF_SIGHT: f64 = 1e100;

const VERTICES: &str = "n, vertices";

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
pub struct Range {
    pub scale: Scale,
    pub quantity: Quantity,
    pub low: f64,
    pub high: f64,
    /// The least and the greatest value, without the room around them.
    pub values: (f64, f64),
}

impl Axis {
    pub fn new(title: &str, scale: Scale, quantity: Quantity) -> Self {
        Self { title: title.to_string(), scale, quantity, includes: Vec::new() }
    }

    /// Of n, which doubles from tick to tick.
    pub fn vertices() -> Self {
        Self::new(VERTICES, Scale::Log, Quantity::Whole)
    }

    /// Whether it is that one.
    pub fn is_of_vertices(&self) -> bool {
        self.title == VERTICES
    }

    pub fn including(mut self, values: impl IntoIterator<Item = f64>) -> Self {
        self.includes.extend(values);
        self
    }

    /// Whether a value has a place on it.
    pub fn holds(&self, value: f64) -> bool {
        let seen = value.abs() < OUT_OF_SIGHT;
        seen && (self.scale == Scale::Linear || value > 1.0 / OUT_OF_SIGHT)
    }

    /// Wide enough for `values`, with some room at both ends.
    pub fn range(&self, values: impl Iterator<Item = f64>) -> Range {
        let all = values.chain(self.includes.iter().copied()).filter(|value| self.holds(*value));
        let ends = all.fold(None, |ends: Option<(f64, f64)>, value| match ends {
            None => Some((value, value)),
            Some((low, high)) => Some((low.min(value), high.max(value))),
        });
        let (low, high) = ends.unwrap_or((1.0, 10.0));
        let values = (low, high);
        let Self { scale, quantity, .. } = *self;
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
        Range { scale, quantity, low, high, values }
    }
}

impl Range {
    /// 0 at the low end, 1 at the high one.
    pub fn share(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        }
    }

    /// Round values for about `most` ticks, ascending.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        let inside = |mut ticks: Vec<f64>| {
            ticks.retain(|&tick| (-1e-9..=1.0 + 1e-9).contains(&self.share(tick)));
            ticks
        };
        let by_factors = match (self.scale, self.quantity) {
            (Scale::Linear, _) => return inside(self.even(most)),
            (Scale::Log, Quantity::Whole | Quantity::Ways) => inside(self.powers_of_two(most)),
            (Scale::Log, _) => inside(self.decades(most)),
        };
        // One tick is no scale.
        let (least, greatest) = self.values;
        match by_factors.len() {
            0 | 1 if greatest > least => inside(self.even(most)),
            _ => by_factors,
        }
    }

    fn powers_of_two(&self, most: usize) -> Vec<f64> {
        let first = self.low.log2().ceil() as i32;
        let last = self.high.log2().floor() as i32;
        let step = ((last - first).max(0) as usize / most + 1) as i32;
        // From the upper end, which matters more.
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
            let mut some: Vec<f64> = one.into_iter().rev().step_by(step).collect();
            some.reverse();
            return some;
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
        let whole = matches!(self.quantity, Quantity::Day | Quantity::Ways | Quantity::Whole);
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|step| step * power)
            .into_iter()
            .find(|step| *step >= rough * 0.999 && (!whole || (step.fract() == 0.0 && *step >= 1.0)))
            .unwrap_or(10.0 * power)
            .max(if whole { 1.0 } else { 0.0 });
        let (first, last) = ((self.low / step).ceil(), (self.high / step).floor());
        (0..=100).map(|at| first + f64::from(at)).take_while(|at| *at <= last).map(|at| at * step).collect()
    }
}

impl Quantity {
    /// A value as it stands next to a tick or a bar.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Whole | Self::Ways => significant(value, 6),
            Self::Seconds => seconds_text(value),
            Self::TasksPerSecond | Self::TasksPerJoule => significant(value / RATE_UNIT, 3),
            Self::GigabytesPerSecond | Self::Bytes | Self::Joules | Self::TasksPerByte => {
                significant(value, 3)
            }
            Self::Percent => format!("{}%", significant(value, 3)),
            Self::Times => format!("×{}", significant(value, 3)),
            Self::Day => day_text(value),
        }
    }
}

/// The one unit of rates, tasks/s. A prefix that changes along an axis, or a letter for a power, would have to be looked up.
pub const RATE_UNIT: f64 = 1e9;

/// A rate in that unit, with it.
pub fn rate_text(tasks_per_s: f64) -> String {
    format!("{} × 10⁹ tasks/s", Quantity::TasksPerSecond.text(tasks_per_s))
}

/// Seconds with the unit that needs fewest digits.
pub fn seconds_text(seconds: f64) -> String {
    if seconds == 0.0 {
        return "0".to_string();
    }
    // 0.9995 and more is written as 1.00 of the next unit.
    let (factor, unit) = match seconds.abs() {
        large if large >= 0.9995 => (1.0, "s"),
        middle if middle >= 0.9995e-3 => (1e3, "ms"),
        small if small >= 0.9995e-6 => (1e6, "µs"),
        _ => (1e9, "ns"),
    };
    format!("{} {unit}", significant(seconds * factor, 3))
}

/// At most so many significant digits, without zeros at the end and without an exponent; the sign is a minus sign.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_string();
    }
    let before = value.abs().log10().floor() as i32 + 1;
    let after = (digits as i32 - before).clamp(0, 12) as usize;
    let mut text = format!("{value:.after$}");
    if text.contains('.') {
        text = text.trim_end_matches('0').trim_end_matches('.').to_string();
    }
    if digits as i32 - before < 0 {
        let unit = 10f64.powi(before - digits as i32);
        text = format!("{:.0}", (value / unit).round() * unit);
    }
    text.replace('-', "−")
}

/// A number of days since 1970 as a date.
fn day_text(days: f64) -> String {
    let epoch = jiff::civil::date(1970, 1, 1);
    let span = jiff::Span::new().try_days(days.floor() as i64);
    match span.and_then(|span| epoch.checked_add(span)) {
        Ok(date) => date.to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_powers_of_two_for_sizes_decades_for_seconds_and_round_steps_otherwise() {
        let range = |scale, quantity, low, high| Range { scale, quantity, low, high, values: (low, high) };
        let sizes = range(Scale::Log, Quantity::Whole, 1000.0, 18000.0);
        assert_eq!(sizes.ticks(8), [1024.0, 2048.0, 4096.0, 8192.0, 16384.0]);
        assert_eq!(sizes.ticks(3), [1024.0, 4096.0, 16384.0]);
        let narrow = Axis::vertices().range([2976.0, 4416.0].into_iter());
        assert_eq!(narrow.ticks(8), [3000.0, 3200.0, 3400.0, 3600.0, 3800.0, 4000.0, 4200.0, 4400.0]);
        assert_eq!(narrow.ticks(4), [3000.0, 3500.0, 4000.0]);
        let narrow = range(Scale::Log, Quantity::TasksPerSecond, 2.6e11, 3.4e11);
        assert_eq!(narrow.ticks(4), [2.6e11, 2.8e11, 3.0e11, 3.2e11, 3.4e11]);
        assert_eq!(Axis::vertices().range([4096.0].into_iter()).ticks(8), [4096.0]);
        let seconds = range(Scale::Log, Quantity::Seconds, 0.0005, 300.0);
        assert_eq!(seconds.ticks(8).first(), Some(&0.001));
        assert_eq!(seconds.ticks(8).len(), 6);
        let linear = range(Scale::Linear, Quantity::Times, 0.72, 1.81);
        assert_eq!(linear.ticks(6), [0.8, 1.0, 1.2, 1.4, 1.6, 1.8].map(|x: f64| (x / 0.2).round() * 0.2));
    }

    #[test]
    fn ticks_are_never_more_than_asked_for_and_ascend() {
        for scale in [Scale::Linear, Scale::Log] {
            for quantity in [Quantity::Whole, Quantity::Seconds, Quantity::Times, Quantity::Ways] {
                for (low, high) in [(1e-7, 3e2), (0.9, 1.1), (1.0, 17408.0), (3.0, 3.3), (0.5, 16.0)] {
                    for most in [2, 4, 8] {
                        let ticks = Range { scale, quantity, low, high, values: (low, high) }.ticks(most);
                        assert!(ticks.len() <= most + 1, "{scale:?} {quantity:?} {low} {high}: {ticks:?}");
                        assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_written_as_people_write_them() {
        let seconds = [0.0, 2.5e-6, 0.000_512, 0.001, 0.072_68, 1.0, 145.2, 0.999_9].map(seconds_text);
        assert_eq!(seconds, ["0", "2.5 µs", "512 µs", "1 ms", "72.7 ms", "1 s", "145 s", "1 s"]);
        assert_eq!(
            [15.061e12, 8.079e9, 39.56e9].map(|x| Quantity::TasksPerSecond.text(x)),
            ["15100", "8.08", "39.6"]
        );
        assert_eq!(rate_text(8.079e12), "8080 × 10⁹ tasks/s");
        assert_eq!([1.494, -0.5, 17408.0].map(|x| significant(x, 3)), ["1.49", "−0.5", "17400"]);
        assert_eq!(Quantity::Whole.text(17408.0), "17408");
        assert_eq!(Quantity::Day.text(20_778.4), "2026-11-21");
    }

    #[test]
    fn an_axis_of_any_numbers_has_few_ticks() {
        let extreme =
            [f64::MIN_POSITIVE, 5e-324, 1e-300, 1e300, f64::MAX, -f64::MAX, 1e-99, 1e99, 0.5, f64::NAN];
        for scale in [Scale::Linear, Scale::Log] {
            for quantity in [Quantity::Whole, Quantity::Seconds, Quantity::Times, Quantity::Day] {
                for (a, b) in extreme.iter().flat_map(|a| extreme.map(|b| (*a, b))) {
                    let range = Axis::new("", scale, quantity).including([b]).range([a].into_iter());
                    assert!(range.low < range.high && range.high.is_finite(), "{a} {b}: {range:?}");
                    assert!(range.ticks(8).len() <= 9, "{a} {b}: {:?}", range.ticks(8));
                }
            }
        }
    }

    #[test]
    fn an_axis_of_nothing_one_value_or_values_that_it_cannot_hold_has_a_range() {
        for scale in [Scale::Linear, Scale::Log] {
            let axis = Axis::new("", scale, Quantity::Seconds);
            for values in [&[][..], &[0.0][..], &[3.0], &[f64::NAN, -1.0, f64::INFINITY], &[2.0, 2.0]] {
                let range = axis.range(values.iter().copied());
                assert!(range.low < range.high && range.low.is_finite() && range.high.is_finite());
                assert!(range.ticks(5).iter().all(|tick| tick.is_finite()));
            }
        }
    }
}
