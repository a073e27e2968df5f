//! `kernels.csv`: the time of each kernel of a cell beside the bytes that it moves according to a model, one row a kernel.

use crate::timing::KernelSeconds;
use repro_types::CellId;
use serde::{Deserialize, Serialize};

/// A row of `kernels.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTimeRow {
    pub implementation: String,
    pub n: usize,
    pub params: String,
    /// The graph's name in the experiment; empty where there is one.
    pub graph: String,
    pub kernel: String,
    pub launches: u64,
    /// All launches of one solve, from an event before each to the one before the next; the median of some solves.
    pub seconds: f64,
    /// Global memory, bytes that threads load in one solve, by the implementation's model if it has one.
    pub loaded_bytes: Option<u64>,
    /// The same, stored.
    pub stored_bytes: Option<u64>,
}

/// The name of a kernel's function in words: `doubly_dependent` is doubly dependent.
pub fn spelled(kernel: &str) -> String {
    kernel.replace('_', " ")
}

impl KernelTimeRow {
    /// `moved` are the bytes that it loads and stores, by a model.
    pub fn new(cell: &CellId, of: &KernelSeconds, moved: Option<(u64, u64)>) -> Self {
        Self {
            implementation: cell.implementation.clone(),
            n: cell.n,
            params: cell.params.clone(),
            graph: cell.graph.clone(),
            kernel: of.kernel.clone(),
            launches: of.launches,
            seconds: of.seconds,
            loaded_bytes: moved.map(|(loaded, _)| loaded),
            stored_bytes: moved.map(|(_, stored)| stored),
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
    fn rows_survive_being_written_and_read_with_a_model_and_without() {
        let cell = CellId { implementation: "a".into(), n: 64, params: "x=1".into(), graph: "g".into() };
        let of = KernelSeconds { kernel: "k".into(), launches: 3, seconds: 0.25 };
        let rows = [KernelTimeRow::new(&cell, &of, Some((6, 7))), KernelTimeRow::new(&cell, &of, None)];
        assert_eq!((rows[0].loaded_bytes, rows[0].stored_bytes), (Some(6), Some(7)));
        assert!(rows[1].cell() == cell && rows[1].loaded_bytes.is_none());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kernels.csv");
        assert_eq!(read_rows::<KernelTimeRow>(&path).unwrap(), []);
        write_atomically(&path, &write_rows(&rows, true)).unwrap();
        assert_eq!(read_rows::<KernelTimeRow>(&path).unwrap(), rows);
    }
}
