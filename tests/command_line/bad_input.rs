//! Every kind of bad input gets one line that names the thing and the remedy, and exit code 2.

use crate::common::stored::{redigest, unfinish};
use crate::common::{assert_refused, column, files, repro, run, run_table1, stderr, stdout};
use std::path::Path;

fn refused(arguments: &[&str], parts: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    assert_refused(&run_table1(&out, arguments), parts);
    assert!(!out.exists(), "nothing is left behind by {arguments:?}");
}

#[test]
fn unknown_names_get_the_known_ones() {
    assert_refused(&run(&["run", "table9"]), &["'table9'", "table1"]);
    refused(&["--only", "staged"], &["--only", "'staged'", "staged-load"]);
    let device = run(&["run", "table1", "--device", "gpu"]);
    assert_eq!(device.status.code(), Some(2));
    assert!(stderr(&device).contains(
        "unknown device 'gpu': expected auto, cpu, cuda, cuda:N, cuda:all, emulated or emulated:C.C"
    ));
}

#[test]
fn options_that_make_no_sense_are_named() {
    refused(&["--sizes", "64,0"], &["--sizes", "n = 0"]);
    refused(&["--samples", "0"], &["--samples", "at least 1"]);
    refused(&["--budget=-1"], &["--budget", "0 or more seconds"]);
    refused(&["--budget", "nan"], &["--budget"]);
    assert_refused(&run(&["verify", "--sizes", "0"]), &["--sizes", "n = 0"]);
    assert_eq!(run(&["run", "table1", "--sizes", "many"]).status.code(), Some(2));
    assert_eq!(run(&["run", "table1", "--full", "--sizes", "64"]).status.code(), Some(2));
}

#[test]
fn an_experiment_file_gets_its_line_and_key() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let table1 = include_str!("../../experiments/table1.toml");
    std::fs::write(&file, table1.replace("precision =", "precison =")).unwrap();
    let line = 1 + table1.lines().position(|line| line.starts_with("precision")).unwrap();
    let output = run(&["run", file.to_str().unwrap()]);
    assert_refused(&output, &[&format!("mine.toml:{line}: precison: unknown field"), "`precision`"]);
    assert_refused(&run(&["run", "no/such.toml"]), &["cannot read no/such.toml"]);
    for to in ["400000000", "9223372036854775807"] {
        let range = format!("sizes = [{{ from = 1, to = {to}, step = 1 }}, 1024, ");
        std::fs::write(&file, table1.replacen("sizes = [1024, ", &range, 1)).unwrap();
        let output = run(&["run", file.to_str().unwrap()]);
        assert_refused(&output, &["mine.toml:", ": sizes: ", to, "more than 10000", "larger steps"]);
    }
}

#[test]
fn a_graph_too_large_for_memory_is_a_failed_cell_and_not_a_crash() {
    for n in ["1000000", "1000000000000", "18446744073709551615"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let sizes = format!("64,{n}");
        let output = run_table1(&out, &["--device", "cpu", "--only", "cpu-naive", "--sizes", &sizes]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let summary = out.join("summary.csv");
        assert_eq!(column(&summary, "status"), ["ok", "failed"]);
        let message = &column(&summary, "message")[1];
        assert!(message.contains(&format!("n = {n}")) && message.contains("smaller n"), "{message}");
    }
}

#[test]
fn sizes_of_which_this_machine_can_hold_none_are_refused_before_anything_is_written() {
    refused(&["--device", "cpu", "--sizes", "9999999"], &["n = 9999999 needs", "smaller n with --sizes"]);
    refused(&["--device", "cpu", "--sizes", "18446744073709551615"], &["n = 18446744073709551615 needs"]);
}

#[test]
fn a_graph_file_that_cannot_be_used_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_string()
    };
    let here = folder.path().to_str().unwrap().to_string();
    for (path, parts) in [
        ("/no/such/file.gr".to_string(), vec!["/no/such/file.gr", "cannot be read"]),
        (here, vec!["is a directory"]),
        (file("empty.gr", b""), vec!["empty.gr", "is empty"]),
        (file("cut.gr", b"p sp 3 2\na 1 2 5\n"), vec!["cut.gr", "1 of 2"]),
        (file("bad.gr", b"p sp 3 1\na 1 two 5\n"), vec!["bad.gr:2", "two"]),
        (file("far.gr", b"p sp 3 1\na 1 4 5\n"), vec!["far.gr:2", "vertex 4"]),
        (file("nan.gr", b"p sp 3 1\na 1 2 nan\n"), vec!["nan.gr:2", "nan"]),
        (file("zip.gr", b"\x1f\x8b\x08\x00"), vec!["zip.gr", "gunzip"]),
        (file("odd.txt", b"hello\n"), vec!["odd.txt", "no known format"]),
        (file("loop.gr", b"p sp 2 2\na 1 2 1\na 2 1 -2\n"), vec!["loop.gr", "negative cycle"]),
        (file("huge.gr", b"p sp 900000000 0\n"), vec!["huge.gr", "900000000"]),
    ] {
        refused(&["--graph", &path], &parts);
    }
}

