//! Arguments that cannot be understood get one line, whoever finds the mistake and whoever reads it.

use crate::common::{assert_refused, repro, run};
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
