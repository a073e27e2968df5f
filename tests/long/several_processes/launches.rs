//! Starts by hand that are wrong.

use super::place::{Ended, Launcher, Place, Started, assert_all_right, free_port};
use crate::common::{assert_refused, column};
use std::time::Duration;

const WAITING: [&str; 2] = ["--join-seconds", "2"];

fn new_run(experiment: &'static str) -> Vec<&'static str> {
    [&[experiment], &Place::NEW[1..], &WAITING].concat()
}

/// A process of these ranks each, of a start of four.
fn start_ranks(place: &Place, ranks: &[usize]) -> Vec<Ended> {
    let variables = |at: usize, port| Launcher::Torchrun.variables(ranks[at], 4, port);
    place.start(&new_run("parts.toml"), &variables, ranks.len()).ends_within(Duration::from_secs(30)).0
}

#[test]
#[ignore = "long"]
fn a_rank_without_a_number_of_processes_is_refused() {
    let place = Place::new("70", "4");
    for (name, other) in [("RANK", "WORLD_SIZE"), ("WORLD_SIZE", "RANK")] {
        let output = place.command(&Place::NEW).env(name, "1").output().unwrap();
        assert_refused(&output, &[&format!("{name} is set and {other} is not"), "or neither"]);
        assert!(!place.path("run").exists());
    }
    // Where nothing is solved together, it means nothing.
    let alone =
        ["table1", "--device", "cpu", "--sizes", "8", "--only", "cpu-naive", "--quiet", "--out", "run"];
    let output = place.command(&alone).env("RANK", "1").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
#[ignore = "long"]
fn a_rank_that_never_comes_is_named_and_nothing_is_begun() {
    let place = Place::new("70", "4");
    for one in start_ranks(&place, &[0, 1, 3]) {
        assert_eq!(one.code, Some(1), "{}", one.stderr);
        assert!(one.stderr.contains("error: rank 2 of 4 did not come within 2 s: "), "{}", one.stderr);
        assert_eq!(one.stderr.lines().count(), 1, "{}", one.stderr);
    }
    assert!(!place.path("run").exists());
}

#[test]
#[ignore = "long"]
fn two_processes_of_one_rank_are_no_two_ranks() {
    let place = Place::new("70", "4");
    let ended = start_ranks(&place, &[0, 1, 2, 2]);
    let of = |words: &str| ended.iter().filter(|one| one.stderr.contains(words)).count();
    assert!(ended.iter().all(|one| one.code == Some(1)), "{ended:?}");
    assert_eq!(of("rank 3 of 4 did not come within 2 s"), 3, "{ended:?}");
    assert_eq!(of("another process came there as the same rank"), 1, "{ended:?}");
    assert!(!place.path("run").exists());
}

#[test]
#[ignore = "long"]
fn a_fifth_process_of_four_is_refused_and_disturbs_nobody() {
    let place = Place::new("70", "4");
    let mut ended = start_ranks(&place, &[0, 1, 2, 3, 3]);
    // Either of the two may come first.
    let refused = (3..5).find(|at| ended[*at].code != Some(0)).expect("one is refused");
    let refused = ended.remove(refused);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("error: rank 3: rank 0 did not answer at 127.0.0.1"),
        "{}",
        refused.stderr
    );
    assert_all_right(&ended);
    assert_eq!(column(&place.samples(), "status"), ["counted"]);
    // Who writes the records makes the report of them, alone.
    assert!(ended[0].stdout.ends_with("report: run/report/index.html\n"), "{}", ended[0].stdout);
    assert!(place.path("run/report/index.html").exists());
}

/// Two experiments, one of rank 1 and one of the other.
fn start_two(place: &Place, of_others: &[&str]) -> Vec<Ended> {
    let port = free_port();
    let mut started = Started::none();
    for (rank, arguments) in [(0, &new_run("parts.toml")[..]), (1, of_others)] {
        let mut command = place.command(arguments);
        command.envs(Launcher::Torchrun.variables(rank, 2, port));
        started.add(command, &place.path(&format!("rank-{rank}")));
    }
    started.ends()
}

#[test]
#[ignore = "long"]
fn the_experiment_of_the_first_process_is_what_all_solve() {
    let place = Place::new("70", "2");
    let other = std::fs::read_to_string(place.path("parts.toml")).unwrap().replace("[70]", "[33, 100]");
    std::fs::write(place.path("other.toml"), other).unwrap();
    assert_all_right(&start_two(&place, &["other.toml", "--device", "emulated", "--out", "other"]));
    assert_eq!(column(&place.samples(), "n"), ["70"]);
    assert!(!place.path("other").exists());
}

#[test]
#[ignore = "long"]
fn a_process_that_solves_something_alone_does_not_come_to_the_others() {
    let place = Place::new("70", "2");
    let alone =
        ["table1", "--device", "cpu", "--sizes", "8", "--only", "cpu-naive", "--quiet", "--out", "other"];
    let ended = start_two(&place, &alone);
    assert_eq!(ended[0].code, Some(1), "{}", ended[0].stderr);
    assert!(ended[0].stderr.contains("error: rank 1 of 2 did not come within 2 s"), "{}", ended[0].stderr);
    assert_eq!(ended[1].code, Some(0), "{}", ended[1].stderr);
    assert!(!place.path("run").exists());
}

#[test]
#[ignore = "long"]
fn a_start_without_a_secret_of_its_own_is_refused_by_all_where_others_could_take_part() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new("70", "2");
    let secret = place.path("secret");
    std::fs::write(&secret, "0123456789abcdef0123456789abcdef").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o640)).unwrap();
    let with = |name: &'static str, value: &str| {
        let variables = |rank, port| {
            let mut variables = Launcher::Torchrun.variables(rank, 2, port);
            variables.insert(name, value.to_string());
            variables
        };
        place.start(&new_run("parts.toml"), &variables, 2).ends()
    };
    for one in with("REPRO_SECRET_FILE", secret.to_str().unwrap()) {
        assert_eq!(one.code, Some(2), "{}", one.stderr);
        assert!(one.stderr.contains("(mode 0640)") && one.stderr.contains("`chmod 600 "), "{}", one.stderr);
    }
    // An address of nobody (RFC 5737).
    for one in with("MASTER_ADDR", "198.51.100.1") {
        assert_eq!(one.code, Some(1), "{}", one.stderr);
        assert!(one.stderr.contains("set REPRO_SECRET to the same random value"), "{}", one.stderr);
        assert_eq!(one.stderr.lines().count(), 1, "{}", one.stderr);
    }
    assert!(!place.path("run").exists());
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_all_right(&with("REPRO_SECRET_FILE", secret.to_str().unwrap()));
}
