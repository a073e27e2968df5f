//! The worker process: answers requests from its standard input on its standard output until that closes. A [`Session`] is what it holds
//! between them.

use crate::distributed::team::{Launch, TIME_TO_MEET, Team, exit_within};
use crate::external;
use crate::measure::hardware::{Hardware, LoadedProblem, first_device};
use crate::measure::sharded::{ShardedMatrix, barrier, lost};
use crate::measure::this_build;
use crate::measure::whole_matrix::WholeMatrix;
use crate::plan::Variant;
use crate::protocol::{Failure, FailureCause, Reply, Request, Result, UnsupportedVariant, WorkerInfo};
use crate::store::NewFolders;
use repro_base::terminal::output;
use serde::Serialize;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::rc::Rc;
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

/// The argument that makes this program a worker; no subcommand, since people have no use for it.
pub const WORKER: &str = "worker";
/// What follows it where the worker is the first of several processes, before the folder and the device of [`Rendezvous`].
pub const IN_TEAM: &str = "team";

/// How often the first process lets the others know that it is there, between requests.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// The others take the first process for lost after this much silence.
const LONGEST_SILENCE: Duration = Duration::from_secs(45);

/// How the processes that a launcher started find each other.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    /// The run's folder, on a file system that all processes see.
    pub folder: std::path::PathBuf,
    /// `--device` as given. Each process takes its share of all devices.
    pub device: String,
}

impl Rendezvous {
    /// All processes, once they have come. What is made for it goes again.
    fn join(&self) -> Result<Rc<Team>> {
        let launch = Launch::of_this_process().map_err(lost)?;
        let launch = launch.ok_or_else(|| lost("no launcher started this process with others"))?;
        let device = first_device(self.device.parse().map_err(lost)?, &launch).map_err(lost)?;
        let make = || NewFolders::make(&self.folder);
        let _made = (launch.rank == 0).then(make).transpose().map_err(|error| {
            lost(format!("cannot make {}: {error}: choose another folder", self.folder.display()))
        })?;
        Ok(Rc::new(Team::join(launch, &self.folder, &device, TIME_TO_MEET).map_err(lost)?))
    }
}

/// Serves until the input closes, which is also how a worker learns that its runner is gone. As the first of several processes it has the
/// others answer together with it.
///
/// # Errors
/// When the output cannot be written.
pub fn serve(meeting: Option<Rendezvous>) -> io::Result<()> {
    // A runner that is killed cannot tell its worker, which may be deep in a solve.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    // Without a runner, whatever is being computed has no reader.
    let requests = listen(io::stdin(), || std::process::exit(0));
    match meeting.map(|meeting| meeting.join()).transpose() {
        Ok(team) => answer_all(team.unwrap_or_default(), Some(&requests)),
        Err(failure) => write(Err(failure)),
    }
}

/// Answers what the first process asks, together with it, until it asks no more. Ends with a line and code 1 where another is lost.
///
/// # Errors
/// When the others do not come.
pub fn serve_as_member(meeting: &Rendezvous) -> Result<()> {
    answer_all(meeting.join()?, None)
}

/// Answers all that comes. Of several processes the first one has `requests` and tells them to the others, and between two that it is there.
fn answer_all(team: Rc<Team>, requests: Option<&Receiver<String>>) -> ! {
    let mut session = Session { matrix: None, on: Hardware::of(team.clone()) };
    loop {
        let told = match requests {
            Some(lines) => team.broadcast(lines.recv_timeout(HEARTBEAT).unwrap_or_default().as_bytes()),
            None => team.broadcast_within(&[], LONGEST_SILENCE),
        };
        if told.as_ref().is_ok_and(Vec::is_empty) {
            continue;
        }
        let asked = told.map_err(lost).and_then(|line| serde_json::from_slice(&line).map_err(lost));
        let answer = match asked {
            Ok(Request::Register { given }) => match given.iter().try_for_each(external::register) {
                Ok(()) => continue,
                Err(error) => Err(lost(error)),
            },
            Ok(Request::Leave) => exit_within(0, || {
                drop((session, team));
                let _ = requests.map(|_| write(Ok(Reply::Right)));
            }),
            asked => asked.and_then(|request| session.answer(&request)),
        };
        let failure = answer.as_ref().err().cloned();
        // Every process has the answer of all; the first one passes it on.
        let _ = requests.map(|_| write(answer));
        match failure {
            // Nothing works in a process whose context is broken, not even the orderly release of its memory.
            Some(Failure { cause: FailureCause::DeviceLost, .. }) => std::process::exit(1),
            Some(Failure { cause: FailureCause::MemberLost, message }) => {
                if requests.is_none() {
                    team.abort();
                    output::complain(&format!("error: {message}"));
                }
                exit_within(1, || drop((session, team)))
            }
            _ => {}
        }
    }
}