#[test]
fn a_folder_that_holds_another_run_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let arguments = ["--device", "cpu", "--sizes", "32"];
    assert!(run_table1(&out, &arguments).status.success());
    let before = std::fs::read(out.join("samples.csv")).unwrap();
    assert_refused(&run_table1(&out, &arguments), &["holds another run", "--resume", "--out"]);
    assert_eq!(std::fs::read(out.join("samples.csv")).unwrap(), before);
}

fn resume(out: &Path) -> std::process::Output {
    run(&["run", "table1", "--resume", out.to_str().unwrap()])
}

#[test]
fn a_folder_for_runs_has_a_name_of_one_line() {
    for words in
        [&["run", "table1", "--out"][..], &["track", "table1", "--out"], &["compare", "a", "b", "--results"]]
    {
        for (name, shown) in
            [("a\nb", "\"a\\nb\""), ("a\u{1b}[2J", "\"a\\u{1b}[2J\""), ("a\u{202e}", "\"a\\u{202e}\"")]
        {
            let output = repro().args(words).arg(name).output().unwrap();
            assert_refused(&output, &[shown, "expected a name of one line without control characters"]);
        }
    }
}

#[test]
fn what_cannot_be_resumed_says_why() {
    let folder = tempfile::tempdir().unwrap();
    assert_refused(&resume(&folder.path().join("nothing")), &["holds no run", "--out"]);
    let out = folder.path().join("run");
    assert!(run_table1(&out, &["--device", "cpu", "--sizes", "32"]).status.success());
    let path = out.join("manifest.json");
    // One that is done is continued by nobody.
    unfinish(&out);
    let manifest = std::fs::read_to_string(&path).unwrap();
    let cases = [
        ("\"schema_version\": 3", "\"schema_version\": 99", "schema version 99"),
        ("\"name\": \"table1\"", "\"name\": \"other\"", "holds a run of other"),
        ("\"commit\": \"", "\"commit\": \"f00", "another build of repro"),
        ("\"cpu\": \"", "\"cpu\": \"Other ", "another host"),
        ("{\n", "{\n oops", "manifest.json: "),
    ];
    for (from, to, expected) in cases {
        assert!(manifest.contains(from), "{from}");
        std::fs::write(&path, manifest.replacen(from, to, 1)).unwrap();
        redigest(&out);
        let before = files(&out);
        assert_refused(&resume(&out), &[expected]);
        assert_eq!(files(&out), before, "{expected}");
    }
    std::fs::write(&path, &manifest).unwrap();
    redigest(&out);
    let samples = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    std::fs::write(out.join("samples.csv"), samples.replacen(",kernel,", ",kernels,", 1)).unwrap();
    assert_refused(&resume(&out), &["samples.csv: line 2 is not a sample"]);
    std::fs::write(out.join("samples.csv"), &samples).unwrap();
    assert!(resume(&out).status.success());
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert_refused(&run_table1(&file.join("run"), &["--sizes", "32"]), &["cannot write", "--out"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_run_with_the_way_to_go_on_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    // No file may grow beyond 8 blocks of 1,024 bytes, which the samples soon do; a full disk looks the same.
    let script = "ulimit -f 8; trap '' XFSZ; exec \"$0\" run table1 --device cpu --sizes 32,40,48,56 --samples 20 --out \"$1\"";
    let binary = repro().get_program().to_owned();
    let output =
        std::process::Command::new("bash").arg("-c").arg(script).arg(binary).arg(&out).output().unwrap();
    assert_refused(&output, &["samples.csv", "--resume"]);
    let kept = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    let whole: Vec<&str> = kept.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
    let whole = &whole[..1 + (whole.len() - 1) / 4 * 4];
    assert!(whole.len() > 4);
    let output = resume(&out);
    assert!(output.status.success(), "{}", stderr(&output));
    let after = std::fs::read_to_string(out.join("samples.csv")).unwrap();
    assert!(after.starts_with(&whole.concat()), "finished samples are still there");
    assert_eq!(after.lines().count(), 1 + 8 * 20 * 4 + 16);
}

#[test]
fn a_missing_or_broken_compiler_is_the_doctors_finding_and_not_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("libnvrtc.so.13");
    std::fs::write(&broken, "not a library").unwrap();
    for (path, expected) in
        [("/no/such/folder", "there is no libnvrtc.so"), (broken.to_str().unwrap(), "not a usable NVRTC")]
    {
        let output = repro().arg("doctor").env("REPRO_NVRTC", path).output().unwrap();
        // Without a GPU and without a C++ compiler.
        assert_eq!(output.status.code(), Some(3));
        let text = stdout(&output);
        assert!(text.contains("! NVRTC          missing: see 2 below"), "{text}");
        let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (_, line) = one_line.split_once("2. NVRTC, to time kernels on a GPU: ").unwrap();
        let (line, _) = line.split_once(" 3. ").unwrap();
        assert!(line.contains(path) && line.contains(expected) && line.contains("REPRO_NVRTC"), "{line}");
    }
}

#[test]
fn a_named_nccl_that_is_none_is_the_doctors_finding_and_not_its_failure() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("libnccl.so.2");
    std::fs::write(&broken, "not a library").unwrap();
    for (path, expected) in [
        ("/no/such/folder", "there is no libnccl.so.2"),
        (folder.path().to_str().unwrap(), "is not a usable NCCL"),
        (broken.to_str().unwrap(), "is not a usable NCCL"),
    ] {
        let output = repro().arg("doctor").env("REPRO_NCCL", path).output().unwrap();
        // Without a GPU and without a C++ compiler.
        assert_eq!(output.status.code(), Some(3));
        let text = stdout(&output);
        assert!(text.contains("! NCCL           missing: see "), "{text}");
        let (_, line) = text.split_once("NCCL, to solve on several GPUs together: ").unwrap();
        let line = line.lines().next().unwrap();
        assert!(line.contains(path) && line.contains(expected) && line.contains("REPRO_NCCL"), "{line}");
    }
    // Where it is not named, it is found or not needed.
    let text = stdout(&repro().arg("doctor").env_remove("REPRO_NCCL").output().unwrap());
    assert!(text.contains("  NCCL           "), "{text}");
}

