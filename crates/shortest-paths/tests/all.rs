//! The library as its users have it. One program: what it has for every type of weights is compiled once.

mod differential;
mod edge_lists;
#[cfg(feature = "parquet")]
mod parquet;
mod petgraph;
mod read;
mod write;

/// Whether this process may write files of at most so many KiB. It is asked by a test of that name: where it may write more, the test is run in
/// another process that may not, and has to pass there.
#[cfg(unix)]
fn has_little_room(test: &str, kibibytes: u32) -> bool {
    const MARK: &str = "SHORTEST_PATHS_LITTLE_ROOM";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let text = format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" --exact {test}");
    let program = std::env::current_exe().unwrap();
    let ended = std::process::Command::new("bash").args(["-c", &text]).arg(program).env(MARK, "yes").output();
    let ended = ended.unwrap();
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains("1 passed"), "{text}");
    false
}