fn write(answer: Result<Reply>) -> io::Result<()> {
    io::stdout().write_all(line_of(&answer.unwrap_or_else(Reply::Failed))?.as_bytes())
}

/// A message between a process and its worker as it is written.
pub fn line_of(message: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string(message)? + "\n")
}

/// Reads lines on a thread of its own. When the input ends or nobody receives any more, it calls `at_end` and ends.
pub fn listen(input: impl Read + Send + 'static, at_end: fn()) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let mut read = BufReader::new(input).lines().map_while(Result::ok);
        let _ = read.try_for_each(|line| sender.send(line));
        at_end();
    });
    lines
}

/// The state of a worker between requests.
#[derive(Default)]
pub struct Session {
    // Dropped first: what solves the matrix lives on devices.
    matrix: Option<Box<dyn LoadedProblem>>,
    on: Hardware,
}

impl Session {
    /// Answers one request. Of several processes the answer is that of all, and the same in each.
    ///
    /// # Errors
    /// Why what is asked for cannot be done.
    pub fn answer(&mut self, request: &Request) -> Result<Reply> {
        let own = self.answer_alone(request);
        barrier(&self.on.team, own)
    }

    /// What this process has to answer.
    fn answer_alone(&mut self, request: &Request) -> Result<Reply> {
        Ok(match request {
            // The process does this.
            Request::Register { .. } | Request::Leave => Reply::Right,
            Request::Introduce { variants } => introduce(variants),
            Request::Open(opening) => {
                self.matrix = None;
                Reply::Opened(Box::new(self.on.open(opening)?))
            }
            Request::MeasureCeilings { elements, load_latency } => {
                Reply::Ceilings(self.on.measure_ceilings(elements, *load_latency)?)
            }
            Request::LoadGraph(graph) => {
                // The previous graph is freed before the next is loaded.
                self.matrix = None;
                self.matrix = Some(match graph.sharded {
                    false => Box::new(WholeMatrix::load(&self.on, graph)?),
                    true => Box::new(ShardedMatrix::load(graph)?),
                });
                Reply::GraphReady
            }
            Request::Prepare { variant, .. }
            | Request::Sample { variant, .. }
            | Request::TimeKernels { variant, .. }
            | Request::FirstRun { variant }
            | Request::Repeat { variant, .. }
            | Request::Check { variant }
            | Request::Count { variant, .. }
            | Request::StoreDistances { variant, .. } => {
                let none = || Failure::other("asked to solve before a graph was loaded");
                self.matrix.as_mut().ok_or_else(none)?.answer(&mut self.on, variant, request)?
            }
        })
    }
}

fn introduce(variants: &[Variant]) -> Reply {
    // A parameter that is not known would be passed over in silence, and something else measured than was asked for.
    let problem = |variant: &Variant| {
        let known = variant.known().map_err(|unknown| unknown.to_string());
        known.and_then(|known| known.check(&variant.parameters)).err()
    };
    let unknown = variants.iter().filter_map(|variant| {
        Some(UnsupportedVariant { variant: variant.clone(), reason: problem(variant)? })
    });
    Reply::Introduced(WorkerInfo { build: this_build(), unknown: unknown.collect() })
}
