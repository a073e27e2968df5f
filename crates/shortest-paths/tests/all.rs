//! The library as its users have it. One program: what it has for every type of weights is compiled once.

use std::process::Command;

mod differential;
mod edge_lists;
mod memory;
mod read;
mod write;

/// Numbers by a linear congruence, the same on every machine.
struct Draw(u64);

impl Draw {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// Whether this process is of one test alone. It is asked by a test of that name: where others run beside it, the test is run in another process,
/// and has to pass there.
fn is_alone(test: &str) -> bool {
    const MARK: &str = "SHORTEST_PATHS_OWN_PROCESS";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let ended = alone.args(["--include-ignored", "--exact", test]).env(MARK, "yes").output().unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains("1 passed"), "{text}");
    false
}
