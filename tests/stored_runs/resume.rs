//! A run that is stopped at any moment continues where it was and loses nothing, and one that has finished is never altered. Random
//! moments are in `kills`; who is refused is in `refusals`.

use crate::common::place::{Place, wait_until, with_finished_run};
use crate::common::stored::{edit_manifest, edit_rows, fail, tear, unfinish};
use crate::common::{signal, stderr, stdout};
use rustix::process::Signal;
use serde_json::{Value, json};

const RESUME: &str = "run table1 --resume run";

fn lines(place: &Place) -> usize {
    std::fs::read_to_string(place.path("run/samples.csv")).map_or(0, |text| text.lines().count())
}

#[test]
fn ctrl_c_exits_with_130_says_how_to_resume_and_resuming_finishes() {
    let place = Place::new();
    let larger = "run table1 --device cpu --sizes 64,100,160 --samples 12 --seed 3 --out run";
    let run = place.command(larger).spawn().unwrap();
    wait_until("a sample is taken", || lines(&place) > 1);
    assert!(signal(run.id(), Signal::INT));
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(!place.path("run/report").exists(), "there is more to come");
    let last = stderr(&output).lines().last().unwrap().to_string();
    assert!(last.contains("repro run table1 --resume run"), "{last}");
    // The folder knows the experiment, and one that is named must be that.
    place.refuse("run frontier --resume run", &["holds a run of table1, not of frontier"]);
    place.succeed("run --resume run");
    // Those on a GPU did not run.
    let names = place.column("run/summary.csv", "implementation").into_iter();
    let cells = names.zip(place.column("run/summary.csv", "status"));
    let of_cpu: Vec<_> = cells.filter(|(name, _)| name.starts_with("cpu-")).collect();
    assert!(of_cpu.len() == 6 && of_cpu.iter().all(|(_, status)| status == "ok"), "{of_cpu:?}");
    assert!(place.path("run/report/index.html").exists());
}

#[test]
fn a_repair_loses_no_sample_and_what_it_cuts_off_is_kept_beside_the_file_and_named() {
    let place = with_finished_run();
    place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(9).collect());
    unfinish(&place.path("run"));
    let before = place.read("run/samples.csv");
    tear(&place.path("run/samples.csv"));
    let torn = place.read("run/samples.csv")[before.len()..].to_string();
    let output = place.succeed(RESUME);
    let after = place.read("run/samples.csv");
    assert!(after.starts_with(&before) && after.lines().count() == 25, "{after}");
    let names = place.files("run").into_keys().map(|path| format!("run/{}", path.display()));
    let kept: Vec<String> = names.filter(|path| path.contains("samples.csv.torn-")).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(place.read(kept), torn);
    assert!(stderr(&output).contains(kept), "{}", stderr(&output));
}

/// The states that a kill leaves while a run is begun.
#[test]
fn a_run_that_was_killed_while_it_was_begun_is_continued_or_begun_again() {
    let whole = with_finished_run();
    let header = whole.read("run/samples.csv").split_inclusive('\n').next().unwrap().to_string();
    for left in [None, Some("implementation,n,par"), Some(header.as_str())] {
        let place = Place::new();
        place.write("run/manifest.json", &whole.read("run/manifest.json"));
        // As at the start: no sample, and a manifest that knows no environment.
        edit_manifest(&place.path("run"), |run| {
            (run["finished"], run["environment"]) = (json!(null), json!(null))
        });
        if let Some(left) = left {
            place.write("run/samples.csv", left);
        }
        place.succeed(RESUME);
        assert_eq!(lines(&place), 25, "{left:?}");
    }
}

/// With a finished run whose ceilings any machine exceeds: who measures them again raises them.
fn with_low_ceilings() -> Place {
    let place = with_finished_run();
    edit_manifest(&place.path("run"), |manifest| {
        let ceilings = &mut manifest["environment"]["ceilings"];
        (ceilings["cpu_core_tasks_per_s"], ceilings["cpu_tasks_per_s"]) = (json!(1.0), json!(1.0));
    });
    place
}

#[test]
fn no_command_changes_a_byte_of_a_finished_run_or_its_ceilings() {
    let place = with_low_ceilings();
    let track = "track table1 --device cpu --only cpu-naive --sizes 8 --samples 3 --against run --out tracked --no-history";
    let changes_nothing = |call: &str| {
        let before = place.files("run");
        let output = place.call(call);
        assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{call}: {}", stderr(&output));
        assert!(place.files("run") == before, "{call} changed the run");
    };
    for call in [RESUME, "report run --out page", "history run --out kept", track, "compare run tracked/new"]
    {
        changes_nothing(call);
    }
    edit_manifest(&place.path("run"), |run| run["build"]["commit"] = json!("f00"));
    changes_nothing(RESUME);
}

/// Older builds noted that a run had finished also where a cell had failed.
#[test]
fn a_run_that_finished_with_a_failure_is_not_altered_either_and_says_how_to_measure_what_failed() {
    let place = with_low_ceilings();
    edit_rows(&place.path("run/samples.csv"), |row| {
        let is_first = row.get("sample") == "0" && row.get("scope") == "kernel";
        row.n() != 12 || (is_first && fail(row, "it failed"))
    });
    let before = place.files("run");
    let output = place.end_with(1, RESUME);
    assert!(place.files("run") == before, "{}", stderr(&output));
    for part in ["1 of 2 cells", "has finished", "a new run"] {
        assert!(stderr(&output).contains(part), "no '{part}' in {}", stderr(&output));
    }
    assert!(stdout(&output).contains("it failed"), "{}", stdout(&output));
    // One that has not finished has it measured by a resume.
    edit_manifest(&place.path("run"), |manifest| manifest["finished"] = Value::Null);
    place.succeed(RESUME);
    assert!(place.json("run/manifest.json")["finished"].is_string());
}
