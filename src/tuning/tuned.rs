//! The best parameters that a stored run found.

use crate::implementation::Parameters;
use crate::plan::{BestPoint, Choice, Experiment, Tuned};
use crate::results::{Fastest, Results, StoredRun, SummaryRow, fastest};
use crate::store::{Status, cells};

/// The best parameters that a run found.
///
/// # Errors
/// When the run's experiment tunes nothing, the run was not finished, or it timed no values of the parameters, with the remedy.
pub fn tuned_by(run: &StoredRun) -> Result<Tuned, String> {
    let (folder, experiment) = (run.folder.display(), &run.manifest.experiment);
    let remedy = "give the folder of a run of tile-sweep, or of another experiment with `tunes`";
    let (searched, name) = (experiment.search.as_ref(), &experiment.name);
    let not_ended =
        |what| format!("{folder}: {what} has not ended: {}", run.manifest.how_to_go_on(&run.folder));
    if searched.is_some_and(|search| !search.ended) {
        return Err(not_ended("this search"));
    }
    if experiment.tunes.is_empty() {
        return Err(format!("{folder}: its experiment, {name}, tunes no parameters: {remedy}"));
    }
    // One that ended with failures has not finished either, but every cell was tried.
    let failed = |row: &SummaryRow| matches!(row.status, Status::Failed | Status::Timeout);
    let summary = &run.results.summary;
    let every_cell_was_tried = summary.len() == cells(&run.manifest).len() && summary.iter().any(failed);
    if searched.is_none() && run.manifest.finished.is_none() && !every_cell_was_tried {
        return Err(not_ended("this run"));
    }
    let rows = match searched {
        Some(search) => search.best.iter().filter_map(|best| found(experiment, best)).collect(),
        None => choices(experiment, &run.results),
    };
    match (run.environment(), rows.is_empty()) {
        (Some(environment), false) => {
            Ok(Tuned { model: environment.model().to_string(), names: experiment.tunes.clone(), rows })
        }
        (Some(_), true) if searched.is_some() => {
            Err(format!("{folder}: no point of this search was right: repro tune shows why"))
        }
        _ => {
            let tuned = experiment.tunes.join(" or ");
            Err(format!("{folder}: no cell with {tuned} set was timed in this run: {remedy}"))
        }
    }
}

/// The fastest of an experiment that lists what it tries.
fn choices(experiment: &Experiment, results: &Results) -> Vec<Choice> {
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
    fastest(experiment, &results.summary, &results.facts).into_iter().map(choice).collect()
}

/// What a search found for its only implementation, n and type of distance.
fn found(experiment: &Experiment, best: &BestPoint) -> Option<Choice> {
    let column = experiment.columns.first()?;
    Some(Choice {
        element: experiment.graphs.first()?.element,
        implementation: column.implementation.clone(),
        n: *column.count_sizes.first().or(column.sizes.first())?,
        given: Parameters::default(),
        chosen: best.parameters.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::ElementType;
    use crate::plan::{Column, CostKind, NamedGraph, Searched};
    use crate::results::fixtures::{cell, experiment, measured};
    use crate::show::subjects::tuning;

    const NAME: &str = "register-blocked";

    fn tuning_experiment() -> Experiment {
        let columns = ["", "depth=1;tile=64", "depth=4;tile=128", "depth=4;omit=1;tile=128"];
        let tunes = vec!["tile".to_string(), "depth".to_string()];
        Experiment { tunes, ..experiment(&columns.map(|params| (NAME, params)), &[""]) }
    }

    fn results() -> Results {
        let times = [
            ("", 1024, 2.0),
            ("depth=1;tile=64", 1024, 2.0),
            ("depth=4;tile=128", 1024, 3.0),
            ("depth=4;omit=1;tile=128", 1024, 1.0),
            ("", 4096, 66.0),
            ("depth=1;tile=64", 4096, 80.0),
            ("depth=4;tile=128", 4096, 60.0),
        ];
        let summary = times.map(|(params, n, seconds)| measured(cell(NAME, params, n), &[seconds])).into();
        Results { summary, ..Results::default() }
    }

    fn tuned() -> Tuned {
        let experiment = tuning_experiment();
        let rows = choices(&experiment, &results());
        Tuned { model: "GPU".into(), names: experiment.tunes.clone(), rows }
    }

    #[test]
    fn the_fastest_stands_beside_the_default_and_only_cells_that_differ_in_tuned_parameters_compete() {
        let grid = tuning::grid(&tuning_experiment(), &results()).unwrap();
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
        assert!(tuning::grid(&plain, &results()).is_none());
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
            optional: vec![16_384],
            count_sizes: vec![64],
        }
    }

    #[test]
    fn columns_are_split_where_the_fastest_changes_and_keep_every_cell() {
        let graphs = tuning_experiment().graphs;
        // Its default is set: that is as if it was not.
        let given = vec![column(NAME, "omit=0"), column("staged-load", ""), column(NAME, "omit=2")];
        let split = tuned().applied(given.clone(), &graphs).unwrap();
        let expected = [
            Column { optional: vec![], sizes: vec![512, 1024], ..given[0].clone() },
            Column {
                parameters: "depth=4;omit=0;tile=128".parse().unwrap(),
                sizes: vec![8192],
                count_sizes: vec![],
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
                (one.parameters.to_string(), one.graphs.join("+"), one.sizes.len(), one.count_sizes.len())
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
        let other = refused(NAME, "half=0");
        assert!(other.starts_with("that run has no register-blocked (half=0) in f32: run its"), "{other}");
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
        let not_ended = tuned_by(&run).unwrap_err();
        assert!(not_ended.contains("this search has not ended: repro tune --resume"), "{not_ended}");
        let mut set = |best: bool| {
            let search = run.manifest.experiment.search.as_mut().unwrap();
            search.ended = true;
            search.best = search.best.take().filter(|_| best);
            tuned_by(&run)
        };
        let known = set(true).unwrap();
        let nearest = known.nearest(NAME, &Parameters::default(), ElementType::F32, 4096).unwrap();
        assert_eq!(nearest.to_string(), "depth=2;tile=64");
        assert!(set(false).unwrap_err().contains("no point of this search was right"));
    }

    #[test]
    fn a_run_that_tunes_nothing_is_refused_with_the_remedy() {
        let folder = std::path::Path::new("results/reference/h200/frontier");
        let refused = tuned_by(&StoredRun::open(folder).unwrap()).unwrap_err();
        assert!(
            refused.contains("frontier, tunes no parameters: give the folder of a run of tile-sweep"),
            "{refused}"
        );
    }
}
