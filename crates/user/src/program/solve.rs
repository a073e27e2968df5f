//! One solve by a program: a fresh process, a fresh folder.

use super::protocol::{ProgramRequest, Response, has_ended};
use crate::confine::{
    ExitCause, ExitReport, SandboxCommand, SandboxLimits, SandboxedProcess, open_left_file,
};
use repro_base::files::Scratch;
use repro_device::{DeviceError, HostBuffer};
use repro_graph::write::NpyWriter;
use repro_graph::{Block, read_npy};
use repro_solvers::{Clock, PreparedSolve, Problem, TimingPoint};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

const GRAPH: &str = "graph.npy";
const DISTANCES: &str = "distances.npy";
/// By how much a program's own clock may run ahead of the host's.
const CLOCKS_DIFFER: f64 = 1.01;

pub(super) struct ProgramSolve {
    /// The command line, with the placeholders of a solve.
    pub words: Vec<String>,
    pub environment: Vec<(String, String)>,
    pub protocol: bool,
    pub problem: Problem,
    pub limits: SandboxLimits,
}

impl ProgramSolve {
    /// Its command line, with the graph and the result in `folder`.
    fn command(&self, folder: &Path) -> Vec<String> {
        let [graph, out] = [GRAPH, DISTANCES].map(|name| folder.join(name).to_string_lossy().into_owned());
        let (n, element) = (self.problem.n.to_string(), self.problem.element.to_string());
        let fill = |word: &String| {
            let word = word.replace("{graph}", &graph).replace("{out}", &out);
            word.replace("{n}", &n).replace("{element}", &element)
        };
        self.words.iter().map(fill).collect()
    }

    /// Makes the three requests, and returns when the last of them was made. Nothing of the program runs afterwards.
    ///
    /// [`TimingPoint::CopiedOut`] is when none of its processes computes any more, just after it answered that its result is stored:
    /// whatever it had not done by then is not in its file.
    fn answer_all(
        &self,
        mut running: SandboxedProcess,
        folder: &Path,
        clock: &mut dyn Clock,
    ) -> Result<SystemTime, DeviceError> {
        let within = self.limits.wall;
        let element = self.problem.element.to_string();
        ProgramRequest::Load { graph: GRAPH, n: self.problem.n, element: &element }
            .ask(&mut running, within)?;
        reach(clock, &[TimingPoint::CopiedIn, TimingPoint::Packed])?;
        let begin = Instant::now();
        let answer = ProgramRequest::Solve {}.ask(&mut running, within)?;
        clock.record_point(TimingPoint::Solved, &[])?;
        let longest = begin.elapsed().as_secs_f64() * CLOCKS_DIFFER;
        clock.record_point(TimingPoint::Unpacked, &[])?;
        if let Response::Solved { seconds: Some(seconds) } = answer {
            if !(seconds > 0.0 && seconds <= longest) {
                return Err(DeviceError::other(format!(
                    "the program's own clock shows {seconds} s for a solve that took {longest:.6} s by the host's: it is no time of this solve"
                )));
            }
            clock.own_seconds(seconds);
        }
        // A file that the program wrote before it was asked to store is no answer to this request.
        repro_base::files::remove_if_there(&folder.join(DISTANCES)).map_err(failed)?;
        let asked = SystemTime::now();
        ProgramRequest::Store { distances: DISTANCES }.ask(&mut running, within)?;
        running.kill();
        clock.record_point(TimingPoint::CopiedOut, &[])?;
        // It has answered all, so that how else it ended does not matter, where it broke no limit before.
        let ended = running.wait();
        let is_usual =
            matches!(ended.cause, ExitCause::Stopped | ExitCause::Exited(_) | ExitCause::Signalled(_));
        ended_so(&ended, is_usual).map(|()| asked)
    }

    /// Reads the file that the program has written, which must not be older than `asked`. Nothing of the program runs by now.
    fn read_distances(
        &self,
        folder: &Path,
        asked: Option<SystemTime>,
        distances: &mut HostBuffer,
    ) -> Result<(), DeviceError> {
        // Messages name no folder, since it is another in each solve.
        let wrong = |problem: &dyn std::fmt::Display| {
            let when = if asked.is_some() { "answered that it had stored it" } else { "had ended" };
            DeviceError::other(format!("{DISTANCES}, when the program {when}: {problem}"))
        };
        let file = open_left_file(&folder.join(DISTANCES)).map_err(|error| wrong(&error))?;
        let written = file.metadata().and_then(|about| about.modified()).map_err(|error| wrong(&error))?;
        if asked.is_some_and(|asked| written + TICK < asked) {
            return Err(wrong(&"was written before it was asked for"));
        }
        let numbers = &mut distances.numbers_mut::<u8>()[..self.problem.matrix_bytes()];
        read_npy(&file, self.problem.n, self.problem.element, numbers).map_err(|problem| wrong(&problem))
    }
}

impl PreparedSolve for ProgramSolve {
    /// [`TimingPoint::Start`] is just before the program is executed: the sandbox is in place by then, and is no part of its time.
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let folder = Scratch::new("program").map_err(failed)?;
        let Problem { n, element, .. } = self.problem;
        let numbers = &graph.numbers::<u8>()[..self.problem.matrix_bytes()];
        let writer = NpyWriter::begin(&folder.path().join(GRAPH), n, n, element).map_err(failed)?;
        writer.write_block(&Block { rows: 0..n, columns: 0..n }, numbers).map_err(failed)?;
        writer.finish().map_err(failed)?;
        let command = SandboxCommand {
            words: self.command(folder.path()),
            folder: folder.path().into(),
            environment: self.environment.clone(),
        };
        let running = SandboxedProcess::spawn(&command, &self.limits).map_err(|ended| has_ended(&ended))?;
        clock.record_point(TimingPoint::Start, &[])?;
        let running = running.resume();
        let asked = if self.protocol {
            Some(self.answer_all(running, folder.path(), clock)?)
        } else {
            // Without requests there is only one time: from the start of the program to its end.
            reach(clock, &[TimingPoint::CopiedIn, TimingPoint::Packed])?;
            let ended = running.finish(self.limits.wall);
            reach(clock, &[TimingPoint::Solved, TimingPoint::Unpacked, TimingPoint::CopiedOut])?;
            ended_so(&ended, ended.cause == ExitCause::Exited(0))?;
            None
        };
        self.read_distances(folder.path(), asked, distances)
    }
}

/// Checks that the program ended as it should, and that no process of it is left.
fn ended_so(report: &ExitReport, is_right: bool) -> Result<(), DeviceError> {
    if is_right && report.left.is_empty() { Ok(()) } else { Err(has_ended(report)) }
}

/// File systems take the time of the last tick of the system's clock, 10 ms at most before.
const TICK: Duration = Duration::from_millis(20);

fn reach(clock: &mut dyn Clock, points: &[TimingPoint]) -> Result<(), DeviceError> {
    points.iter().try_for_each(|point| clock.record_point(*point, &[]))
}

fn failed(error: impl std::fmt::Display) -> DeviceError {
    DeviceError::other(format!("the folder of a program: {error}"))
}
