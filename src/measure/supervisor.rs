//! The runner's side of its worker: start it, ask with a time limit, replace it when it hangs or dies.

use crate::distributed::team::TIME_TO_MEET;
use crate::implementation::given_files;
use crate::measure::worker::{IN_TEAM, Rendezvous, WORKER, line_of, listen};
use crate::protocol::{Failure, FailureCause, Reply, Request, Result};
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How soon an interrupt is noticed while a worker works.
const POLL: Duration = Duration::from_millis(20);
/// How long a worker that closed its output may take to end.
const TIME_TO_END: Duration = Duration::from_secs(2);
/// How long several processes may take to end.
const TIME_TO_LEAVE: Duration = Duration::from_secs(60);
/// Ctrl-C goes to all processes of a start: this one may learn that another has ended before its own signal arrives.
const TIME_TO_BE_INTERRUPTED: Duration = Duration::from_millis(300);
/// How many characters of what a worker wrote to its standard error last are kept.
const KEPT_ERRORS: usize = 400;

/// What came of a request. The reply is not [`Reply::Failed`].
pub type Answer = Result<Reply>;

/// Answers requests. Scheduling is tested with an executor that measures nothing.
pub trait Executor {
    /// Asks, and waits for at most `limit`.
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer;

    /// Asks a new process, one request after the other, and waits at most `limit` for each. Returns the last answer, or the first failure.
    fn ask_fresh(&mut self, requests: &[Request], limit: Duration) -> Answer {
        requests.iter().try_fold(Reply::Right, |_, request| self.ask(request, limit))
    }
}

/// A worker process that is started when first asked, and again after it was lost, with the device and the graph that
/// the lost one had.
pub struct WorkerProcess {
    command: Command,
    interrupted: Arc<AtomicBool>,
    running: Option<WorkerHandle>,
    /// The last `Open` and the last `LoadGraph`: what a replacement must be asked first, each with its own limit. Making the graph again
    /// may take longer than the sample that waits for it.
    earlier: Vec<(Request, Duration)>,
    /// Whether it is the first of several processes. It is not started again then: the others are lost with it.
    has_others: bool,
    /// Why all of them have ended.
    ended: Option<Failure>,
}

struct WorkerHandle {
    child: Child,
    input: ChildStdin,
    /// What it answers, a line each.
    replies: Receiver<String>,
    /// Receives the end of its standard error, once it has ended.
    last_errors: Receiver<String>,
}

impl WorkerProcess {
    /// `program worker` is the command, where `program` is a path and never looked for in PATH; `interrupted` makes any
    /// wait end.
    pub fn new(program: std::path::PathBuf, interrupted: Arc<AtomicBool>) -> Self {
        // A name without a slash would be looked for.
        let mut command = Command::new(std::path::absolute(&program).unwrap_or(program));
        command.arg(WORKER).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Kernels are loaded when they are prepared, not inside the first timed window.
        command.env("CUDA_MODULE_LOADING", "EAGER");
        // What it writes to its standard error last becomes one line of a record.
        command.env("RUST_BACKTRACE", "0");
        // Ctrl-C in a terminal goes to the whole foreground group; the runner alone decides what it means.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        Self { command, interrupted, running: None, earlier: Vec::new(), has_others: false, ended: None }
    }

    /// The first of the processes that a launcher started.
    #[must_use]
    pub fn in_team(mut self, meeting: Rendezvous) -> Self {
        self.command.arg(IN_TEAM).arg(meeting.folder).arg(meeting.device);
        self.has_others = true;
        self
    }

    /// Releases the other processes, if there are any, but not after an interrupt: inside a solve it breaks that off, and between two
    /// solves no process may end as if all were done.
    pub fn leave(&mut self) {
        let is_at_work = self.running.is_some() && self.ended.is_none();
        if self.has_others && is_at_work && !self.interrupted.load(Ordering::Relaxed) {
            // Those that cannot end in order say so themselves.
            let _ = self.ask_once(&Request::Leave, TIME_TO_LEAVE);
        }
    }

    /// The failure that the worker is lost, and with it all others where it is the first of several.
    fn lost(&self, cause: FailureCause, how: String) -> Failure {
        match self.has_others {
            false => Failure::new(cause, how),
            true => Failure::new(FailureCause::MemberLost, format!("the worker of rank 0 is lost: {how}")),
        }
    }

