//! How long a cell's sample will take, from smaller sizes of the same implementation.

use crate::record::{CellId, SampleRow, Status};
use crate::timing::Scope;

/// Forecasts from the samples of a run.
pub struct Forecast<'a> {
    samples: &'a [SampleRow],
}

impl<'a> Forecast<'a> {
    pub fn new(samples: &'a [SampleRow]) -> Self {
        Self { samples }
    }

    /// Seconds of one sample of `cell`: those of the largest size up to it that was measured, times the cube of the
    /// sizes' ratio. None when nothing was.
    pub fn seconds(&self, cell: &CellId) -> Option<f64> {
        self.samples
            .iter()
            .filter(|row| {
                row.n <= cell.n
                    && row.status == Status::Ok
                    && row.scope == Scope::Kernel
                    && row.implementation == cell.implementation
                    && row.params == cell.params
            })
            .max_by_key(|row| row.n)
            .and_then(|row| Some(row.seconds? * (cell.n as f64 / row.n as f64).powi(3)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Seconds;

    #[test]
    fn the_nearest_smaller_size_counts_and_grows_with_the_cube() {
        let row = |n, seconds| {
            let cell = CellId { implementation: "a".into(), n, params: String::new() };
            let all = Seconds { kernel: seconds, device: 9.0, total: 9.0, host: 9.0 };
            SampleRow::without_time(&cell, 0, Status::Ok, "").every_scope(&all)
        };
        let samples = [row(100, 1.0), row(200, 7.0), row(800, 1.0)].concat();
        let forecast = |n| {
            let cell = CellId { implementation: "a".into(), n, params: String::new() };
            Forecast::new(&samples).seconds(&cell)
        };
        assert_eq!(forecast(400), Some(56.0));
        assert_eq!(forecast(200), Some(7.0));
        assert_eq!(forecast(50), None);
    }
}
