//! Whatever bytes a reader gets, it neither panics nor takes long nor takes memory that the input does not pay for.

#[path = "../fuzz/src/harness/mod.rs"]
mod harness;

use harness::hunt::{hunt, keep};
use harness::targets::{Scratch, TARGETS};
use harness::{corpus, memory::Counting};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Inputs for each reader: some seconds in all.
const INPUTS: u64 = 4_000;

/// The only test of this file, since what other threads take would be counted too.
#[test]
fn no_reader_panics_hangs_or_swells_on_what_once_broke_one_and_on_its_mutations() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut told = String::new();
    for target in TARGETS {
        let inputs = corpus(target.name);
        for input in inputs.iter().filter(|input| input.name.starts_with("good-")) {
            assert_eq!(
                (target.read)(&input.bytes, &Scratch::new()),
                Ok(()),
                "{}/{}",
                target.name,
                input.name
            );
        }
        let report = hunt(target, &inputs, 1, INPUTS);
        println!("{}: {report}", target.name);
        for (input, problem) in report.broken.iter().take(5) {
            let path = keep(target.name, input);
            told += &format!("{} {problem}: keep {} in its corpus\n", target.name, path.display());
        }
    }
    drop(std::panic::take_hook());
    assert!(told.is_empty(), "{told}");
}
