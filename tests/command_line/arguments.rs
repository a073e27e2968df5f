//! Arguments that cannot be understood get one line, whoever finds the mistake and whoever reads it.

use crate::common::{assert_refused, repro, run, stdout};
use std::process::Stdio;

#[test]
fn a_mistake_that_the_parser_finds_is_one_line_too() {
    assert_refused(
        &run(&["run", "table1", "--device", "gpu"]),
        &["'gpu'", "auto, cpu, cuda, cuda:N, cuda:all, emulated or emulated:C.C"],
    );
    assert_refused(&run(&["run", "table1", "--budget", "-1"]), &["--budget", "-1", "0 or more seconds"]);
    assert_refused(&run(&["run", "table1", "--sizes", "64,many"]), &["'many'", "--sizes"]);
    assert_refused(&run(&["run", "table1", "--sizes", "-1"]), &["'-1'"]);
    for command in [&["run", "table1"][..], &["verify"]] {
        let output = run(&[command, &["--sizes", "64,abc"]].concat());
        assert_refused(&output, &["'abc'", "--sizes", "expected numbers of vertices", "1024,2048"]);
    }
    assert_refused(&run(&["run", "tabel1"]), &["'tabel1': did you mean table1?", "repro list"]);
    let slip = "'stagedload': did you mean staged-load?";
    assert_refused(&run(&["run", "table1", "--only", "stagedload"]), &["--only", slip]);
    assert_refused(&run(&["verify", "--only", "stagedload"]), &["--only", slip]);
    assert_refused(&run(&["inspect", "stagedload"]), &[slip]);
    assert_refused(
        &run(&["run", "table1", "--sample", "3"]),
        &["'--sample'", "tip: ", "'--samples'", "see --help"],
    );
    assert_refused(&run(&["run"]), &["<EXPERIMENT>"]);
    assert_refused(&run(&["runn"]), &["'runn'", "'run'"]);
    for (slip, meant) in [("rnu", "run"), ("reprot", "report"), ("comprae", "compare"), ("verfiy", "verify")]
    {
        let tip = format!("'{slip}'; tip: a similar subcommand exists: '{meant}'; see --help");
        assert_refused(&run(&[slip, "table1"]), &[&tip]);
    }
    assert_refused(&run(&["benchmark"]), &["error: unrecognized subcommand 'benchmark'; see --help"]);
    assert_refused(&run(&["run", "table1", "--full", "--sizes", "64"]), &["--full", "--sizes"]);
}

#[cfg(unix)]
#[test]
fn an_error_that_nobody_reads_keeps_its_exit_code() {
    for arguments in [["run", "table9"], ["run", "--nonsense"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = repro().args(arguments).stdout(Stdio::null()).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn an_implementation_from_a_file_is_an_option_of_the_commands_that_look_at_one() {
    let help = |command: &str| {
        let output = repro().args([command, "--help"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for command in ["run", "verify", "inspect", "counts", "track", "list", "new-kernel"] {
        assert!(help(command).contains("--with <FILE>"), "{command}");
    }
    for command in ["check", "doctor", "report", "rank", "compare", "history", "completions"] {
        assert!(!help(command).contains("--with <"), "{command}");
    }
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/register_tiles.toml");
    assert_refused(&run(&["doctor", "--with", table]), &["'--with'"]);
    assert_refused(&run(&["--with", table, "doctor"]), &["--with: this command looks at no implementation"]);
    for arguments in [["--with", table, "list"], ["list", "--with", table]] {
        let listed = run(&arguments);
        assert!(String::from_utf8_lossy(&listed.stdout).contains("register-tiles"), "{arguments:?}");
    }
}

#[test]
fn list_says_of_a_name_what_its_parameters_mean_or_which_sizes_it_has() {
    let text = stdout(&run(&["list", "two-phase", "cpu-column"]));
    assert!(text.contains("parameter tile: side of a tile") && text.contains("default 32"), "{text}");
    assert!(text.contains("gaioso-2013") && text.contains("cpu-naive"), "{text}");
    assert!(!text.contains("katz-kider"), "{text}");
    assert_refused(
        &run(&["list", "two-phases"]),
        &["nothing is called 'two-phases'", "did you mean two-phase?"],
    );
    let all = stdout(&run(&["list"]));
    assert!(all.contains("element-loop)") && !all.contains("parameter "), "{all}");
}

#[test]
fn solve_and_path_are_commands_of_repro_too_and_write_nothing_into_a_run() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("roads.txt"), "0 1 4\n1 2 3\n").unwrap();
    std::fs::create_dir(folder.path().join("measured")).unwrap();
    std::fs::write(folder.path().join("measured/manifest.json"), "{}").unwrap();
    let solve = |out: &str| {
        let arguments = ["solve", "roads.txt", "--paths", "predecessor", "--out", out];
        repro().current_dir(&folder).args(arguments).output().unwrap()
    };
    assert_refused(&solve("measured/d.npz"), &["--out measured holds a run", "choose another folder"]);
    assert_eq!(solve("d.npz").status.code(), Some(0));
    let path = repro().current_dir(&folder).args(["path", "d.npz", "0", "2"]).output().unwrap();
    assert!(stdout(&path).ends_with("2 arcs, distance 7\n"), "{}", stdout(&path));
    assert!(stdout(&run(&["path", "--help"])).contains("  repro path all.npz 3 9"));
}
