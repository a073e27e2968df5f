//! Kernels on the emulator: what it may run, counts, finds and withstands. One program, since linking each apart took longer than running it.

mod common;

mod ends;
mod features;
mod hostile;
mod planted;
mod streams;

#[allow(dead_code)]
#[path = "../examples/check.rs"]
mod check_example;
#[allow(dead_code)]
#[path = "../examples/count.rs"]
mod count_example;

use std::error::Error;
use std::io::Write;

type Example = fn(&mut dyn Write) -> Result<(), Box<dyn Error>>;

fn printed(run: Example) -> String {
    let mut text = Vec::new();
    run(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_missing_barrier_is_found_and_the_corrected_kernel_is_right() {
    let text = printed(check_example::run);
    let (wrong, right) = text.split_once("right.cu: ").unwrap();
    assert!(wrong.starts_with("wrong.cu: 2 findings\n"), "{text}");
    assert!(wrong.contains("data race in a block: kernel reverse, block (0, 0), thread (32, 0)"), "{text}");
    assert!(wrong.contains("reads 4 bytes of shared tile at byte 252, which nothing wrote"), "{text}");
    assert_eq!(right, "0 findings\ndata[0] is 63\n", "{text}");
}

#[test]
fn a_tile_saves_sectors_and_has_bank_conflicts() {
    let text = printed(count_example::run);
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows, [["plain", "8192", "65536", "none"], ["tiled", "8192", "8192", "32"]], "{text}");
}
