//! Parameters that were fastest in a run of an experiment that tunes them, for cells that leave them to their defaults.

use super::config::NamedGraph;
use super::resolve::{Column, Experiment};
use super::stored::StoredRun;
use crate::graph::ElementType;
use crate::implementation::Parameters;
use crate::lists::grouped;
use crate::record::SummaryRow;

/// Of one implementation on one graph: what was fastest among the values of the tuned parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Fastest {
    pub implementation: String,
    pub n: usize,
    /// The graph's name in the experiment.
    pub graph: String,
    /// Parameters that the experiment does not tune.
    pub given: Parameters,
    /// The fastest values of those that it does.
    pub tuned: Parameters,
    pub seconds: f64,
    /// What the implementation takes when it is left to choose.
    pub default_seconds: Option<f64>,
}

/// What was fastest in each row of `summary`'s cells that differ in tuned parameters alone; nothing of an experiment that tunes none.
pub fn fastest(experiment: &Experiment, summary: &[SummaryRow]) -> Vec<Fastest> {
    let tunes = |name: &str| experiment.tunes.iter().any(|tuned| tuned == name);
    let measured = summary.iter().filter_map(|row| {
        let parameters: Parameters = row.params.parse().ok()?;
        let (tuned, given) = parameters.split(tunes);
        let key = (row.implementation.clone(), row.n, row.graph.clone(), given);
        Some((key, (tuned, row.median_s?)))
    });
    let rows = grouped(measured).into_iter().filter_map(|((implementation, n, graph, given), all)| {
        let (default, set): (Vec<_>, Vec<_>) = all.into_iter().partition(|(tuned, _)| tuned.is_empty());
        let (tuned, seconds) = set.into_iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        let default_seconds = default.first().map(|(_, seconds)| *seconds);
        Some(Fastest { implementation, n, graph, given, tuned, seconds, default_seconds })
    });
    rows.collect()
}

/// A run of an experiment that tunes parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The model of the GPU that it ran on; without one of the CPU.
    pub model: String,
    names: Vec<String>,
    rows: Vec<(ElementType, Fastest)>,
}

impl Tuned {
    /// # Errors
    /// When the run's experiment tunes nothing or there is no time in it, with the remedy.
    pub fn of(run: &StoredRun) -> Result<Self, String> {
        let experiment = &run.manifest.experiment;
        let remedy = "give the folder of a run of tile-sweep, or of another experiment with `tunes`";
        if experiment.tunes.is_empty() {
            return Err(format!(
                "{}: its experiment, {}, tunes no parameters: {remedy}",
                run.folder.display(),
                experiment.name
            ));
        }
        let rows: Vec<_> = fastest(experiment, &run.results.summary)
            .into_iter()
            .map(|row| (experiment.element_of(&row.graph), row))
            .collect();
        match (run.environment(), rows.is_empty()) {
            (Some(environment), false) => {
                Ok(Self { model: environment.model().to_string(), names: experiment.tunes.clone(), rows })
            }
            _ => Err(format!("{}: nothing was timed in this run: {remedy}", run.folder.display())),
        }
    }

    /// `given` with what was fastest at the nearest n, by ratio; as it is if it sets one of the tuned parameters itself, or the run
    /// does not have the implementation.
    fn parameters(
        &self,
        implementation: &str,
        given: &Parameters,
        element: ElementType,
        n: usize,
    ) -> Parameters {
        let is_of = |(of, row): &&(ElementType, Fastest)| {
            (*of, row.implementation.as_str(), &row.given) == (element, implementation, given)
        };
        let distance = |row: &Fastest| (row.n as f64 / n.max(1) as f64).ln().abs();
        let rows = self.rows.iter().filter(is_of).map(|(_, row)| row);
        match rows.min_by(|a, b| distance(a).total_cmp(&distance(b))) {
            Some(nearest) => {
                nearest.tuned.iter().fold(given.clone(), |all, (name, value)| all.with(name, value))
            }
            None => given.clone(),
        }
    }

    /// The columns with the parameters that were fastest, one for each that some of its cells get.
    ///
    /// # Errors
    /// When the run has none of the implementations that leave parameters to it.
    pub fn applied(&self, columns: Vec<Column>, graphs: &[NamedGraph]) -> Result<Vec<Column>, String> {
        let is_known = |column: &Column| {
            self.rows.iter().any(|(_, row)| {
                (&row.implementation, &row.given) == (&column.implementation, &column.parameters)
            })
        };
        if !columns.iter().any(is_known) {
            let mut known: Vec<&str> = self.rows.iter().map(|(_, row)| row.implementation.as_str()).collect();
            known.dedup();
            return Err(format!(
                "that run tells {} of {}, and no cell of this one leaves them open: run without it",
                self.names.join(" and "),
                known.join(", ")
            ));
        }
        Ok(columns.into_iter().flat_map(|column| self.split(column, graphs)).collect())
    }

