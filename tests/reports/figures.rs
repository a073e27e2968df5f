//! Figures and tables that experiments declare: what they say, that they have data, and that the data are those of the records.

use super::reference_report::{contents, made};
use crate::common::place::{Place, small_experiment};
use crate::common::stored::{copy, edit_manifest, edit_rows, reference};
use repro::plan::built_in_experiments;
use repro::published::published_papers;
use repro::report::assemble;
use repro::results::StoredRun;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a number of `text` is what came out, and not what was set: it has the unit of a result.
fn tells_a_result(text: &str) -> bool {
    let units = ["times", "percent", "seconds", "s", "ms", "µs", "GB/s"];
    let words: Vec<&str> = text.split([' ', ',', ';', ':']).collect();
    let has_unit = |pair: &[&str]| pair[0].parse::<f64>().is_ok() && units.contains(&pair[1]);
    text.contains(['×', '%']) || words.windows(2).any(has_unit)
}

#[test]
fn titles_and_captions_are_words_of_a_person_that_no_measurement_makes_false() {
    for display in built_in_experiments() {
        assert!(!display.figures.is_empty(), "{} declares neither figure nor table", display.name);
        for spec in &display.figures {
            let of = format!("{} of {}", spec.id, display.name);
            let (title, caption) = (&spec.title, &spec.caption);
            assert!((1..=110).contains(&title.chars().count()) && !title.ends_with('.'), "{of}: {title}");
            assert!(caption.ends_with('.') && !caption.contains(". "), "{of}: one sentence: {caption}");
            assert!(!tells_a_result(title) && !tells_a_result(caption), "{of}: {title}: {caption}");
        }
    }
}

/// What is declared and in no committed run, with the reason.
const WITHOUT_DATA: [(&str, &str); 4] = [
    (
        "block-order-wrong-results",
        "solves that were only counted are compared with the reference, and keep no sample",
    ),
    ("scaling-undirected-seconds", "no committed run is of undirected graphs on several devices"),
    ("scaling-undirected-efficiency", "as above"),
    ("scaling-undirected-waiting", "as above"),
];

#[test]
fn every_figure_and_table_that_is_declared_has_data_in_the_committed_runs() {
    let made = contents(made());
    let declared = built_in_experiments().into_iter().flat_map(|display| {
        display.figures.into_iter().map(move |spec| format!("{}-{}", display.name, spec.id))
    });
    let is_made = |id: &String| {
        ["figures", "tables"].iter().any(|folder| made.contains_key(&format!("{folder}/{id}.csv")))
    };
    let without: BTreeSet<String> = declared.filter(|id| !is_made(id)).collect();
    assert_eq!(without, WITHOUT_DATA.map(|(id, _)| id.to_string()).into());
}

/// The seconds in a run's samples of one cell by a clock, read without the program.
fn median(run: &str, cell: [&str; 3], clock: &str) -> f64 {
    let mut samples = csv::Reader::from_path(reference(run).join("samples.csv")).unwrap();
    let rows = samples.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
    let is_it = |row: &BTreeMap<String, String>| {
        ["implementation", "n", "params", "scope", "status"]
            .iter()
            .zip(cell.into_iter().chain([clock, "ok"]))
            .all(|(column, value)| row[*column] == value)
    };
    let mut seconds: Vec<f64> = rows.filter(is_it).map(|row| row["seconds"].parse().unwrap()).collect();
    seconds.sort_by(f64::total_cmp);
    let (low, high) = (seconds[(seconds.len() - 1) / 2], seconds[seconds.len() / 2]);
    f64::midpoint(low, high)
}

#[test]
fn values_of_figures_are_those_of_a_computation_from_the_samples_alone() {
    let [table1, kappas, timers] = ["h200/table1", "h200/kappa-sweep", "h200/timers"];
    let kappa = |kappa| median(kappas, ["generalized-blocked", "8192", kappa], "kernel");
    let clock = |clock| median(timers, ["global-memory", "4096", ""], clock);
    let staged = median(table1, ["staged-load", "4096", ""], "kernel");
    let share = 100.0 * clock("host-unsynced") / clock("host-synced");
    let relative = kappa("kappa=16") / kappa("kappa=1");
    // A figure, the series and x of a value, and the value.
    for (figure, run, series, x, expected) in [
        ("table1-seconds", table1, "staged-load", "4096", staged),
        ("kappa-sweep-relative-time", kappas, "n = 8192", "16", relative),
        ("timers-share-of-true-time", timers, "global-memory", "4096", share),
    ] {
        let folder = reference(run);
        let mut values = csv::Reader::from_path(made().join(format!("figures/{figure}.csv"))).unwrap();
        let rows = values.deserialize::<BTreeMap<String, String>>().map(Result::unwrap);
        let found: Vec<_> = rows
            .filter(|row| folder.ends_with(&row["run"]) && row["series"] == series && row["x"] == x)
            .collect();
        assert_eq!(found.len(), 1, "{figure}");
        let value: f64 = found[0]["value"].parse().unwrap();
        assert!((value / expected - 1.0).abs() < 1e-12, "{figure}: {value}, but {expected} by hand");
        assert_eq!(found[0]["machine"], "NVIDIA H200");
    }
}

