//! What one launch leaves on its host thread does not change what is found in the next.

use crate::common::{Case, cases, emulator, run, source_of};
use repro_emulator::{FindingKind, Instruments};

fn case(folder: &str, name: &str) -> Case {
    cases(folder).into_iter().find(|case| case.name == name).unwrap()
}

fn kinds(instruments: Instruments, case: &Case) -> Vec<FindingKind> {
    let device = emulator(instruments, 0);
    let kernel = device.load(&source_of(&[case]), &[&case.kernel]).unwrap().remove(0);
    run(&device, &kernel, case).unwrap().findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn shared_memory_that_an_unchecked_launch_used_is_checked_later() {
    let case = case("planted/wrong", "reverse_without_barrier");
    // On a host thread of its own, and larger: with one block the launch runs there, and what is kept is its own.
    let alone = |case: Case| {
        let mut larger = case.clone();
        larger.launch.dynamic_shared_bytes = 32 << 10;
        assert_eq!(kinds(Instruments::COUNT, &larger), []);
        kinds(Instruments::CHECK, &case)
    };
    let found = std::thread::spawn(move || alone(case)).join().unwrap();
    assert!(found.contains(&FindingKind::RaceInBlock), "{found:?}");
}