    fn split(&self, column: Column, graphs: &[NamedGraph]) -> Vec<Column> {
        let mut split: Vec<Column> = Vec::new();
        let is_of_column =
            |graph: &&NamedGraph| column.graphs.is_empty() || column.graphs.contains(&graph.name);
        for graph in graphs.iter().filter(is_of_column) {
            // One graph has no name, and columns name none of it.
            let names = if graphs.len() == 1 { Vec::new() } else { vec![graph.name.clone()] };
            for (at, sizes) in [&column.sizes, &column.filled, &column.emulated].into_iter().enumerate() {
                for &n in sizes {
                    let parameters =
                        self.parameters(&column.implementation, &column.parameters, graph.element, n);
                    let same = |known: &Column| known.parameters == parameters && known.graphs == names;
                    let place = split.iter().position(same).unwrap_or_else(|| {
                        split.push(Column {
                            implementation: column.implementation.clone(),
                            parameters,
                            graphs: names.clone(),
                            sizes: Vec::new(),
                            filled: Vec::new(),
                            emulated: Vec::new(),
                        });
                        split.len() - 1
                    });
                    let into = &mut split[place];
                    [&mut into.sizes, &mut into.filled, &mut into.emulated][at].push(n);
                }
            }
        }
        split
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::tables::fixtures::{cell, experiment, measured};
    use crate::experiment::tables::tuning;

    const NAME: &str = "register-blocked";

    fn tuning_experiment() -> Experiment {
        let columns = ["", "depth=1;tile=64", "depth=4;tile=128", "depth=4;omit=1;tile=128"];
        let tunes = vec!["tile".to_string(), "depth".to_string()];
        Experiment { tunes, ..experiment(&columns.map(|params| (NAME, params)), &[""]) }
    }

    fn summary() -> Vec<SummaryRow> {
        let times = [
            ("", 1024, 2.0),
            ("depth=1;tile=64", 1024, 2.0),
            ("depth=4;tile=128", 1024, 3.0),
            ("depth=4;omit=1;tile=128", 1024, 1.0),
            ("", 4096, 66.0),
            ("depth=1;tile=64", 4096, 80.0),
            ("depth=4;tile=128", 4096, 60.0),
        ];
        times.map(|(params, n, seconds)| measured(cell(NAME, params, n), &[seconds])).into()
    }

    fn tuned() -> Tuned {
        let experiment = tuning_experiment();
        let rows = fastest(&experiment, &summary()).into_iter().map(|row| (ElementType::F32, row));
        Tuned { model: "GPU".into(), names: experiment.tunes.clone(), rows: rows.collect() }
    }

    #[test]
    fn the_fastest_stands_beside_the_default_and_only_cells_that_differ_in_tuned_parameters_compete() {
        let grid = tuning::grid(&tuning_experiment(), &summary()).unwrap();
        let shown: Vec<Vec<&str>> =
            grid.rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        assert_eq!(
            shown,
            [
                ["1024", "", NAME, "depth=1;tile=64", "2.000", "2.000", "+0.0%"],
                ["1024", "", "register-blocked (omit=1)", "depth=4;tile=128", "1.000", "-", "-"],
                ["4096", "", NAME, "depth=4;tile=128", "60.00", "66.00", "+10.0%"],
            ]
        );
        let plain = Experiment { tunes: Vec::new(), ..tuning_experiment() };
        assert!(tuning::grid(&plain, &summary()).is_none());
    }

    #[test]
    fn what_is_left_open_gets_the_fastest_of_the_nearest_n_and_its_own_type() {
        let parameters = |given: &str, element, n| {
            tuned().parameters(NAME, &given.parse().unwrap(), element, n).to_string()
        };
        assert_eq!(parameters("", ElementType::F32, 2047), "depth=1;tile=64");
        assert_eq!(parameters("", ElementType::F32, 2049), "depth=4;tile=128");
        assert_eq!(parameters("omit=1", ElementType::F32, 9000), "depth=4;omit=1;tile=128");
        assert_eq!(parameters("tile=64", ElementType::F32, 9000), "tile=64");
        assert_eq!(parameters("", ElementType::U16, 9000), "");
    }

    #[test]
    fn columns_are_split_where_the_fastest_changes_and_keep_every_cell() {
        let base = tuning_experiment();
        let column = |name: &str| Column {
            implementation: name.into(),
            sizes: vec![512, 1024, 8192],
            filled: vec![16_384],
            emulated: vec![64],
            ..base.columns[0].clone()
        };
        let given = vec![column(NAME), column("staged-load")];
        let split = tuned().applied(given.clone(), &base.graphs).unwrap();
        let of = |at: usize| {
            let column: &Column = &split[at];
            (
                column.parameters.to_string(),
                column.sizes.clone(),
                column.filled.clone(),
                column.emulated.clone(),
            )
        };
        assert_eq!(of(0), ("depth=1;tile=64".into(), vec![512, 1024], vec![], vec![64]));
        assert_eq!(of(1), ("depth=4;tile=128".into(), vec![8192], vec![16_384], vec![]));
        assert_eq!(split[2..], given[1..]);
        let refused = tuned().applied(given[1..].to_vec(), &base.graphs).unwrap_err();
        assert!(refused.starts_with("that run tells tile and depth of register-blocked"), "{refused}");
    }

    #[test]
    fn a_run_that_tunes_nothing_is_refused_with_the_remedy() {
        let folder = std::path::Path::new("results/reference/h200/frontier");
        let refused = Tuned::of(&StoredRun::open(folder).unwrap()).unwrap_err();
        assert!(
            refused.contains("frontier, tunes no parameters: give the folder of a run of tile-sweep"),
            "{refused}"
        );
    }
}