#[test]
fn neither_the_order_of_runs_nor_that_one_is_named_twice_changes_a_byte_of_a_report() {
    // Of one experiment on two machines, of another, and what was only counted.
    let mut runs = ["h200/ablation", "h100/ablation", "emulated/structure-kappa"].to_vec();
    let place = Place::new();
    let made = |runs: &[&str], out: &str| {
        let runs = runs.iter().map(|run| reference(run).display().to_string()).collect::<Vec<_>>();
        place.succeed(&format!("report {} --out {out}", runs.join(" ")));
        contents(&place.path(out))
    };
    let one = made(&runs, "one");
    runs.reverse();
    runs.push(runs[0]);
    assert!(made(&runs, "other") == one);
}

#[test]
fn a_run_of_another_build_changes_no_panel() {
    let folder = tempfile::tempdir().unwrap();
    let [run, other] = ["run", "other"].map(|name| folder.path().join(name));
    [&run, &other].into_iter().for_each(|folder| copy("h200/ablation", folder));
    // It has fewer cells, but one that the run lacks.
    let tiles = "tile-in-registers";
    edit_rows(&run.join("samples.csv"), |row| row.get("implementation") != tiles);
    let others = ["katz-kider", "optimized-blocked"];
    edit_rows(&other.join("samples.csv"), |row| !others.contains(&row.get("implementation")));
    edit_manifest(&other, |manifest| manifest["build"]["commit"] = "5".repeat(40).into());
    let shown = |folders: &[&std::path::Path]| {
        let runs: Vec<StoredRun> = folders.iter().map(|folder| StoredRun::open(folder).unwrap()).collect();
        let report = assemble(&runs, &[], published_papers().unwrap().to_vec(), &[]);
        let exhibits = report.experiments.into_iter().flat_map(|page| page.exhibits);
        exhibits
            .map(|one| (String::from_utf8(one.csv).unwrap(), one.figure.map(|figure| figure.svg)))
            .collect::<Vec<_>>()
    };
    let alone = shown(&[&run]);
    assert!(alone.len() > 2 && alone == shown(&[&run, &other]));
    // Of the same build it fills what the run lacks, and no more.
    let build = StoredRun::open(&run).unwrap().manifest.build.commit;
    edit_manifest(&other, |manifest| manifest["build"]["commit"] = build.into());
    let both = shown(&[&run, &other]);
    let of = |all: &[(String, _)], run: &str| {
        all[1].0.lines().filter(|line| line.contains(run)).map(String::from).collect::<Vec<_>>()
    };
    assert!(of(&both, ",run,") == of(&alone, ",run,") && of(&both, ",other,").len() == 1, "{}", both[1].0);
}

#[test]
fn an_experiment_of_a_stranger_without_a_figure_gets_time_and_rate_by_what_it_sweeps() {
    let sizes = small_experiment(2, &[("cpu-naive", &[8, 16, 24]), ("cpu-parallel", &[16, 24])]);
    let sweep = small_experiment(2, &[("cpu-generalized-blocked", &[32])])
        + "parameters = { kappa = [1, 2, 4], tile = 8 }\n";
    for (text, along) in [(sizes, ["8", "16", "24"]), (sweep, ["1", "2", "4"])] {
        let place = Place::new();
        place.write("mine.toml", &text);
        place.succeed("run mine.toml --device cpu --out run --quiet");
        let page = place.read("run/report/experiments/mine.html");
        let drawn = |name: &&String| name.starts_with("figures/mine-") && name.ends_with(".csv");
        let made = contents(&place.path("run/report"));
        assert_eq!(made.keys().filter(drawn).count(), 2, "{text}");
        for figure in ["seconds", "tasks-a-second"] {
            assert!(page.contains(&format!("<section id=\"mine-{figure}\"")), "{figure}");
            let mut values = csv::Reader::from_reader(&*made[&format!("figures/mine-{figure}.csv")]);
            let rows: Vec<BTreeMap<String, String>> = values.deserialize().map(Result::unwrap).collect();
            let xs: BTreeSet<&str> = rows.iter().map(|row| &*row["x"]).collect();
            assert_eq!(xs, along.into(), "{figure}");
            let is_timed = |row: &BTreeMap<String, String>| {
                row["value"].parse::<f64>().unwrap() > 0.0 && row["samples"] == "2"
            };
            assert!(rows.iter().all(is_timed), "{rows:?}");
        }
    }
}
