//! Numbers as text: in tables, in sentences, on a terminal and in reports; and tables of the counts of a solve's kernels.

use crate::device::emulated::Counts;
use crate::report::text::Grid;
use crate::timing::Estimate;
pub use repro_base::text::decimals;
use repro_emulator::{BANKS_16, BANKS_32, CounterAccessor};

/// Stands before a time that is an estimate.
pub const ESTIMATE: &str = "≈";
/// Follows a time that was measured under load.
pub const UNDER_LOAD: &str = "†";

/// The one unit that every rate is given in.
pub const RATE: &str = "10⁹ tasks/s";

/// Four significant digits, without an exponent.
pub fn digits(value: f64) -> String {
    significant(value, 4)
}

/// `most` significant digits, without an exponent; the whole part of a number keeps all of its digits.
fn significant(value: f64, most: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (most - 1 - magnitude).max(0) as usize;
    format!("{value:.decimals$}")
}

/// Four significant digits; a whole number keeps all of its digits, without decimals.
pub fn whole_or_digits(value: f64) -> String {
    if value.fract() == 0.0 { value.to_string() } else { digits(value) }
}

/// A rate in tasks a second as a number of [`RATE`], with four digits.
pub fn rate(tasks_per_s: f64) -> String {
    digits(tasks_per_s * 1e-9)
}

/// A rate with its unit, for a sentence.
pub fn rate_with_unit(tasks_per_s: f64) -> String {
    format!("{} × {RATE}", rate(tasks_per_s))
}

/// A share in percent with at most three significant digits, and at most three decimals.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() < 1.0 || !percent.is_finite() {
        return format!("{}%", decimals(percent));
    }
    // By the logarithm, 9.999 would have one digit too few before the point.
    let whole = format!("{percent:.0}").trim_start_matches('-').len();
    let text = format!("{percent:.*}", 3usize.saturating_sub(whole));
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}%")
}

/// A ratio of times with four decimals, since a few in ten thousand matter.
pub fn ratio(value: f64) -> String {
    format!("{value:.4}")
}

/// A ratio with its interval: `1.0520 [1.0400, 1.0600]`.
pub fn ratio_with_interval(of: Estimate) -> String {
    format!("{} {}", ratio(of.value), interval(of.low, of.high, ratio))
}

/// The ends of an interval, each as `text` writes it.
pub fn interval(low: f64, high: f64, text: impl Fn(f64) -> String) -> String {
    format!("[{}, {}]", text(low), text(high))
}

/// A number in a sentence: three significant digits, and a power of ten where it is very large or very small.
pub fn in_text(value: f64) -> String {
    if !(1e-4..1e6).contains(&value.abs()) {
        let text = format!("{value:.2e}");
        return text.parse().map_or(text, exact);
    }
    significant(value, 3)
}

/// A number that is known to ± `half_width`: with one digit more than the first uncertain one, of at least two and at most three significant
/// ones.
pub fn rounded(value: f64, half_width: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    if value.abs() >= 1e6 {
        return in_text(value);
    }
    // The magnitude after rounding: 0.9996 becomes 1.00.
    let magnitude = (value.abs() * 1.0005).log10().floor() as i32;
    let [least, most] = [1, 2].map(|digits| (digits - magnitude).max(0));
    let decimals = match half_width {
        doubt if doubt > 0.0 && doubt.is_finite() => (1 - doubt.log10().floor() as i32).clamp(least, most),
        _ if (value - value.round()).abs() < 1e-9 => 0,
        _ => most,
    };
    format!("{value:.*}", decimals as usize)
}

/// A number with all of its digits; with a power of ten where it is very large or very small.
pub fn exact(value: f64) -> String {
    if value.abs() >= 1e6 || (value != 0.0 && value.abs() < 1e-4) {
        return power_of_ten(&format!("{value:e}"));
    }
    value.to_string()
}

/// Four significant digits, whole numbers in full; powers of ten where a reader would have to count zeros.
pub fn in_row(value: f64) -> String {
    if value.is_finite() && value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        return power_of_ten(&format!("{value:.3e}"));
    }
    whole_or_digits(value)
}

/// `1.5e-9` as 1.5 × 10⁻⁹.
fn power_of_ten(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    format!("{mantissa} × 10{}", raised(exponent))
}

/// A whole number as an exponent.
pub fn raised(number: &str) -> String {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| digits[digit as usize])).collect()
}

/// Whose rule counts bank conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Banks {
    /// Half-warps over 16 banks, one word broadcast a step: compute capability 1.x.
    #[value(name = "16", help = None)]
    Sixteen,
    /// Warps over 32 banks, any word to all who want it: compute capability 2.0 and newer.
    #[value(name = "32", help = None)]
    ThirtyTwo,
}

