//! The rule as it was at commit 37f296d, for cells of GPUs from n = 1024 on whose samples were not taken in pairs or were.

use repro::timing::{Estimate, median};

pub struct Before {
    pub threshold: f64,
}

impl Before {
    /// From the samples of all runs of the machine but the new one: by run and cell.
    pub fn of(runs: &[Vec<Vec<f64>>], paired: bool) -> Self {
        let within: Vec<f64> = runs.iter().flatten().filter_map(|samples| halves(samples)).collect();
        let cells = runs[0].len();
        let range = |cell: usize| {
            let medians = runs.iter().filter_map(|run| median(&run[cell]));
            let (low, high) = medians.fold((f64::INFINITY, 0.0f64), |(l, h), one| (l.min(one), h.max(one)));
            high / low - 1.0
        };
        let between: Vec<f64> = (0..cells).filter(|_| runs.len() > 1).map(range).collect();
        let between = match (paired, between.len() >= 10) {
            (true, _) => 0.0,
            (false, true) => 2.0 * percentile(between),
            (false, false) => 0.05,
        };
        Self { threshold: between.max(2.0 * percentile(within)).max(0.01) }
    }

    pub fn is_slower(&self, ratio: Estimate) -> bool {
        ratio.low > 1.0 + self.threshold
    }

    /// SLOWER, FASTER or SAME.
    pub fn is_decided(&self, ratio: Estimate) -> bool {
        let (low, high) = (1.0 / (1.0 + self.threshold), 1.0 + self.threshold);
        self.is_slower(ratio) || ratio.high < low || ratio.low >= low && ratio.high <= high
    }
}

fn halves(samples: &[f64]) -> Option<f64> {
    let every_other = |from: usize| samples.iter().skip(from).step_by(2).copied().collect::<Vec<_>>();
    let (even, odd) = (median(&every_other(0))?, median(&every_other(1))?);
    (samples.len() >= 6).then(|| even.max(odd) / even.min(odd) - 1.0)
}

fn percentile(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let rank = (0.95 * values.len() as f64).ceil() as usize;
    rank.checked_sub(1).map_or(0.0, |at| values[at])
}
