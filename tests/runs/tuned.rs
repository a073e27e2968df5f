//! Parameters that a run of `tile-sweep` found to be the fastest, for cells of another run that leave them open.

use crate::common::script::{Script, run_in, taking};
use crate::common::stored;
use crate::common::stored::edit_rows;
use crate::common::{repro, stderr};
use repro::graph::ElementType;
use repro::plan::Overrides;
use repro::results::StoredRun;
use repro::tuning::tuned_by;
use std::path::Path;

fn f32_at(sizes: &[usize]) -> Overrides {
    let elements = Some(vec![ElementType::F32]);
    Overrides { sizes: Some(sizes.to_vec()), elements, ..Overrides::default() }
}

/// A run of `tile-sweep` on "GPU", where small tiles are the fastest at 1,024 and deep rounds of large ones at 4,096.
fn swept(folder: &Path) {
    run_in(folder, "tile-sweep", &f32_at(&[1024, 4096]), &mut Script::new(|_, _, _| taking(2.0)));
    edit_rows(&folder.join("samples.csv"), |row| {
        if [(1024, "depth=1;tile=64"), (4096, "depth=4;tile=128")].contains(&(row.n(), row.get("params"))) {
            row.scale(0.5);
        }
        true
    });
}

#[test]
fn cells_that_leave_parameters_open_run_with_the_fastest_at_the_nearest_n() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = folder.path().join("sweep");
    swept(&sweep);
    let tuned = tuned_by(&StoredRun::open_measurement(&sweep).unwrap()).unwrap();
    assert_eq!(tuned.model, "GPU");
    let overrides = Overrides { tuned: Some(tuned), ..f32_at(&[512, 2047, 2049, 16_384]) };
    let mut script = Script::new(|_, _, _| taking(1.0));
    let ran = run_in(&folder.path().join("run"), "frontier", &overrides, &mut script);
    let of = |name: &str| -> Vec<(usize, String)> {
        let rows = ran.summary.iter().filter(|row| row.implementation == name);
        rows.map(|row| (row.n, row.params.clone())).collect()
    };
    let (small, large) = ("depth=1;tile=64", "depth=4;tile=128");
    let chosen = [(512, small), (2047, small), (2049, large), (16_384, large)];
    assert_eq!(of("register-blocked"), chosen.map(|(n, params)| (n, params.to_string())));
    assert!(of("staged-load").iter().all(|(_, params)| params.is_empty()));
    assert_eq!(of("staged-load").len(), 4);
}

#[test]
fn what_was_tuned_for_another_machine_is_refused_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (sweep, out) = (folder.path().join("sweep"), folder.path().join("run"));
    swept(&sweep);
    let run = |tuned: &Path| {
        let mut command = repro();
        command.args(["run", "frontier", "--sizes", "64", "--device", "cpu", "--out"]).arg(&out);
        let output = command.arg("--tuned").arg(tuned).output().unwrap();
        assert_ne!(output.status.code(), Some(0));
        assert!(!out.exists());
        stderr(&output)
    };
    let told = run(&sweep);
    assert!(told.contains("--tuned: that run is of GPU, and here is"), "{told}");
    assert!(run(Path::new("nowhere")).contains("--tuned: nowhere holds no run"));
    let samples = std::fs::read_to_string(sweep.join("samples.csv")).unwrap();
    std::fs::write(sweep.join("samples.csv"), samples.replacen("2.0", "0.1", 1)).unwrap();
    let edited = run(&sweep);
    assert!(edited.contains("samples.csv was edited after its run had finished"), "{edited}");
    stored::redigest(&sweep);
    stored::edit_manifest(&sweep, |manifest| manifest["finished"] = serde_json::Value::Null);
    assert!(run(&sweep).contains("this run has not ended: repro run --resume"));
    let other = run(Path::new("results/reference/h200/frontier"));
    assert!(
        other.contains("frontier, tunes no parameters: give the folder of a run of tile-sweep"),
        "{other}"
    );
}
