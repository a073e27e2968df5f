//! The rows of one cell in the order of time.

use super::row::HistoryRow;
use crate::timing::Scope;
use repro_types::CellId;
use std::collections::BTreeMap;

/// What one cell took on one model of device, whatever its driver. Only such times may be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CellHistory<'a> {
    pub cell: CellId,
    pub scope: Scope,
    /// The GPU's model, or the CPU's.
    pub model: &'a str,
    /// Tells graphs of one name apart.
    pub graph_digest: &'a str,
    /// Whether it was measured in turn with another build.
    pub beside: bool,
    /// Oldest first; never empty.
    pub rows: Vec<&'a HistoryRow>,
}

/// All cells of `rows`, in the order of their names; graphs, scopes and models that differ are cells of their own, and so
/// is what was measured in turn with another build.
pub fn series(rows: &[HistoryRow]) -> Vec<CellHistory<'_>> {
    let mut cells: BTreeMap<_, Vec<&HistoryRow>> = BTreeMap::new();
    for row in rows {
        let key = (row.cell.clone(), row.scope, row.model(), row.graph_digest.as_str(), row.beside);
        cells.entry(key).or_default().push(row);
    }
    cells
        .into_iter()
        .map(|((cell, scope, model, graph_digest, beside), mut rows)| {
            // The same order from the same rows, whatever order the file has them in.
            let place = |row: &HistoryRow| {
                (row.timestamp(), row.commit.clone(), row.experiment.clone(), row.device_uuid.clone())
            };
            rows.sort_by_cached_key(|row| place(row));
            CellHistory { cell, scope, model, graph_digest, beside, rows }
        })
        .collect()
}

impl CellHistory<'_> {
    /// The cell's name, its scope where that is a program's, and that it was measured in turn with another build if it was.
    pub fn name(&self) -> String {
        let mut name = self.cell.to_string();
        if Scope::PROGRAM.contains(&self.scope) {
            name += &format!(", scope {}", self.scope);
        }
        if self.beside {
            name += ", in turn with another build";
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::super::row::tests::row;
    use super::*;

    #[test]
    fn another_graph_scope_or_model_is_another_cell_and_another_driver_is_not() {
        let rows = [
            row(2, 1.0),
            HistoryRow { driver: "590.2".into(), experiment: "timers".into(), ..row(1, 1.0) },
            HistoryRow { graph_digest: "ffffffff".into(), ..row(3, 1.0) },
            HistoryRow { scope: Scope::Total, ..row(3, 1.0) },
            HistoryRow { device: "NVIDIA A100".into(), ..row(3, 1.0) },
            HistoryRow { cell: CellId::new("staged-load", 1024, "kappa=4", ""), ..row(3, 1.0) },
            HistoryRow { beside: true, ..row(3, 1.0) },
        ];
        let cells = series(&rows);
        assert_eq!(cells.len(), 6);
        let both = cells.iter().find(|cell| cell.rows.len() == 2).unwrap();
        assert!(both.rows[0].time < both.rows[1].time && both.rows[0].driver == "590.2");
    }

    #[test]
    fn time_is_compared_as_time_and_not_as_text() {
        let east = HistoryRow { time: "2026-03-02T01:00:00+05:00".into(), ..row(1, 1.0) };
        let rows = [HistoryRow { time: "2026-03-01T21:00:00Z".into(), ..row(1, 1.0) }, east.clone()];
        assert_eq!(series(&rows)[0].rows[0], &east);
    }
}