#[cfg(target_os = "linux")]
#[test]
fn nvlink_multicast_is_off_where_the_user_does_not_turn_it_on() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("nccl.cc"), folder.path().join("libnccl.so.2"));
    // Answers 2.28.0 or 2.28.1, whatever NCCL would find in the environment.
    let stand_in = include_str!("../../crates/distributed/src/nccl/stand_in.cc")
        .replace("*version = answer_version", "*version = 22800 + atoi(getenv(\"NCCL_NVLS_ENABLE\"))")
        .replace("#include <cstring>", "#include <cstring>\n#include <cstdlib>");
    std::fs::write(&source, stand_in).unwrap();
    let compiler = repro::device::emulated::toolchain().unwrap();
    let mut compile = std::process::Command::new(compiler.program());
    compile.args(["-shared", "-fPIC", "-std=c++17", "-o"]).arg(&library).arg(&source);
    assert!(compile.status().unwrap().success());
    let doctor = |multicast: Option<&str>| {
        let mut command = repro();
        command.arg("doctor").env("REPRO_NCCL", folder.path()).env_remove("NCCL_NVLS_ENABLE");
        command.envs(multicast.map(|value| ("NCCL_NVLS_ENABLE", value)));
        stdout(&command.output().unwrap())
    };
    assert!(doctor(None).contains("2.28.0: "), "{}", doctor(None));
    assert!(doctor(Some("1")).contains("2.28.1: "), "{}", doctor(Some("1")));
}
