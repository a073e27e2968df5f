//! Arguments, and what the commands that only tell something say. Mistakes in them are rows in `refusals`.

use crate::common::place::Place;
use crate::common::{repro, run, stdout};
use repro::published::{Claim, PublishedPaper, Relation, Test};
use std::path::Path;
use std::process::Stdio;

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
    let looking = ["run", "verify", "inspect", "counts", "track", "list", "new-kernel"];
    let mut arguments = repro::cli::command();
    arguments.build();
    for command in arguments.get_subcommands_mut() {
        let shown = command.render_long_help().to_string().contains("--with <FILE>");
        assert!(command.is_hide_set() || shown == looking.contains(&command.get_name()), "{command}");
    }
    let table = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/register_tiles.toml");
    for arguments in [["--with", table, "list"], ["list", "--with", table]] {
        assert!(stdout(&run(&arguments)).contains("register-tiles"), "{arguments:?}");
    }
}

#[test]
fn list_says_of_a_name_what_its_parameters_mean_or_which_sizes_it_has() {
    let text = stdout(&run(&["list", "two-phase", "cpu-column"]));
    assert!(text.contains("parameter tile: side of a tile") && text.contains("default 32"), "{text}");
    assert!(text.contains("gaioso-2013") && text.contains("cpu-naive"), "{text}");
    assert!(!text.contains("katz-kider"), "{text}");
    let all = stdout(&run(&["list"]));
    assert!(
        all.contains("element-loop)") && !all.contains("parameter ") && !all.contains("in a clone"),
        "{all}"
    );
    // Outside of a clone it says what needs one, and complains of nothing.
    let all = stdout(&Place::new().call("list"));
    let peers = all.lines().find(|line| line.starts_with("  peers ")).unwrap();
    assert!(peers.ends_with("1,024 to 16,384 vertices (in a clone of the repository)"), "{peers}");
    assert!(!all.contains("cannot be used"), "{all}");
}

#[test]
fn solve_and_path_are_commands_of_repro_too_and_write_nothing_into_a_run() {
    let place = Place::new();
    place.write("roads.txt", "0 1 4\n1 2 3\n");
    place.write("measured/manifest.json", "{}");
    let solve = "solve roads.txt --paths predecessor --out";
    let told = ["--out measured holds a run", "choose another folder"];
    place.refuse(&format!("{solve} measured/d.npy"), &told);
    place.succeed(&format!("{solve} d.npy"));
    let path = stdout(&place.call("path d.npy 0 2"));
    assert!(path.ends_with("2 arcs, distance 7\n"), "{path}");
    assert!(stdout(&run(&["path", "--help"])).contains("  repro path all.npy 3 9"));
}

#[test]
fn help_names_every_exit_code() {
    for (call, parts) in [
        (&["--help"][..], &["  0 ", "  1 ", "  2 ", "  130 "][..]),
        (
            &["run", "--help"],
            &["Exit codes:", "  0 ", "  1 ", "  2 ", "  130 ", "Examples:", "start a smoke run again"],
        ),
        (&["compare", "--help"], &["(GONE)", "do not change the exit"]),
    ] {
        let help = stdout(&run(call));
        assert!(parts.iter().all(|part| help.contains(part)), "{help}");
    }
}

#[test]
fn completions_exist_for_every_common_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&run(&["completions", shell]));
        assert!(text.contains("repro") && text.contains("verify"), "{shell}");
        assert!(!text.contains("worker"), "the worker is not for people");
    }
}

#[test]
fn the_example_of_a_paper_is_valid_and_shows_one_claim_of_each_sort() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/my-paper");
    let paper = PublishedPaper::open(&folder).unwrap();
    assert!(
        paper.beside && !paper.tables.is_empty() && paper.claims.iter().any(|claim| claim.says.is_some())
    );
    let any = |of: &dyn Fn(&Claim) -> bool| paper.claims.iter().any(of);
    let has_test = |claim: &Claim, of: &dyn Fn(&Test) -> bool| claim.tests.iter().any(of);
    assert!(any(&|one| one.low.is_some() && one.high.is_some()), "a range");
    let ratio = |test: &Test| test.at_least == Some(1.0) && test.relation == Relation::Ratio;
    assert!(any(&|one| has_test(one, &ratio)));
    assert!(any(&|one| has_test(one, &|test| test.is_counted())), "a counted one");
    assert!(any(&|one| one.untested.is_some()) && any(&|one| one.incomparable.is_some()));
    assert!(any(&|one| one.reading.is_some() && has_test(one, &|test| test.ours)), "bounds of ours");
    assert!(any(&|one| has_test(one, &|test| test.own_gpu) && !one.tested_by.is_empty()));
    for of in paper.claims.iter().flat_map(|claim| &claim.tests).flat_map(|test| test.contenders()) {
        let found = repro::implementation::find(&of.implementation).unwrap_or_else(|| panic!("{of}"));
        found.check(&of.parameters).unwrap();
    }
}
