//! Gives a reader one input after another, and sees whether it panics, takes long or takes much memory.

use super::mutate::{below, mutated};
use super::targets::{Scratch, Target};
use super::{Input, memory};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// No input may take longer, of the processor and not of the day: others may be at work on the machine.
pub const MOST_TIME: Duration = Duration::from_secs(1);
/// No input may take more.
pub const MOST_BYTES: usize = 1 << 30;
/// An input that has not ended after this long never will.
const GIVE_UP: Duration = Duration::from_secs(300);
/// Inputs with outcomes that were new, from which further ones are made.
const MOST_KEPT: usize = 512;

/// What became of the inputs of a reader.
#[derive(Default)]
pub struct Report {
    pub inputs: u64,
    /// Kinds of outcomes: reading, and the different errors.
    pub outcomes: usize,
    pub slowest: Duration,
    pub peak_bytes: usize,
    /// Inputs that broke it, and how.
    pub broken: Vec<(Vec<u8>, String)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { inputs, outcomes, slowest, peak_bytes, broken } = self;
        write!(
            f,
            "{inputs} inputs, {outcomes} outcomes, {} broke it, slowest {:.1} ms, at most {} KiB",
            broken.len(),
            slowest.as_secs_f64() * 1e3,
            peak_bytes >> 10
        )
    }
}

thread_local! {
    static READING: Cell<bool> = const { Cell::new(false) };
}

/// Leaves it to [`hunt`] to tell of panics in readers, each once and with its input.
pub fn quiet_readers() {
    let others = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !READING.get() {
            others(panic);
        }
    }));
}

/// Reads `corpus` as it is, and then as many mutations of it as make `inputs` in all.
pub fn hunt(target: &Target, corpus: &[Input], seed: u64, inputs: u64) -> Report {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut hunter = Hunter {
        target,
        scratch: Scratch::new(),
        clock: ThreadClock::new(),
        report: Report::default(),
        seen: HashSet::new(),
    };
    let watched = Watchdog::start(target.name);
    for input in corpus {
        hunter.give(&input.bytes, &watched);
    }
    let quick = corpus.iter().filter(|input| !input.name.starts_with("bomb-"));
    let mut pool: Vec<Vec<u8>> = quick.map(|input| input.bytes.clone()).collect();
    let from_seeds = pool.len();
    while hunter.report.inputs < inputs {
        let one_of = |rng: &mut _| pool.get(below(rng, pool.len())).map_or(&[][..], Vec::as_slice);
        let (from, other) = (one_of(&mut rng), one_of(&mut rng));
        let input = mutated(&mut rng, from, other);
        if hunter.give(&input, &watched) {
            match pool.len() - from_seeds {
                0..MOST_KEPT => pool.push(input),
                kept => pool[from_seeds + below(&mut rng, kept)] = input,
            }
        }
    }
    hunter.report.outcomes = hunter.seen.len();
    hunter.report
}

struct Hunter<'a> {
    target: &'a Target,
    scratch: Scratch,
    clock: ThreadClock,
    report: Report,
    seen: HashSet<String>,
}

impl Hunter<'_> {
    /// Reads one input. Says whether none before had this outcome.
    fn give(&mut self, input: &[u8], watched: &Watchdog) -> bool {
        self.report.inputs += 1;
        watched.begin(input);
        let before = memory::watch();
        let start = self.clock.now();
        let outcome = self.read(input);
        let took = self.clock.now().saturating_sub(start);
        let bytes = memory::peak().saturating_sub(before);
        watched.end();
        self.report.slowest = self.report.slowest.max(took);
        self.report.peak_bytes = self.report.peak_bytes.max(bytes);
        let problem = match &outcome {
            Err(panic) => Some(format!("panicked: {panic}")),
            Ok(_) if took > MOST_TIME => Some(format!("took {:.1} s", took.as_secs_f64())),
            Ok(_) if bytes > MOST_BYTES => Some(format!("took {} MiB", bytes >> 20)),
            Ok(_) => None,
        };
        if let Some(problem) = problem {
            self.report.broken.push((input.to_vec(), problem));
        }
        outcome.is_ok_and(|outcome| self.seen.insert(kind(outcome)))
    }

    /// What the reader says, or how it panics.
    fn read(&self, input: &[u8]) -> Result<Result<(), String>, String> {
        READING.set(true);
        let outcome = catch_unwind(AssertUnwindSafe(|| (self.target.read)(input, &self.scratch)));
        READING.set(false);
        let told = |panic: Box<dyn std::any::Any + Send>| match panic.downcast::<String>() {
            Ok(text) => *text,
            Err(panic) => panic.downcast::<&str>().map_or("?".to_string(), |text| text.to_string()),
        };
        outcome.map_err(told)
    }
}

/// What this thread has had of the processor; the time of day where the system does not tell.
pub struct ThreadClock {
    statistics: Option<File>,
    start: Instant,
}

impl ThreadClock {
    pub fn new() -> Self {
        Self { statistics: File::open("/proc/thread-self/schedstat").ok(), start: Instant::now() }
    }

    pub fn now(&self) -> Duration {
        let mut text = [0; 64];
        let mut on_processor = || {
            let mut file = self.statistics.as_ref()?;
            file.rewind().ok()?;
            let length = file.read(&mut text).ok()?;
            let nanoseconds = str::from_utf8(&text[..length]).ok()?.split(' ').next()?;
            Some(Duration::from_nanos(nanoseconds.parse().ok()?))
        };
        on_processor().unwrap_or_else(|| self.start.elapsed())
    }
}

/// What is left of an outcome without the words and numbers of the input: nothing else says which way a reader went.
fn kind(outcome: Result<(), String>) -> String {
    let Err(outcome) = outcome else { return String::new() };
    let mut quoted = false;
    let told = outcome.split("found").next().unwrap_or_default();
    let letters = told.chars().filter(|letter| {
        quoted ^= matches!(letter, '\'' | '`' | '"');
        letter.is_ascii_alphabetic() && !quoted
    });
    letters.take(60).collect()
}

/// Ends the process where a reader does not come back, and keeps the input.
struct Watchdog {
    current: Arc<Mutex<(Vec<u8>, Option<Instant>)>>,
    over: Arc<AtomicBool>,
}

impl Watchdog {
    fn start(name: &'static str) -> Self {
        let started = Self { current: Arc::default(), over: Arc::default() };
        let (current, over) = (started.current.clone(), started.over.clone());
        std::thread::spawn(move || {
            while !over.load(Relaxed) {
                std::thread::sleep(Duration::from_millis(500));
                let Ok(current) = current.lock() else { return };
                if current.1.is_some_and(|since| since.elapsed() > GIVE_UP) {
                    let path = keep(name, &current.0);
                    eprintln!("{name} does not end: {}", path.display());
                    std::process::exit(1);
                }
            }
        });
        started
    }

    fn begin(&self, input: &[u8]) {
        if let Ok(mut current) = self.current.lock() {
            current.0.clear();
            current.0.extend_from_slice(input);
            current.1 = Some(Instant::now());
        }
    }

    fn end(&self) {
        if let Ok(mut current) = self.current.lock() {
            current.1 = None;
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.over.store(true, Relaxed);
    }
}

/// Writes an input to a file of its own, from which it is added to the corpus.
pub fn keep(target: &str, input: &[u8]) -> PathBuf {
    let sum = input.iter().fold(0_u64, |sum, &byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let path = std::env::temp_dir().join(format!("broke-{target}-{sum:016x}"));
    if let Err(error) = std::fs::write(&path, input) {
        eprintln!("{}: {error}", path.display());
    }
    path
}
