//! Checks on rows, and the row that other checks begin with.

use super::*;
use std::path::PathBuf;

/// A row of a day, with an interval of ±0.1% around the median.
pub fn row(day: u32, median_s: f64) -> HistoryRow {
    HistoryRow {
        time: format!("2026-03-{day:02}T12:00:00Z"),
        commit: format!("{day:040x}"),
        dirty: false,
        experiment: "table1".into(),
        cell: CellId::new("staged-load", 1024, "", ""),
        scope: Scope::Kernel,
        samples: 12,
        seconds: Estimate { value: median_s, low: median_s * 0.999, high: median_s * 1.001 },
        ci_confidence: 0.961,
        device: "NVIDIA H200".into(),
        device_uuid: "GPU-1".into(),
        driver: "580.1".into(),
        compiler: "NVRTC 13.0".into(),
        host_cpu: "CPU".into(),
        sm_mhz: Some(1980),
        beside: false,
        power_w: Some(400.0),
        temperature_c: Some(50),
        throttled: Some(false),
        others_load: None,
        graph_digest: "0123abcd".into(),
    }
}

fn reference(name: &str) -> StoredRun {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("results/reference").join(name);
    StoredRun::open(&folder).unwrap()
}

#[test]
fn a_run_gives_a_row_for_each_cell_with_a_median_and_all_are_valid() {
    let run = reference("h200/table1");
    let rows = rows_of(&run);
    assert_eq!(rows.len(), run.results.summary.iter().filter(|row| row.median_s.is_some()).count());
    assert!(rows.iter().all(|row| row.check().is_ok() && row.time == run.manifest.started));
    for row in &rows {
        let on_gpu = !row.cell.implementation.starts_with("cpu-");
        assert_eq!(on_gpu, row.device == "NVIDIA H200" && row.sm_mhz.is_some(), "{row:?}");
        let is_read = row.power_w.is_some() && row.temperature_c.is_some() && !row.device_uuid.is_empty();
        assert_eq!(on_gpu, is_read && row.throttled == Some(false) && !row.driver.is_empty(), "{row:?}");
    }
    assert!(rows_of(&reference("emulated/structure")).is_empty(), "counts are no times");
}

#[test]
fn a_sample_that_was_throttled_and_the_load_of_others_mark_their_cells_alone() {
    let mut run = reference("h200/table1");
    let cell =
        |name: &str| rows_of(&run).into_iter().find(|row| row.cell.implementation == name).unwrap().cell;
    let [gpu, cpu] = ["staged-load", "cpu-naive"].map(cell);
    let sample = run.samples.iter_mut().find(|row| row.is_of(&gpu)).unwrap();
    sample.throttled_by = "power cap".into();
    for row in &mut run.results.summary {
        row.others_load = (row.cell() == cpu).then_some(0.5);
    }
    let rows = rows_of(&run);
    let disturbed: Vec<&CellId> = rows.iter().filter(|row| row.is_disturbed()).map(|row| &row.cell).collect();
    assert!(disturbed.len() == 2 && disturbed.contains(&&gpu) && disturbed.contains(&&cpu), "{disturbed:?}");
}

#[test]
fn a_program_is_in_the_history_by_the_clock_around_its_solve_or_else_the_whole() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/stored/programs");
    let rows = rows_of(&StoredRun::open(&folder).unwrap());
    let of = |name: &str| -> Vec<(usize, Scope)> {
        let rows = rows.iter().filter(|row| row.cell.implementation == name);
        rows.map(|row| (row.cell.n, row.scope)).collect()
    };
    assert_eq!(of("cpu-naive"), [(16, Scope::Kernel), (256, Scope::Kernel)]);
    assert_eq!(of("scipy-floyd-warshall"), [(16, Scope::ProgramSolve), (256, Scope::ProgramSolve)]);
    assert_eq!(of("scipy-whole"), [(256, Scope::Program)]);
    for row in &rows {
        assert!(row.check().is_ok() && !row.is_on_gpu(), "{row:?}");
    }
}

#[test]
fn a_file_is_called_after_the_gpu_or_the_cpu() {
    let mut run = reference("h200/table1");
    assert_eq!(file_for(&run), "nvidia-h200.csv");
    let environment = run.manifest.environment.as_mut().unwrap();
    environment.device.as_mut().unwrap().info.emulated = true;
    environment.host.cpu = "Intel(R) Xeon(R) CPU @ 2.70GHz".into();
    assert_eq!(file_for(&run), "intel-r-xeon-r-cpu-2-70ghz.csv");
    run.manifest.environment.as_mut().unwrap().host.cpu = "../..".into();
    assert_eq!(file_for(&run), "unknown.csv");
}

#[test]
fn graphs_of_one_name_are_told_apart_and_a_file_is_the_same_wherever_it_lies() {
    let run = reference("h200/occupancy");
    let rows = rows_of(&run);
    let mut digests: Vec<&str> = rows.iter().map(|row| row.graph_digest.as_str()).collect();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), run.manifest.experiment.graphs.len());
    let file = |path: &str, digest: &str| {
        super::digest(Some(&GraphSource::File { path: path.into(), digest: digest.into() }))
    };
    assert_eq!(file("a", "1"), file("b", "1"));
    assert_ne!(file("a", "1"), file("a", "2"));
}
