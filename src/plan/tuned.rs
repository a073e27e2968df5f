//! Parameters that were fastest in a run of an experiment that tunes them, for cells that leave them to their defaults.

use crate::graph::ElementType;
use crate::implementation::{Parameters, beyond_defaults};
use crate::lists::{distinct, grouped};
use crate::plan::cells::cells;
use crate::plan::config::NamedGraph;
use crate::plan::resolve::{Column, Experiment};
use crate::plan::searched::BestPoint;
use crate::results::StoredRun;
use crate::results::SummaryRow;
use crate::show::TableColumn;
use crate::store::Status;

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

/// What was fastest of `summary`'s cells that differ in tuned parameters alone; nothing of an experiment that tunes none.
pub fn fastest(experiment: &Experiment, summary: &[SummaryRow]) -> Vec<Fastest> {
    let tunes = |name: &str| experiment.tunes.iter().any(|tuned| tuned == name);
    let measured = summary.iter().filter_map(|row| {
        let parameters: Parameters = row.params.parse().ok()?;
        let (tuned, given) = parameters.split(tunes);
        let given = beyond_defaults(&row.implementation, &given);
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

/// What a run chooses for one implementation on one graph.
#[derive(Clone, Debug, PartialEq)]
struct Choice {
    element: ElementType,
    implementation: String,
    n: usize,
    /// Parameters that the run does not tune.
    given: Parameters,
    /// The best values of those that it does; empty where that is what the implementation takes anyway.
    chosen: Parameters,
}

/// A run of an experiment that tunes parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuned {
    /// The model of the GPU that it ran on; without one of the CPU.
    pub model: String,
    names: Vec<String>,
    rows: Vec<Choice>,
}

impl Tuned {
    /// # Errors
    /// When the run's experiment tunes nothing, the run was not finished, or it timed no values of the parameters, with the remedy.
    pub fn of(run: &StoredRun) -> Result<Self, String> {
        let (folder, experiment) = (run.folder.display(), &run.manifest.experiment);
        let remedy = "give the folder of a run of tile-sweep, or of another experiment with `tunes`";
        let searched = experiment.search.as_ref();
        if searched.is_some_and(|search| !search.ended) {
            return Err(format!("{folder}: this search has not ended: repro tune --resume {folder}"));
        }
        if experiment.tunes.is_empty() {
            return Err(format!(
                "{folder}: its experiment, {}, tunes no parameters: {remedy}",
                experiment.name
            ));
        }
        // One that ended with failures has not finished either, but every cell was tried.
        let failed = |row: &SummaryRow| matches!(row.status, Status::Failed | Status::Timeout);
        let summary = &run.results.summary;
        let every_cell_was_tried = summary.len() == cells(&run.manifest).len() && summary.iter().any(failed);
        if searched.is_none() && run.manifest.finished.is_none() && !every_cell_was_tried {
            return Err(format!(
                "{folder}: this run has not ended: repro run {} --resume {folder}",
                experiment.name
            ));
        }
        let rows = match searched {
            Some(search) => search.best.as_ref().map(|best| found(experiment, best)).unwrap_or_default(),
            None => choices(experiment, &run.results.summary),
        };
        match (run.environment(), rows.is_empty()) {
            (Some(environment), false) => {
                Ok(Self { model: environment.model().to_string(), names: experiment.tunes.clone(), rows })
            }
            (Some(_), true) if searched.is_some() => {
                Err(format!("{folder}: no point of this search was right: repro tune shows why"))
            }
            _ => Err(format!(
                "{folder}: no cell with {} set was timed in this run: {remedy}",
                experiment.tunes.join(" or ")
            )),
        }
    }

    /// What was fastest at the nearest n, by ratio; empty where the implementation's own choice was. None of what the run does not
    /// have.
    fn nearest(
        &self,
        implementation: &str,
        given: &Parameters,
        element: ElementType,
        n: usize,
    ) -> Option<Parameters> {
        let is_of = |row: &&Choice| {
            (row.element, row.implementation.as_str(), &row.given) == (element, implementation, given)
        };
        let distance = |row: &Choice| (row.n as f64 / n.max(1) as f64).ln().abs();
        let nearest = self.rows.iter().filter(is_of).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some(nearest.chosen.clone())
    }

    /// The columns with the parameters that were fastest, one for each that some of its cells get. What the run does not have, as
    /// another type of distance, stays as it is.
    ///
    /// # Errors
    /// When that is all.
    pub fn applied(&self, columns: Vec<Column>, graphs: &[NamedGraph]) -> Result<Vec<Column>, String> {
        let mut applied = Vec::new();
        let mut is_any_tuned = false;
        for column in &columns {
            let tuned = self.tuned(column, graphs);
            is_any_tuned |= tuned.is_some();
            applied.extend(tuned.unwrap_or_else(|| vec![column.clone()]));
        }
        if is_any_tuned {
            return Ok(applied);
        }
        let names = self.names.join(" or ");
        let known = distinct(self.rows.iter().map(|row| row.implementation.clone()));
        let is_known = |column: &&Column| known.contains(&column.implementation);
        Err(match columns.iter().filter(is_known).find(|column| !self.sets(column)) {
            Some(column) => format!(
                "that run has no {} in {}: run its experiment with the same --param and --elements",
                TableColumn {
                    implementation: column.implementation.clone(),
                    params: column.parameters.to_string()
                }
                .name(),
                distinct(graphs.iter().map(|graph| graph.element.to_string())).join(" or ")
            ),
            None if columns.iter().any(|column| is_known(&column)) => {
                format!("every cell of {} sets {names} itself: leave it open", known.join(" and "))
            }
            None => format!("that run is of {}, which this one does not run", known.join(" and ")),
        })
    }

    fn sets(&self, column: &Column) -> bool {
        column.parameters.iter().any(|(name, _)| self.names.iter().any(|tuned| tuned == name))
    }

    /// None of a column that sets what is tuned, or of which the run has nothing.
    fn tuned(&self, column: &Column, graphs: &[NamedGraph]) -> Option<Vec<Column>> {
        if self.sets(column) {
            return None;
        }
        let given = beyond_defaults(&column.implementation, &column.parameters);
        let on: Vec<&NamedGraph> = graphs.iter().filter(|graph| column.runs_on(&graph.name)).collect();
        let mut is_any_known = false;
        let mut parts: Vec<Column> = Vec::new();
        for (place, graph) in on.iter().enumerate() {
            // What is counted hardly depends on the graph, and is counted on the first.
            let emulated: &[usize] = if place == 0 { &column.emulated } else { &[] };
            let all = [&column.sizes[..], &column.filled, emulated].into_iter().enumerate();
            for (list, &n) in all.flat_map(|(list, sizes)| sizes.iter().map(move |n| (list, n))) {
                let nearest = self.nearest(&column.implementation, &given, graph.element, n);
                is_any_known |= nearest.is_some();
                let set = nearest.unwrap_or_default();
                let parameters =
                    set.iter().fold(column.parameters.clone(), |all, (name, value)| all.with(name, value));
                let part = part_of(&mut parts, column, &graph.name, parameters);
                [&mut part.sizes, &mut part.filled, &mut part.emulated][list].push(n);
            }
        }
        is_any_known.then(|| column.joined(on.len(), parts))
    }
}

/// The fastest of an experiment that lists what it tries.
fn choices(experiment: &Experiment, summary: &[SummaryRow]) -> Vec<Choice> {
    let choice = |row: Fastest| {
        let is_chosen_anyway = row.default_seconds.is_some_and(|default| default <= row.seconds);
        Choice {
            element: experiment.element_of(&row.graph),
            implementation: row.implementation,
            n: row.n,
            given: row.given,
            chosen: if is_chosen_anyway { Parameters::default() } else { row.tuned },
        }
    };
    fastest(experiment, summary).into_iter().map(choice).collect()
}

/// What a search found for its only implementation, n and type of distance.
fn found(experiment: &Experiment, best: &BestPoint) -> Vec<Choice> {
    let choice = |column: &Column| {
        Some(Choice {
            element: experiment.graphs.first()?.element,
            implementation: column.implementation.clone(),
            n: *column.emulated.first().or(column.sizes.first())?,
            given: Parameters::default(),
            chosen: best.parameters.clone(),
        })
    };
    experiment.columns.first().and_then(choice).into_iter().collect()
}

/// The part of `column` on one graph with these parameters, which has no sizes at first.
fn part_of<'a>(
    parts: &'a mut Vec<Column>,
    column: &Column,
    graph: &str,
    parameters: Parameters,
) -> &'a mut Column {
    let is_it = |part: &Column| part.graphs == [graph] && part.parameters == parameters;
    let at = parts.iter().position(is_it).unwrap_or(parts.len());
    if at == parts.len() {
        parts.push(Column {
            implementation: column.implementation.clone(),
            parameters,
            graphs: vec![graph.to_string()],
            sizes: Vec::new(),
            filled: Vec::new(),
            emulated: Vec::new(),
        });
    }
    &mut parts[at]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::searched::{CostKind, Searched};
    use crate::show::fixtures::{cell, experiment, measured};
    use crate::show::tuning;

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
        let rows = choices(&experiment, &summary());
        Tuned { model: "GPU".into(), names: experiment.tunes.clone(), rows }
    }

    #[test]
    fn the_fastest_stands_beside_the_default_and_only_cells_that_differ_in_tuned_parameters_compete() {
        let grid = tuning::grid(&tuning_experiment(), &summary()).unwrap();
        let shown: Vec<Vec<&str>> =
            grid.rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        assert_eq!(
            shown,
            [
                ["1024", "f32", NAME, "depth=1;tile=64", "2.000", "2.000", "+0.0%"],
                ["1024", "f32", "register-blocked (omit=1)", "depth=4;tile=128", "1.000", "-", "-"],
                ["4096", "f32", NAME, "depth=4;tile=128", "60.00", "66.00", "+10.0%"],
            ]
        );
        let plain = Experiment { tunes: Vec::new(), ..tuning_experiment() };
        assert!(tuning::grid(&plain, &summary()).is_none());
    }

    #[test]
    fn what_is_left_open_gets_the_fastest_of_the_nearest_n_and_its_own_type() {
        let nearest = |given: &str, element, n| {
            let found = tuned().nearest(NAME, &given.parse().unwrap(), element, n);
            found.map(|parameters| parameters.to_string())
        };
        // As fast as what is chosen anyway.
        assert_eq!(nearest("", ElementType::F32, 2047).as_deref(), Some(""));
        assert_eq!(nearest("", ElementType::F32, 2049).as_deref(), Some("depth=4;tile=128"));
        assert_eq!(nearest("omit=1", ElementType::F32, 9000).as_deref(), Some("depth=4;tile=128"));
        assert_eq!(nearest("", ElementType::U16, 9000), None);
        assert_eq!(nearest("omit=2", ElementType::F32, 9000), None);
    }

    /// Columns at several sizes.
    fn column(name: &str, params: &str) -> Column {
        Column {
            implementation: name.into(),
            parameters: params.parse().unwrap(),
            graphs: Vec::new(),
            sizes: vec![512, 1024, 8192],
            filled: vec![16_384],
            emulated: vec![64],
        }
    }

    #[test]
    fn columns_are_split_where_the_fastest_changes_and_keep_every_cell() {
        let graphs = tuning_experiment().graphs;
        // Its default is set: that is as if it was not.
        let given = vec![column(NAME, "omit=0"), column("staged-load", ""), column(NAME, "omit=2")];
        let split = tuned().applied(given.clone(), &graphs).unwrap();
        let expected = [
            Column { filled: vec![], sizes: vec![512, 1024], ..given[0].clone() },
            Column {
                parameters: "depth=4;omit=0;tile=128".parse().unwrap(),
                sizes: vec![8192],
                emulated: vec![],
                ..given[0].clone()
            },
        ];
        assert_eq!(split[..2], expected);
        assert_eq!(split[2..], given[1..]);
    }

    #[test]
    fn only_graphs_whose_type_was_tuned_are_set_apart_and_the_emulated_device_counts_one() {
        let plain = &tuning_experiment().graphs[0];
        let graphs = NamedGraph::in_each(
            &[NamedGraph { name: String::new(), ..plain.clone() }],
            &[ElementType::F32, ElementType::I32, ElementType::U16],
        );
        let split = tuned().applied(vec![column(NAME, "")], &graphs).unwrap();
        let of: Vec<_> = split
            .iter()
            .map(|one| {
                (one.parameters.to_string(), one.graphs.join("+"), one.sizes.len(), one.emulated.len())
            })
            .collect();
        let names: Vec<&str> = graphs.iter().map(|graph| graph.name.as_str()).collect();
        let others = names[1..].join("+");
        let expected = [("", names[0], 2, 1), ("depth=4;tile=128", names[0], 1, 0), ("", &others, 3, 0)];
        assert_eq!(of, expected.map(|(a, b, c, d)| (a.to_string(), b.to_string(), c, d)));
    }

    #[test]
    fn where_nothing_is_tuned_the_reason_is_named() {
        let graphs = tuning_experiment().graphs;
        let refused =
            |name: &str, params: &str| tuned().applied(vec![column(name, params)], &graphs).unwrap_err();
        assert_eq!(
            refused("staged-load", ""),
            "that run is of register-blocked, which this one does not run"
        );
        assert_eq!(
            refused(NAME, "tile=64"),
            "every cell of register-blocked sets tile or depth itself: leave it open"
        );
        let other = refused(NAME, "reorder=1");
        assert!(other.starts_with("that run has no register-blocked (reorder=1) in f32: run its"), "{other}");
    }

    #[test]
    fn a_search_gives_its_best_at_its_n_and_only_once_it_has_ended() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200/frontier");
        let mut run = StoredRun::open(&folder).unwrap();
        let best = BestPoint {
            parameters: "depth=2;tile=64".parse().unwrap(),
            cost: 3.0,
            by: CostKind::SectorBytesATask,
        };
        let searched = Searched {
            seed: 1,
            points: Some(5),
            seconds: None,
            random: 2,
            spent_s: 1.0,
            ended: false,
            best: Some(best),
        };
        (run.manifest.experiment.tunes, run.manifest.experiment.search) =
            (vec!["tile".into(), "depth".into()], Some(searched));
        run.manifest.experiment.columns[0] = column(NAME, "");
        let not_ended = Tuned::of(&run).unwrap_err();
        assert!(not_ended.contains("this search has not ended: repro tune --resume"), "{not_ended}");
        let mut set = |best: bool| {
            let search = run.manifest.experiment.search.as_mut().unwrap();
            search.ended = true;
            search.best = search.best.take().filter(|_| best);
            Tuned::of(&run)
        };
        let known = set(true).unwrap();
        let nearest = known.nearest(NAME, &Parameters::default(), ElementType::F32, 4096).unwrap();
        assert_eq!(nearest.to_string(), "depth=2;tile=64");
        assert!(set(false).unwrap_err().contains("no point of this search was right"));
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
