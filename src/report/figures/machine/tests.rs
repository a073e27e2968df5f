//! Checks on the figures of a machine, with the committed reference runs.

use super::*;
use crate::plot::{Chart, Heat, Layout, Lines, Series};
use crate::show::figures::tests::{illegible, papers, reference};
use repro_types::CellId;
use std::path::PathBuf;

const RUNS: [&str; 6] = ["ablation", "frontier", "frontier-energy", "phases-unrolling", "table1", "timers"];

fn runs() -> Vec<StoredRun> {
    RUNS.map(reference).into()
}

fn counted() -> StoredRun {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference/emulated/structure");
    StoredRun::open(&folder).unwrap()
}

fn plots() -> Vec<Plot> {
    let runs = runs();
    of_machine(&runs.iter().collect::<Vec<_>>(), &[&counted()], &papers())
}

fn plot(id: &str) -> Plot {
    plots().into_iter().find(|plot| plot.id == id).unwrap()
}

fn heat(plot: &Plot) -> &Heat {
    match &plot.chart {
        Chart::Heat(chart) => chart,
        other => panic!("{other:?}"),
    }
}

fn lines(plot: &Plot) -> &Lines {
    match &plot.chart {
        Chart::Lines(chart) => chart,
        other => panic!("{other:?}"),
    }
}

fn series<'a>(plot: &'a Plot, name: &str) -> &'a Series {
    lines(plot).series.iter().find(|series| series.name == name).unwrap()
}

fn seconds(run: &StoredRun, implementation: &str, n: usize) -> f64 {
    let is = |row: &&crate::results::SummaryRow| {
        row.implementation == implementation && row.n == n && row.graph.is_empty()
    };
    run.results.summary.iter().find(is).unwrap().median_s.unwrap()
}

#[test]
fn no_text_of_a_machines_figures_leaves_its_picture_or_covers_another() {
    for plot in plots() {
        Layout::ALL.iter().for_each(|layout| assert_eq!(illegible(&plot, *layout), [""; 0]));
    }
}

#[test]
fn a_cell_is_the_ratio_of_two_times_of_the_run_that_its_row_names() {
    let plot = plot("speed-by-n");
    let chart = heat(&plot);
    assert!(plot.title.contains("staged-load"), "{}", plot.title);
    for (name, run) in
        [("register-blocked", "frontier"), ("optimized-blocked", "table1"), ("shared-buffer", "timers")]
    {
        let row = chart.rows.iter().find(|row| row.label == name).unwrap();
        assert_eq!(row.note, run);
        let at = chart.columns.iter().position(|n| n == "4096").unwrap();
        let run = reference(run);
        let expected = seconds(&run, "staged-load", 4096) / seconds(&run, name, 4096);
        assert!((row.cells[at].unwrap().value / expected - 1.0).abs() < 1e-12, "{name}");
    }
    // Of the settings that were measured at most sizes the fastest.
    let row = chart.rows.iter().find(|row| row.label == "two-phase").unwrap();
    let run = reference("phases-unrolling");
    let at = chart.columns.iter().position(|column| column == "8192").unwrap();
    let median = |name: &str, params: &str| {
        let cell = CellId::new(name, 8192, params, "m=60n");
        run.row(&cell).unwrap().median_s.unwrap()
    };
    let [rolled, unrolled] = [0, 1]
        .map(|unrolled| median("two-phase", &format!("element-loop=1;tile-place=1;unrolled={unrolled}")));
    let expected = median("staged-load", "") / unrolled;
    assert!(unrolled < rolled && (row.cells[at].unwrap().value / expected - 1.0).abs() < 1e-12);
    let told = "two-phase (element-loop=1;tile-place=1;unrolled=1)";
    assert!(plot.caption.contains(told), "{}", plot.caption);
    let means: Vec<f64> = chart
        .rows
        .iter()
        .map(|row| {
            let values: Vec<f64> = row.cells.iter().flatten().map(|cell| cell.value.ln()).collect();
            values.iter().sum::<f64>() / values.len() as f64
        })
        .collect();
    assert!(means.windows(2).all(|pair| pair[0] <= pair[1]), "from slow to fast");
}

