//! `devices.csv`: where the time of each sample went on each device that had a part of the matrix, one row a device.

use crate::implementation::DeviceTimes;
use repro_types::CellId;
use serde::{Deserialize, Serialize};

/// A row of `devices.csv`. Seconds are between events of that device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceTimeRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    /// The sample's number within its cell, as in `samples.csv`.
    pub sample: usize,
    /// Its number among all devices of the solve.
    pub device: usize,
    /// The host that it is in; empty where one process had all devices.
    pub host: String,
    /// From the first event of the solve to the last.
    pub solve_s: f64,
    /// In which it had tiles to work on.
    pub compute_s: f64,
    /// In which it had none and waited for a panel.
    pub waiting_s: f64,
    /// Which its broadcasts took, beside the work on tiles or not.
    pub communication_s: f64,
}

impl DeviceTimeRow {
    pub fn new(cell: &CellId, sample: usize, host: &str, times: &DeviceTimes) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            graph: cell.graph.clone(),
            sample,
            device: times.device,
            host: host.to_string(),
            solve_s: times.solve,
            compute_s: times.compute,
            waiting_s: times.waiting,
            communication_s: times.communication,
        }
    }

    pub fn cell(&self) -> CellId {
        CellId::new(&self.implementation, self.n, &self.params, &self.graph)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::files::{read_rows, write_atomically};
    use crate::store::sample::write_rows;

    #[test]
    fn rows_survive_being_written_and_read() {
        let cell = CellId { implementation: "a".into(), n: 64, params: "x=1".into(), graph: "g".into() };
        let times = DeviceTimes { device: 3, solve: 4.0, compute: 3.0, waiting: 0.5, communication: 0.25 };
        let rows = [DeviceTimeRow::new(&cell, 2, "node", &times)];
        assert_eq!((rows[0].cell(), rows[0].sample, rows[0].waiting_s), (cell, 2, 0.5));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("devices.csv");
        assert_eq!(read_rows::<DeviceTimeRow>(&path).unwrap(), []);
        write_atomically(&path, &write_rows(&rows, true)).unwrap();
        assert_eq!(read_rows::<DeviceTimeRow>(&path).unwrap(), rows);
    }
}
