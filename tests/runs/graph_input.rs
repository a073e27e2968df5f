//! `--graph` takes what a shell can give: files, gzip or not, pipes, standard input and `<(...)`; what can be read only once
//! stays with the run.

#![cfg(unix)]

use crate::common::stored;
use crate::common::{assert_refused, column, repro, run, run_table1, signal, stderr};
use rustix::process::Signal;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::Duration;

const GRAPH: &str = "p sp 3 3\na 1 2 5\na 2 3 6\na 3 1 7\n";

/// A shell script with the binary as `$0` and the folder of the run as `$1`.
fn shell(script: &str, out: &Path) -> Command {
    let repro = repro();
    let mut command = Command::new("bash");
    command.args(["-c", script]).arg(repro.get_program()).arg(out);
    for (name, value) in repro.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

const RUN: &str = "\"$0\" run table1 --device cpu --only cpu-naive --samples 3 --out \"$1\"";

fn source(out: &Path) -> serde_json::Value {
    let text = std::fs::read_to_string(out.join("manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
    manifest["experiment"]["graphs"][0]["source"].clone()
}

fn assert_measured(output: &Output, out: &Path) {
    assert!(output.status.success(), "{}", stderr(output));
    assert_eq!(column(&out.join("summary.csv"), "status"), ["ok"]);
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

#[test]
fn whatever_a_graph_comes_through_it_is_the_same_graph_and_stays_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.gr");
    std::fs::write(&file, GRAPH).unwrap();
    let text = file.display();
    let mut digests = Vec::new();
    for (name, graph) in [
        ("pipe", format!("cat {text} | {RUN} --graph -")),
        ("stdin", format!("{RUN} --graph - < {text}")),
        ("dev-stdin", format!("{RUN} --graph /dev/stdin < {text}")),
        ("substitution", format!("{RUN} --graph <(cat {text})")),
        ("fifo", format!("mkfifo {text}.fifo; cat {text} > {text}.fifo & {RUN} --graph {text}.fifo")),
    ] {
        let out = folder.path().join(name);
        assert_measured(&shell(&graph, &out).output().unwrap(), &out);
        let kept = std::fs::read_to_string(out.join("graph.gr")).unwrap();
        assert_eq!((source(&out)["path"].as_str(), kept.as_str()), (Some("graph.gr"), GRAPH), "{name}");
        digests.push(source(&out)["digest"].clone());
    }
    let out = folder.path().join("file");
    assert_measured(&shell(&format!("{RUN} --graph {text}"), &out).output().unwrap(), &out);
    assert!(!out.join("graph.gr").exists(), "a file is left where it is");
    digests.push(source(&out)["digest"].clone());
    digests.dedup();
    assert_eq!(digests.len(), 1, "{digests:?}");
}

#[test]
fn a_packed_graph_is_kept_as_it_came() {
    let folder = tempfile::tempdir().unwrap();
    let market = b"%%MatrixMarket matrix array real general\n2 2\n0\n1\ninf\n0\n";
    for (name, content) in [("graph.gr.gz", gzip(GRAPH.as_bytes())), ("graph.mtx.gz", gzip(market))] {
        let (file, out) = (folder.path().join(name), folder.path().join(name).with_extension("run"));
        std::fs::write(&file, &content).unwrap();
        let script = format!("{RUN} --graph - < {}", file.display());
        assert_measured(&shell(&script, &out).output().unwrap(), &out);
        assert_eq!(std::fs::read(out.join(name)).unwrap(), content);
    }
}

/// Leaves a run as a kill early on would have.
fn stop_before_the_first_sample(out: &Path) {
    let samples = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    let header = samples.lines().next().unwrap();
    std::fs::write(out.join("samples.csv"), format!("{header}\n")).unwrap();
    stored::unfinish(out);
}

#[test]
fn a_run_of_a_graph_that_is_gone_is_continued_wherever_its_folder_lies() {
    let folder = tempfile::tempdir().unwrap();
    let (out, moved) = (folder.path().join("run"), folder.path().join("moved"));
    let script = format!("printf '{}' | {RUN} --graph -", GRAPH.replace('\n', "\\n"));
    assert_measured(&shell(&script, &out).output().unwrap(), &out);
    stop_before_the_first_sample(&out);
    std::fs::rename(&out, &moved).unwrap();
    let resume = || run(&["run", "table1", "--resume", moved.to_str().unwrap()]);
    assert_measured(&resume(), &moved);
    stop_before_the_first_sample(&moved);
    std::fs::write(moved.join("graph.gr"), GRAPH.replace('5', "4")).unwrap();
    assert_refused(&resume(), &["graph.gr has changed since this run was started"]);
}

#[test]
fn both_runs_of_a_pair_keep_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("track");
    let script = format!(
        "printf '{}' | \"$0\" track table1 --against \"$0\" --device cpu --only cpu-naive --samples 3 --no-history --graph - --out \"$1\"",
        GRAPH.replace('\n', "\\n")
    );
    let output = shell(&script, &out).output().unwrap();
    for side in ["base", "new"] {
        let kept = std::fs::read_to_string(out.join(side).join("graph.gr"));
        assert_eq!(kept.unwrap_or_else(|error| panic!("{error}: {}", stderr(&output))), GRAPH);
    }
}

#[test]
fn a_stream_that_is_no_graph_is_refused_with_its_line_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (given, parts) in [
        ("p sp 3 1\\na 1 2 oops\\n", ["standard input:2", "expected a weight, found `oops`"]),
        ("", ["standard input", "is empty"]),
    ] {
        let out = folder.path().join("run");
        let script = format!("printf '{given}' | {RUN} --graph -");
        assert_refused(&shell(&script, &out).output().unwrap(), &parts);
        assert!(!out.exists(), "{given}");
    }
}

#[test]
fn a_graph_that_lies_in_the_way_is_not_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    std::fs::write(out.join("graph.gr"), "mine").unwrap();
    let script = format!("printf '{}' | {RUN} --graph -", GRAPH.replace('\n', "\\n"));
    let output = shell(&script, out).output().unwrap();
    assert_refused(&output, &["graph.gr is there already", "--out"]);
    assert_eq!(std::fs::read_to_string(out.join("graph.gr")).unwrap(), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_graph_of_which_no_cell_has_room_is_refused_before_its_matrix_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let available = repro::graph::available_memory().unwrap();
    // One matrix has room, three have not.
    let n = ((available / 4 / 2) as f64).sqrt() as usize;
    let file = folder.path().join("wide.gr");
    std::fs::write(&file, format!("p sp {n} 1\na 1 2 3\n")).unwrap();
    let out = folder.path().join("run");
    let output = run_table1(&out, &["--graph", file.to_str().unwrap()]);
    assert_refused(&output, &["wide.gr", &format!("n = {n} needs"), "smaller n"]);
    assert!(!out.exists());
}

/// How it ended; one that does not end is killed.
fn ended(child: &mut Child) -> ExitStatus {
    for _ in 0..600 {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill().unwrap();
    panic!("it goes on after a signal");
}

#[test]
fn a_pipe_that_nobody_writes_to_is_given_up_at_the_first_signal() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("x.gr");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // Blocked when it opens the pipe; and when it reads one that somebody holds open.
    for hold in ["", "exec 3<>\"$2\"; "] {
        for ending in [Signal::TERM, Signal::INT] {
            let out = folder.path().join("run");
            // A shell lets what it starts in the background ignore SIGINT, but not what it becomes.
            // One that was started in the background itself has to be told not to ignore it.
            let script = format!("{hold}exec env --default-signal=INT,TERM {RUN} --graph \"$2\"");
            let mut child = shell(&script, &out).arg(&fifo).spawn().unwrap();
            // Until it has said nothing for a while it may still be starting; a signal then ends it as well.
            std::thread::sleep(Duration::from_millis(300));
            assert!(signal(child.id(), ending));
            assert!(!ended(&mut child).success());
            assert!(!out.exists());
        }
    }
}
