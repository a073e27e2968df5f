//! One solve by a program: a fresh process, a fresh folder.

use super::super::{Clock, Point, Prepared, Problem};
use super::method::Adapter;
use super::protocol::{Answer, Request, has_ended};
use repro_confine::{Confined, End, Limits, Program};
use repro_device::{DeviceError, HostBuffer};
use repro_files::Scratch;
use repro_graph::{Block, NpyWriter, read_npy};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

const GRAPH: &str = "graph.npy";
const DISTANCES: &str = "distances.npy";
/// How long a program may take to end once it has stored its result. It is ended then.
const TIME_TO_END: Duration = Duration::from_secs(2);
/// By how much a program's own clock may run ahead of the host's.
const CLOCKS_DIFFER: f64 = 1.01;

pub(super) struct ProgramSolve {
    adapter: Arc<Adapter>,
    problem: Problem,
    limits: Limits,
}

impl ProgramSolve {
    pub fn new(adapter: Arc<Adapter>, problem: Problem) -> Self {
        let limits = adapter.limits(&problem);
        Self { adapter, problem, limits }
    }

    /// The command line with the graph and the result in `folder`.
    fn command(&self, folder: &Path) -> Vec<String> {
        let filled = [
            ("{graph}", folder.join(GRAPH).to_string_lossy().into_owned()),
            ("{out}", folder.join(DISTANCES).to_string_lossy().into_owned()),
            ("{n}", self.problem.n.to_string()),
            ("{element}", self.problem.element.to_string()),
        ];
        let fill =
            |word: &String| filled.iter().fold(word.clone(), |word, (name, value)| word.replace(name, value));
        self.adapter.command.iter().map(fill).collect()
    }

    /// The three requests, and when the last of them was made.
    fn answer_all(
        &self,
        running: &mut Confined,
        folder: &Path,
        clock: &mut dyn Clock,
    ) -> Result<SystemTime, DeviceError> {
        let within = self.limits.wall;
        let element = self.problem.element.to_string();
        Request::Load { graph: GRAPH, n: self.problem.n, element: &element }.ask(running, within)?;
        clock.reached(Point::CopiedIn, &[])?;
        clock.reached(Point::Packed, &[])?;
        let begin = Instant::now();
        let answer = Request::Solve {}.ask(running, within)?;
        clock.reached(Point::Solved, &[])?;
        let longest = begin.elapsed().as_secs_f64() * CLOCKS_DIFFER;
        clock.reached(Point::Unpacked, &[])?;
        if let Answer::Solved { seconds: Some(seconds) } = answer {
            if !(seconds > 0.0 && seconds <= longest) {
                return Err(DeviceError::other(format!(
                    "the program's own clock shows {seconds} s for a solve that took {longest:.6} s by the host's: it is no time of this solve"
                )));
            }
            clock.own_seconds(seconds);
        }
        remove_early(folder)?;
        let asked = SystemTime::now();
        Request::Store { distances: DISTANCES }.ask(running, within)?;
        clock.reached(Point::CopiedOut, &[])?;
        Ok(asked)
    }

    /// What there is to time of a program that is not asked anything.
    fn wait_for(&self, running: Confined, clock: &mut dyn Clock) -> Result<(), DeviceError> {
        for point in [Point::CopiedIn, Point::Packed] {
            clock.reached(point, &[])?;
        }
        let ended = running.finish(self.limits.wall);
        for point in [Point::Solved, Point::Unpacked, Point::CopiedOut] {
            clock.reached(point, &[])?;
        }
        if ended.end == (End::Exited { code: 0 }) { Ok(()) } else { Err(has_ended(&ended)) }
    }
}

impl Prepared for ProgramSolve {
    /// [`Point::Start`] is when the program is executed: what holds it is in place by then, and is no part of its time.
    fn run(
        &mut self,
        graph: &HostBuffer,
        distances: &mut HostBuffer,
        clock: &mut dyn Clock,
    ) -> Result<(), DeviceError> {
        let folder = Scratch::new("program").map_err(failed)?;
        self.write_graph(folder.path(), graph)?;
        let program = Program {
            command: self.command(folder.path()),
            folder: folder.path().into(),
            environment: self.adapter.environment(),
            unreadable: Vec::new(),
        };
        let mut running = Confined::start(&program, &self.limits).map_err(|ended| has_ended(&ended))?;
        clock.reached(Point::Start, &[])?;
        let asked = if self.adapter.protocol {
            let asked = self.answer_all(&mut running, folder.path(), clock)?;
            // Nothing of it runs when its file is read. It has answered all, so that how it ends does not matter.
            running.finish(TIME_TO_END);
            Some(asked)
        } else {
            self.wait_for(running, clock)?;
            None
        };
        self.read_distances(folder.path(), asked, distances)
    }
}

impl ProgramSolve {
    fn write_graph(&self, folder: &Path, graph: &HostBuffer) -> Result<(), DeviceError> {
        let Problem { n, element, .. } = self.problem;
        let numbers = &graph.numbers::<u8>()[..self.problem.matrix_bytes()];
        let write = || {
            let writer = NpyWriter::begin(&folder.join(GRAPH), n, element)?;
            writer.write_block(&Block { rows: 0..n, columns: 0..n }, numbers)?;
            writer.finish()
        };
        write().map_err(failed)
    }

    /// The file that the program has written, not before `asked`.
    fn read_distances(
        &self,
        folder: &Path,
        asked: Option<SystemTime>,
        distances: &mut HostBuffer,
    ) -> Result<(), DeviceError> {
        let path = folder.join(DISTANCES);
        let wrong = |problem: &str| DeviceError::other(format!("{DISTANCES}: {problem}"));
        let about = fs::symlink_metadata(&path).map_err(|_| {
            wrong("the program says that it has stored its distances, and there is no such file")
        })?;
        // A link could lead to what the program must not read.
        if !about.is_file() {
            return Err(wrong("the program has made something else than a file"));
        }
        let is_stale =
            asked.zip(about.modified().ok()).is_some_and(|(asked, written)| written + TICK < asked);
        if is_stale {
            return Err(wrong("the program stored a file that was written before it was asked for it"));
        }
        let numbers = &mut distances.numbers_mut::<u8>()[..self.problem.matrix_bytes()];
        // Without the folder, which is another in each solve.
        read_npy(&path, self.problem.n, self.problem.element, numbers)
            .map_err(|error| wrong(&error.problem.to_string()))
    }
}

/// File systems take the time of the last tick of the system's clock, 10 ms at most before.
const TICK: Duration = Duration::from_millis(20);

/// A result from before it is asked for is none of this request.
fn remove_early(folder: &Path) -> Result<(), DeviceError> {
    match fs::remove_file(folder.join(DISTANCES)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    }
}

fn failed(error: impl std::fmt::Display) -> DeviceError {
    DeviceError::other(format!("the folder of a program: {error}"))
}
