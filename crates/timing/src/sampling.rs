//! Which clocks are read, and when a cell has enough samples.

use repro_base::{Estimate, median_confidence};
use serde::{Deserialize, Serialize};

/// A sample of a device that takes this long need not be repeated: seconds of work average out what repetition would.
const LONG_SAMPLE_S: f64 = 5.0;

/// A sample of the CPU that takes this long need not be repeated. Other work on the host makes a solve of seconds several times as long
/// now and then, and a single sample does not show it. Beyond a minute a few iterations of the loop are better evidence than one whole
/// solve.
const LONG_SAMPLE_ON_CPU_S: f64 = 60.0;

/// The fewest samples on the CPU: the median of five is right where two of them were disturbed.
const LEAST_ON_CPU: usize = 5;

/// What a cell is solved on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcessorKind {
    /// A device, which the run has to itself.
    Device,
    /// A CPU, which others may use, too.
    Cpu,
}

/// Stops when the median is known well enough, or when the cell's time is used up. The decision depends on nothing but
/// the samples so far, so a resumed run goes on as an uninterrupted one would.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoppingRule {
    /// At least this many samples, unless one takes 5 s or more; on the CPU at least five where `max_samples` allows, unless one
    /// takes a minute or more.
    pub min_samples: usize,
    /// At most this many.
    pub max_samples: usize,
    /// Enough when half the width of the median's 95% confidence interval, relative to the median, is below this.
    pub precision: f64,
    /// Timed seconds a cell after which no further sample is started.
    pub budget_s: f64,
}

impl StoppingRule {
    /// Whether a cell needs no further sample, by the seconds that a clock showed of all so far.
    pub fn is_met(&self, seconds: &[f64], on: ProcessorKind) -> bool {
        let longest = seconds.iter().copied().fold(0.0, f64::max);
        let spent: f64 = seconds.iter().sum();
        let is_enough =
            || seconds.len() >= self.max_samples || spent >= self.budget_s || self.is_narrow(seconds);
        seconds.len() >= self.least(longest, on) && is_enough()
    }

    /// Timed seconds that a cell will take if its samples are steady and take `seconds` each.
    pub fn expected_cost(&self, seconds: f64, on: ProcessorKind) -> f64 {
        let least = seconds * self.least(seconds, on) as f64;
        // Six samples are the fewest that can end a cell by precision.
        let steady = seconds * self.max_samples.min(6) as f64;
        least.max(steady.min(self.budget_s))
    }

    /// The fewest samples of a cell whose longest takes `longest` seconds.
    fn least(&self, longest: f64, on: ProcessorKind) -> usize {
        let (least, long) = match on {
            ProcessorKind::Device => (self.min_samples, LONG_SAMPLE_S),
            ProcessorKind::Cpu => {
                (self.min_samples.max(LEAST_ON_CPU).min(self.max_samples), LONG_SAMPLE_ON_CPU_S)
            }
        };
        if longest >= long { 1 } else { least }
    }

    fn is_narrow(&self, seconds: &[f64]) -> bool {
        // Too few samples have a range, not a 95% interval.
        median_confidence(seconds.len()) >= 0.95
            && Estimate::of_median(seconds)
                .is_some_and(|median| median.relative_half_width() <= self.precision)
    }
}

/// Which clocks an experiment reads in addition to the usual four, on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExtraClocks {
    /// `Scope::CudaGraph`.
    pub cuda_graph: bool,
    /// The host's clocks, those of copies and the unsynchronized one (the pitfall) among them.
    pub host: bool,
    /// The first solve in a fresh process.
    pub first_run: bool,
    /// The time of each kernel, in a solve of its own whose launches have events between them.
    pub by_kernel: bool,
    /// `Scope::Everything`.
    #[serde(skip_serializing_if = "is_false")]
    pub everything: bool,
    /// `Scope::CopyOutUnsyncedLoaded`.
    #[serde(skip_serializing_if = "is_false")]
    pub loaded: bool,
    /// How long a load of global memory takes, of one multiprocessor alone and of all at once: once a GPU, with the ceilings.
    #[serde(skip_serializing_if = "is_false")]
    pub load_latency: bool,
}

/// A clock that is not asked for is not written: builds that are older than the clock refuse its name.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(asked: &bool) -> bool {
    !asked
}

impl ExtraClocks {
    /// How many solves one sample takes.
    pub fn solves(self) -> u32 {
        let once = [self.cuda_graph, self.everything, self.loaded].map(u32::from);
        1 + once.iter().sum::<u32>() + 2 * u32::from(self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: StoppingRule =
        StoppingRule { min_samples: 3, max_samples: 20, precision: 0.01, budget_s: 3.0 };

    #[test]
    fn on_the_cpu_five_samples_are_taken_of_what_takes_less_than_a_minute() {
        let rule = StoppingRule { budget_s: 0.0, ..RULE };
        for (seconds, enough) in [(0.1, 5), (5.0, 5), (59.0, 5), (60.0, 1)] {
            assert!(!rule.is_met(&vec![seconds; enough - 1], ProcessorKind::Cpu));
            assert!(rule.is_met(&vec![seconds; enough], ProcessorKind::Cpu));
            assert_eq!(rule.expected_cost(seconds, ProcessorKind::Cpu), seconds * enough as f64);
        }
        let asked = StoppingRule { min_samples: 2, max_samples: 2, ..RULE };
        assert!(asked.is_met(&[0.1; 2], ProcessorKind::Cpu));
        let more = StoppingRule { min_samples: 7, ..RULE };
        assert!(!more.is_met(&[0.1; 6], ProcessorKind::Cpu));
    }

    #[test]
    fn samples_go_on_until_they_are_steady_or_the_budget_or_the_most_is_reached() {
        let given_time = StoppingRule { max_samples: 5, budget_s: 120.0, ..RULE };
        assert_eq!(given_time.expected_cost(17.0, ProcessorKind::Device), 85.0);
        let unsteady = |count: usize, scale: f64| -> Vec<f64> {
            (0..count).map(|at| scale * (1.0 + (at % 2) as f64)).collect()
        };
        for (rule, seconds, is_met) in [
            (given_time, vec![17.0; 4], false),
            (given_time, vec![17.0; 5], true),
            (RULE, unsteady(10, 0.01), false),
            (RULE, unsteady(20, 0.01), true),
            (RULE, unsteady(10, 0.3), true),
        ] {
            assert_eq!(rule.is_met(&seconds, ProcessorKind::Device), is_met, "{seconds:?}");
        }
    }

    #[test]
    fn clocks_of_before_are_written_as_before_and_others_where_they_are_asked_for() {
        let before = r#"{"cuda_graph":false,"host":true,"first_run":false,"by_kernel":false}"#;
        let host = ExtraClocks { host: true, ..ExtraClocks::default() };
        assert_eq!(serde_json::to_string(&host).unwrap(), before);
        assert_eq!(serde_json::from_str::<ExtraClocks>(before).unwrap(), host);
        let more = ExtraClocks { everything: true, loaded: true, ..host };
        let text = serde_json::to_string(&more).unwrap();
        assert_eq!(serde_json::from_str::<ExtraClocks>(&text).unwrap(), more);
        assert_eq!((host.solves(), more.solves()), (3, 5));
    }
}