    fn start(&mut self) -> io::Result<WorkerHandle> {
        let mut child = self.command.spawn()?;
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(mut input), Some(output), Some(errors)) = taken else {
            return Err(io::Error::other("the worker has no pipes"));
        };
        let replies = listen(output, || ());
        let (sender, last_errors) = mpsc::channel();
        std::thread::spawn(move || sender.send(last_stderr(errors)));
        let given = given_files();
        if !given.is_empty() {
            // As with every request: a failed write means that the worker is gone.
            let _ = input.write_all(line_of(&Request::Register { given })?.as_bytes());
        }
        Ok(WorkerHandle { child, input, replies, last_errors })
    }

    fn ask_once(&mut self, request: &Request, mut limit: Duration) -> Answer {
        let line = line_of(request).map_err(Failure::other)?;
        let mut running = match self.running.take() {
            Some(running) => running,
            None => {
                // It answers only when all processes have met.
                limit += if self.has_others { TIME_TO_MEET } else { Duration::ZERO };
                self.start().map_err(|error| {
                    self.lost(FailureCause::Died, format!("the worker process cannot be started: {error}"))
                })?
            }
        };
        // A failed write means that the worker is gone, which the wait below finds out.
        let _ = running.input.write_all(line.as_bytes());
        let deadline = Instant::now() + limit;
        let answer = loop {
            match running.replies.recv_timeout(POLL).map(|line| serde_json::from_str(&line)) {
                Ok(Ok(Reply::Failed(failure))) => break Err(failure),
                Ok(Ok(reply)) => break Ok(reply),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.lost(FailureCause::Died, running.end(TIME_TO_END)));
                }
                Ok(Err(_)) | Err(RecvTimeoutError::Timeout) => {}
            }
            if Instant::now() >= deadline || self.interrupted.load(Ordering::Relaxed) {
                running.end(Duration::ZERO);
                let problem = format!("no result after {:.0} s", limit.as_secs_f64());
                return Err(self.lost(FailureCause::TimedOut, problem));
            }
        };
        match &answer {
            Err(Failure { cause: FailureCause::DeviceLost | FailureCause::MemberLost, .. }) => {
                // The worker ends by itself, one of several once all others know; the next request starts a new one.
                running.end(TIME_TO_END);
            }
            _ => self.running = Some(running),
        }
        answer
    }
}

impl WorkerHandle {
    /// Ends the worker, and says how it ended and what it wrote to its standard error last. It has `grace` to end by itself, since the way
    /// it ends is worth telling.
    fn end(mut self, grace: Duration) -> String {
        let deadline = Instant::now() + grace;
        // Its standard error closes as it ends, or just before.
        let words = self.last_errors.recv_timeout(grace);
        while words.is_ok() && Instant::now() < deadline && matches!(self.child.try_wait(), Ok(None)) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let _ = self.child.kill();
        let status = self.child.wait().map(|status| format!(" with {status}")).unwrap_or_default();
        let words = words.or_else(|_| self.last_errors.recv()).unwrap_or_default();
        repro_base::files::remove_abandoned();
        let words: Vec<&str> = words.split_whitespace().collect();
        let said = if words.is_empty() { String::new() } else { format!(": {}", words.join(" ")) };
        format!("the worker process ended{status}{said}")
    }
}

impl Executor for WorkerProcess {
    fn ask(&mut self, request: &Request, limit: Duration) -> Answer {
        if let Some(failure) = &self.ended {
            return Err(failure.clone());
        }
        let place = match request {
            Request::Open(_) => Some(0),
            Request::LoadGraph(_) => Some(1),
            _ => None,
        };
        self.earlier.truncate(place.unwrap_or(usize::MAX));
        let mut requests = if self.running.is_none() { self.earlier.clone() } else { Vec::new() };
        requests.push((request.clone(), limit));
        let answer = requests.iter().try_fold(Reply::Right, |_, (one, limit)| self.ask_once(one, *limit));
        let Err(failure) = answer else {
            self.earlier.extend(requests.pop().filter(|_| place.is_some()));
            return answer;
        };
        if failure.cause == FailureCause::MemberLost {
            std::thread::sleep(TIME_TO_BE_INTERRUPTED);
            self.ended = Some(failure.clone());
        }
        let is_interrupted = self.interrupted.load(Ordering::Relaxed);
        Err(if is_interrupted { Failure::new(FailureCause::Interrupted, "interrupted") } else { failure })
    }

    fn ask_fresh(&mut self, requests: &[Request], limit: Duration) -> Answer {
        let mut fresh = Self::new(self.command.get_program().into(), self.interrupted.clone());
        // Kernels are loaded when the driver would load them, as in a user's own program.
        fresh.command.env("CUDA_MODULE_LOADING", "LAZY");
        requests.iter().try_fold(Reply::Right, |_, request| fresh.ask(request, limit))
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        // The others can end in order even where this process cannot go on.
        self.leave();
        self.running.take().map(|running| running.end(Duration::ZERO));
    }
}

/// The end of what a worker writes to its standard error.
fn last_stderr(mut errors: impl Read) -> String {
    let (mut kept, mut chunk) = (String::new(), [0; 1024]);
    while let Ok(read @ 1..) = errors.read(&mut chunk) {
        kept.push_str(&String::from_utf8_lossy(&chunk[..read]));
        if let Some((start, _)) = kept.char_indices().rev().nth(KEPT_ERRORS) {
            kept.drain(..start);
        }
    }
    kept
}