/// Counts of kernels as tables, with one column for each kernel.
pub struct CountTables {
    /// Whose counts these are, for a title.
    pub of: &'static str,
    /// Name, tasks (0 where they are not known) and counts of each kernel.
    pub columns: Vec<(String, u64, Counts)>,
    pub total: Counts,
    /// By whose rule bank conflicts are shown; None for both rules.
    pub banks: Option<Banks>,
}

impl CountTables {
    fn grid(&self, title: impl Into<String>, rows: Vec<Vec<String>>) -> Grid {
        let names = self.columns.iter().map(|(name, ..)| name.clone());
        Grid::new(title, std::iter::once(String::new()).chain(names), rows)
    }

    /// A row in which `show` writes each kernel's counts and number of tasks.
    fn row(&self, label: &str, show: impl Fn(&Counts, u64) -> String) -> Vec<String> {
        let cells = self.columns.iter().map(|(_, tasks, counts)| show(counts, *tasks));
        std::iter::once(label.to_string()).chain(cells).collect()
    }

    fn counted(&self, (label, read): CounterAccessor) -> Vec<String> {
        self.row(label, |counts, _| read(counts).text(digits))
    }

    /// Launches, barriers and global memory.
    pub fn global(&self) -> Grid {
        let per_task = |bytes: u64, tasks: u64| digits(bytes as f64 / tasks.max(1) as f64);
        let counted = |figure: &CounterAccessor| self.counted(*figure);
        let mut rows: Vec<Vec<String>> = self.total.global_figures().iter().map(counted).collect();
        if self.columns.iter().any(|(_, tasks, _)| *tasks > 0) {
            rows.push(self.row("bytes a task", |counts, tasks| per_task(counts.global_bytes(), tasks)));
            rows.push(self.row("in sectors, bytes a task", |counts, tasks| {
                per_task(counts.transferred_bytes(), tasks)
            }));
        }
        rows.extend(self.total.rare_figures().map(|figure| self.counted(figure)));
        self.grid(format!("Global memory, {}", self.of), rows)
    }

    /// Shared memory and bank conflicts. None if no shared memory was used.
    pub fn shared(&self) -> Option<Grid> {
        let of_memory = self.total.shared_figures();
        if of_memory.is_empty() {
            return None;
        }
        let of_banks = match self.banks {
            None => [&BANKS_16[..], &BANKS_32].concat(),
            Some(Banks::Sixteen) => BANKS_16.to_vec(),
            Some(Banks::ThirtyTwo) => BANKS_32.to_vec(),
        };
        let rows = of_memory.iter().copied().chain(of_banks).map(|figure| self.counted(figure)).collect();
        let title = "Shared memory; ways: worst and mean steps of a warp (32 banks) or half-warp (16)\n\
                     a GPU's compiler may merge loads of unrolled loops, and then loads less often";
        Some(self.grid(title, rows))
    }
}

/// Barriers of an average block.
pub fn per_block(barriers: u64, counts: &Counts) -> String {
    whole_or_digits(barriers as f64 / counts.blocks.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_and_the_form_of_their_place() {
        type Form = fn(f64) -> String;
        // A form, numbers, and these in it.
        let cases: [(Form, &[f64], &str); 8] = [
            (digits, &[0.000123456, 1.0, 53.02, 12345.6, 0.0], "0.0001235|1.000|53.02|12346|0"),
            (whole_or_digits, &[4096.0, 0.5, 2_097_152.0], "4096|0.5000|2097152"),
            (rate_with_unit, &[8.07e12, 2.5e6], "8070 × 10⁹ tasks/s|0.002500 × 10⁹ tasks/s"),
            (exact, &[2.6e9, 1.2e-11, 154e9, 53.06, 149.0], "2.6 × 10⁹|1.2 × 10⁻¹¹|1.54 × 10¹¹|53.06|149"),
            (in_text, &[3.182e11, 1.0, 12345.0], "3.18 × 10¹¹|1.00|12345"),
            (in_row, &[12320.0, 5.2345678, 73.6e9, 0.0, f64::INFINITY], "12320|5.235|7.360 × 10¹⁰|0|inf"),
            // A sign, and none is no loss.
            (percent, &[1.06428, 0.06711, 0.1, 0.00024, 0.0, 12.345], "106%|6.71%|10%|0.024%|0%|1234%"),
            // Known to one in a hundred.
            (|one| rounded(one, one / 100.0), &[4.2457, 0.9996, 1234.5, 2.5e7], "4.25|1.00|1234|2.5 × 10⁷"),
        ];
        for (form, values, expected) in cases {
            assert_eq!(values.iter().map(|value| form(*value)).collect::<Vec<_>>().join("|"), expected);
        }
        assert_eq!([rounded(12.0, 0.0), rounded(12.5, 0.0), rounded(12.34, 3.0)], ["12", "12.5", "12.3"]);
        assert_eq!(rounded(0.963, 1.1), "0.96", "one is another number");
        let slower = Estimate { value: 1.052, low: 1.04, high: 1.06 };
        assert_eq!(ratio_with_interval(slower), "1.0520 [1.0400, 1.0600]");
    }
}
