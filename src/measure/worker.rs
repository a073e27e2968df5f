//! The worker process: answers requests from its standard input on its standard output until that closes.

use crate::distributed::cluster::{Processes, Settings};
use crate::distributed::sharded;
use crate::external;
use crate::measure::build::this_build;
use crate::measure::pipe::{Heard, give_signs_of_life, line_of, listen, write_line};
use crate::measure::session::Session;
use crate::protocol::{Failure, FailureCause, Reply, Request};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The argument that makes this program a worker; no subcommand, since people have no use for it.
pub const WORKER: &str = "worker";
/// What follows it where the worker is the first of a group of processes, before the seconds that it waits for the others.
pub const IN_GROUP: &str = "group";

/// Serves until the input closes, which is also how a worker learns that its runner is gone. With a time to `wait` it joins the processes
/// that were started together with its runner, which have so long to come, and has them answer together with it.
///
/// # Errors
/// When the output cannot be written.
pub fn serve(wait: Option<Duration>) -> io::Result<()> {
    die_with_parent();
    let heard = Heard::now();
    let request_of = |line: String| Some(line).filter(|line| !line.is_empty());
    // Without a runner, whatever is being computed has no reader.
    let requests = listen(io::stdin(), &heard, request_of, || std::process::exit(0));
    if wait.is_some() {
        give_signs_of_life(|sign| write_line(&mut io::stdout().lock(), sign).is_ok());
    }
    let group = match wait.map(|wait| join(wait, &heard)).transpose() {
        Ok(group) => group,
        Err(error) => return write(lost(error)),
    };
    let mut session = group.clone().map_or_else(Session::default, Session::of_processes);
    while let Ok(line) = requests.recv() {
        let request: Request = serde_json::from_str(&line)?;
        if let Request::Register { given } = &request {
            // Other processes of a group were started with the same files.
            given.iter().try_for_each(external::register).map_err(io::Error::other)?;
            continue;
        }
        if let Some(group) = &group {
            match &request {
                Request::Leave => group.finish_after(|| session.release()),
                _ => group.ask_all(line.as_bytes()),
            }
            .map_err(io::Error::other)?;
        }
        let answer = session.answer(&request);
        let is_lost = answer.as_ref().is_err_and(|failure| failure.cause == FailureCause::DeviceLost);
        write(answer)?;
        if is_lost {
            // Nothing works in a process whose context is broken, not even the orderly release of its memory.
            std::process::exit(1);
        }
    }
    Ok(())
}

/// Answers what the first process asks, together with it, until it asks no more. Waits so long for the others to come.
///
/// # Errors
/// When the others do not come, or what is asked cannot be read.
pub fn serve_as_member(wait: Duration) -> io::Result<()> {
    let group = sharded::join(sharded::settings(&this_build(), wait))?;
    let mut session = Session::of_processes(group.clone());
    while let Some(request) = group.next_request().map_err(io::Error::other)? {
        let request: Request = serde_json::from_slice(&request)?;
        // Every process has the answer of all; the first one passes it on.
        let _ = session.answer(&request);
    }
    group.finish_after(|| session.release()).map_err(io::Error::other)
}

fn write(answer: Result<Reply, Failure>) -> io::Result<()> {
    write_line(&mut io::stdout().lock(), &line_of(&answer.unwrap_or_else(Reply::Failed))?)
}

fn lost(error: impl fmt::Display) -> Result<Reply, Failure> {
    Err(Failure::new(FailureCause::MemberLost, error))
}

/// Joins the others. A loss is what the runner reads next, whatever this process does when it is found.
fn join(wait: Duration, heard: &Heard) -> io::Result<Arc<Processes>> {
    let settings = sharded::settings(&this_build(), wait);
    let group = sharded::join(settings.clone())?;
    group.on_loss(Box::new(|error| {
        // Without a reader nobody is left to know.
        let _ = write(lost(error));
    }));
    let (watched, heard) = (group.clone(), heard.clone());
    std::thread::spawn(move || watch_runner(&watched, &settings, &heard));
    Ok(group)
}

/// Ends the group when the runner stands still: the others would wait for what it never asks.
fn watch_runner(group: &Processes, settings: &Settings, heard: &Heard) {
    let mut last_look = Instant::now();
    loop {
        std::thread::sleep(settings.beat / 2);
        let silence = heard.silence(&mut last_look, settings.silence);
        if silence > settings.silence {
            let reason =
                format!("the process that writes its records was silent for {:.1} s", silence.as_secs_f64());
            let _ = group.fail(&reason);
        }
    }
}

/// A runner that is killed cannot tell its worker, which may be deep in a solve.
fn die_with_parent() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
}