#[test]
fn a_mark_of_the_roofline_is_the_rate_over_the_bytes_that_were_counted_or_modelled() {
    let plot = plot("roofline");
    let katz = series(&plot, "katz-kider");
    let table1 = reference("table1");
    let rate = 16384f64.powi(3) / seconds(&table1, "katz-kider", 16384);
    let [point] = katz.points[..] else { panic!("{:?}", katz.points) };
    assert!((point.x - 2.0).abs() < 1e-9 && (point.y / rate - 1.0).abs() < 1e-12, "{point:?}");
    assert!(katz.mark.unwrap().filled, "its bytes are counted");
    // An uncoalesced load moves sectors of which it wants a half.
    assert!((series(&plot, "staged-row-major").points[0].x - 1.6).abs() < 1e-9);
    assert!(!series(&plot, "register-blocked").mark.unwrap().filled, "its bytes are those of a model");
    let copy = series(&plot, "copy bandwidth");
    let [from, to] = copy.points[..] else { panic!("{:?}", copy.points) };
    let best = runs()
        .iter()
        .filter_map(|run| Some(run.environment()?.ceilings.device?.copy_gbs))
        .fold(0.0, f64::max);
    assert!(
        (from.y / from.x / (best * 1e9) - 1.0).abs() < 1e-9
            && (to.y / to.x / (best * 1e9) - 1.0).abs() < 1e-9
    );
    assert_eq!(lines(&plot).guides.len(), 3);
}

#[test]
fn a_diamond_of_the_roofline_is_the_rate_over_the_bytes_that_reached_dram() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference/h200");
    let limits = StoredRun::open(&folder.join("limits")).unwrap();
    let plots = of_machine(&[&limits], &[&counted()], &papers());
    let plot = plots.iter().find(|plot| plot.id == "roofline").unwrap();
    let rows =
        limits.results.counters.iter().filter(|row| row.implementation == "katz-kider" && row.n == 16384);
    let bytes: u64 = rows.map(|row| row.dram_bytes).sum();
    let [point] = series(plot, "katz-kider, to DRAM").points[..] else { panic!("one point") };
    assert!((point.x * bytes as f64 / 16384f64.powi(3) - 1.0).abs() < 1e-9, "{point:?}");
    let mut without = limits.clone();
    without.results.counters.clear();
    let plots = of_machine(&[&without], &[&counted()], &papers());
    let plot = plots.iter().find(|plot| plot.id == "roofline").unwrap();
    assert!(!lines(plot).series.iter().any(|series| series.name.ends_with("to DRAM")));
}

#[test]
fn a_run_on_the_cpu_alone_has_no_figure_of_a_gpu() {
    let mut run = reference("table1");
    let on_cpu = run.samples.iter().filter(|row| !run.is_on_device(&row.implementation));
    let on_cpu = on_cpu.cloned().collect();
    run = run.with_samples(on_cpu);
    let plots = of_machine(&[&run], &[], &papers());
    let ids: Vec<&str> = plots.iter().map(|plot| plot.id.as_str()).collect();
    assert_eq!(ids, ["samples-cpu"]);
    assert_eq!(of_machine(&[], &[], &papers()), []);
}

#[test]
fn a_joule_does_as_many_tasks_as_the_counter_and_the_cube_of_n_say() {
    let plot = plot("tasks-a-joule");
    let point = series(&plot, "register-blocked (reorder=1), u16").points[2];
    assert!(
        (point.x, (point.y / (16384f64.powi(3) * 21.0 / 1226.152) - 1.0).abs() < 1e-6) == (16384.0, true)
    );
    let open = series(&plot, "katz-kider");
    assert!(!open.mark.unwrap().filled && open.points.iter().all(|point| point.x > 12000.0));
    assert!(lines(&plot).series.iter().all(|series| series.name != "optimized-blocked"), "under a second");
}
