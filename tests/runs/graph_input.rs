//! `--graph` takes what a shell can give: files, gzip or not, pipes, standard input and `<(...)`; what can be read only once
//! stays with the run.

use crate::common::place::{Place, ends_within};
use crate::common::stored::unfinish;
use crate::common::{assert_refused, repro, signal, stderr};
use rustix::process::Signal;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

const GRAPH: &str = "p sp 3 3\na 1 2 5\na 2 3 6\na 3 1 7\n";
const MARKET: &str = "%%MatrixMarket matrix array real general\n2 2\n0\n1\ninf\n0\n";
const RUN: &str = "\"$0\" run table1 --device cpu --only cpu-naive --samples 3 --no-report --out run --graph";

/// A folder with `x.gr`.
fn place() -> Place {
    let place = Place::new();
    place.write("x.gr", GRAPH);
    place
}

/// A shell script in this folder with the binary as `$0`.
fn shell(place: &Place, script: &str) -> Command {
    let repro = repro();
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(repro.get_program()).current_dir(place.path(""));
    command.envs(repro.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn said(place: &Place, script: &str) -> Output {
    shell(place, script).output().unwrap()
}

fn gzip(content: &str) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(content.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn whatever_a_graph_comes_through_it_is_the_same_graph_and_stays_with_the_run_as_it_came() {
    let (plain, packed, market) = (GRAPH.as_bytes().to_vec(), gzip(GRAPH), gzip(MARKET));
    let mut digests = std::collections::BTreeSet::new();
    for (script, kept) in [
        ("cat x.gr | RUN -", Some(("graph.gr", &plain))),
        ("RUN - < x.gr", Some(("graph.gr", &plain))),
        ("RUN /dev/stdin < x.gr", Some(("graph.gr", &plain))),
        ("RUN <(cat x.gr)", Some(("graph.gr", &plain))),
        ("mkfifo fifo; cat x.gr > fifo & RUN fifo", Some(("graph.gr", &plain))),
        ("RUN - < x.gr.gz", Some(("graph.gr.gz", &packed))),
        ("RUN - < x.mtx.gz", Some(("graph.mtx.gz", &market))),
        // A file is left where it is.
        ("RUN x.gr", None),
    ] {
        let place = place();
        std::fs::write(place.path("x.gr.gz"), &packed).unwrap();
        std::fs::write(place.path("x.mtx.gz"), &market).unwrap();
        let output = said(&place, &script.replace("RUN", RUN));
        assert!(output.status.success(), "{script}: {}", stderr(&output));
        assert_eq!(place.column("run/summary.csv", "status"), ["ok"]);
        let source = place.json("run/manifest.json")["experiment"]["graphs"][0]["source"].clone();
        match kept {
            None => assert!(!place.path("run/graph.gr").exists()),
            Some((name, content)) => {
                assert_eq!(source["path"], name, "{script}");
                assert!(std::fs::read(place.path("run").join(name)).unwrap() == *content, "{script}");
            }
        }
        if kept.is_none_or(|(_, content)| *content != market) {
            digests.insert(source["digest"].to_string());
        }
    }
    assert_eq!(digests.len(), 1, "{digests:?}");
}

/// Leaves a run as a kill early on would have.
fn stop_before_the_first_sample(place: &Place) {
    place.edit("run/samples.csv", |text| text.split_inclusive('\n').take(1).collect());
    unfinish(&place.path("run"));
}

#[test]
fn a_run_goes_on_with_the_graph_that_it_keeps_or_lies_beside_unless_that_has_changed() {
    for (graph, file) in [("- < x.gr", "run/graph.gr"), ("x.gr", "x.gr")] {
        let place = place();
        assert!(said(&place, &format!("{RUN} {graph}")).status.success());
        stop_before_the_first_sample(&place);
        if file != "x.gr" {
            place.remove("x.gr");
        }
        place.succeed("run table1 --resume run --no-report");
        assert_eq!(place.column("run/summary.csv", "status"), ["ok"]);
        stop_before_the_first_sample(&place);
        place.write(file, &GRAPH.replace('5', "4"));
        place.refuse(
            "run table1 --resume run",
            &["has changed since this run was started", "start a new one"],
        );
    }
}

#[test]
fn a_stream_that_is_no_graph_or_has_no_room_for_its_copy_is_refused_and_changes_nothing() {
    for (script, parts) in [
        (
            "printf 'p sp 3 1\\na 1 2 oops\\n' | RUN -",
            &["standard input:2", "expected a weight, found `oops`"],
        ),
        ("RUN -", &["standard input", "is empty"]),
        ("cd taken; RUN - < ../x.gr", &["graph.gr is there already", "--out"]),
    ] {
        let place = place();
        place.write("taken/graph.gr", "mine");
        let before = place.files("");
        let run = if script.starts_with("cd") { RUN.replace("--out run", "--out .") } else { RUN.into() };
        assert_refused(&said(&place, &script.replace("RUN", &run)), parts);
        assert!(place.files("") == before, "{script}");
    }
}

#[test]
fn a_pipe_that_nobody_writes_to_is_given_up_at_the_first_signal() {
    let place = Place::new();
    assert!(place.with(Command::new("mkfifo"), "fifo").status().unwrap().success());
    // Blocked when it opens the pipe; and when it reads one that somebody holds open.
    for (hold, ending) in [("", Signal::TERM), ("exec 3<>fifo; ", Signal::INT)] {
        // One that was started in the background has to be told not to ignore SIGINT.
        let script = format!("{hold}exec env --default-signal=INT,TERM {RUN} fifo");
        let mut child = shell(&place, &script).spawn().unwrap();
        // Until it has said nothing for a while it may still be starting; a signal then ends it as well.
        std::thread::sleep(Duration::from_millis(300));
        assert!(signal(child.id(), ending));
        assert!(!ends_within(Duration::from_secs(60), &mut child).success());
        assert!(!place.path("run").exists());
    }
}
