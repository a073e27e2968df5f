//! The worker process: answers requests from its standard input on its standard output until that closes.

use super::member;
use super::protocol::{FailureCause, Reply, Request};
use super::session::Session;
use std::io::{self, BufRead, Write};
use std::sync::mpsc;

/// The argument that makes this program a worker; no subcommand, since people have no use for it.
pub const WORKER: &str = "worker";
/// What follows it where the worker is the first of a group of processes.
pub const IN_GROUP: &str = "group";

/// Serves until the input closes, which is also how a worker learns that its runner is gone. `in_group` it joins the processes that were
/// started together with its runner, and has them answer together with it.
///
/// # Errors
/// When the output cannot be written, or the others do not come.
pub fn serve(in_group: bool) -> io::Result<()> {
    die_with_parent();
    let (sender, requests) = mpsc::channel();
    std::thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if sender.send(line).is_err() {
                break;
            }
        }
        // The runner is gone; whatever is being computed has no reader.
        std::process::exit(0);
    });
    let group = if in_group { Some(member::join()?) } else { None };
    let mut session = group.clone().map_or_else(Session::default, Session::of_processes);
    while let Ok(line) = requests.recv() {
        let request: Request = serde_json::from_str(&line)?;
        if let Some(group) = &group {
            match &request {
                Request::Leave => group.finish(),
                _ => group.ask_all(line.as_bytes()),
            }
            .map_err(io::Error::other)?;
        }
        let reply = session.answer(&request);
        let mut text = serde_json::to_vec(&reply)?;
        text.push(b'\n');
        let mut output = io::stdout().lock();
        output.write_all(&text)?;
        output.flush()?;
        if matches!(&reply, Reply::Failed(failure) if failure.cause == FailureCause::DeviceLost) {
            // Nothing works in a process whose context is broken, not even the orderly release of its memory.
            std::process::exit(1);
        }
    }
    Ok(())
}

/// A runner that is killed cannot tell its worker, which may be deep in a solve.
fn die_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}
