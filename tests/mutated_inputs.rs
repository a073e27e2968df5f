//! Whatever bytes a reader gets, it neither panics nor takes long nor takes memory that the input does not pay for.

#[path = "../fuzz/src/harness/mod.rs"]
pub mod harness;

use crate::common::{stderr, stdout};
use harness::hunt::{ThreadClock, hunt, keep, quiet_readers};
use harness::targets::{Scratch, TARGETS, Target};
use harness::{Input, corpus};
use std::process::Command;
use std::time::Duration;

/// What a reader does to its only input, as it is seen.
fn seen(read: fn(&[u8], &Scratch) -> Result<(), String>) -> Vec<String> {
    let input = Input { name: "good-planted".to_string(), bytes: b"planted".to_vec() };
    let report = hunt(&Target { name: "planted", read }, &[input], 1, 1);
    report.broken.into_iter().map(|(_, problem)| problem).collect()
}

fn what_must_not_happen_is_seen() {
    assert_eq!(seen(|_, _| Err("wrong".to_string())), Vec::<String>::new());
    assert_eq!(seen(|input, _| panic!("on {} bytes", input.len())), ["panicked: on 7 bytes"]);
    let swollen = |_: &[u8], _: &Scratch| {
        // Asked for and never touched. The half MiB is for what the test harness's other thread takes or gives back meanwhile.
        let room = Vec::<u8>::with_capacity((3 << 30) + (1 << 19));
        if room.capacity() == 0 { Err("no room".to_string()) } else { Ok(()) }
    };
    assert_eq!(seen(swollen), ["took 3072 MiB"]);
    let slow = |_: &[u8], _: &Scratch| {
        let clock = ThreadClock::new();
        let end = clock.now() + Duration::from_millis(1_100);
        while clock.now() < end {}
        Ok(())
    };
    assert!(seen(slow)[0].starts_with("took 1."));
}

/// Gives each reader its corpus and so many mutations of it, in a process of its own, since what other threads take would be counted too:
/// that process runs the same test with a variable set.
fn no_reader_breaks(test: &str, inputs: u64) {
    let (own, here) = (module_path!().split_once("::").unwrap().1, "REPRO_MUTATED_INPUTS");
    if std::env::var_os(here).is_none() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", &format!("{own}::{test}"), "--include-ignored", "--nocapture"])
            .env(here, "");
        let output = command.output().unwrap();
        let (told, code) = (stdout(&output), output.status.code());
        assert!(code == Some(0) && told.contains("1 passed"), "{code:?}: {told}{}", stderr(&output));
        return;
    }
    quiet_readers();
    what_must_not_happen_is_seen();
    let mut told = String::new();
    for target in TARGETS {
        let corpus = corpus(target.name);
        for input in corpus.iter().filter(|input| input.name.starts_with("good-")) {
            let read = (target.read)(&input.bytes, &Scratch::new());
            assert_eq!(read, Ok(()), "{}/{}", target.name, input.name);
        }
        let report = hunt(target, &corpus, 1, inputs);
        println!("{}: {report}", target.name);
        for (input, problem) in report.broken.iter().take(5) {
            let path = keep(target.name, input);
            told += &format!("{} {problem}: add {} to its corpus\n", target.name, path.display());
        }
    }
    assert!(told.is_empty(), "{told}");
}

#[test]
fn no_reader_panics_hangs_or_swells_on_what_once_broke_one_and_on_its_mutations() {
    no_reader_breaks("no_reader_panics_hangs_or_swells_on_what_once_broke_one_and_on_its_mutations", 100);
}

mod long {
    /// Who wants more of them hunts, as in fuzz/.
    #[test]
    #[ignore = "long"]
    fn no_reader_panics_hangs_or_swells_on_many_mutations() {
        super::no_reader_breaks("long::no_reader_panics_hangs_or_swells_on_many_mutations", 3_000);
    }
}
