//! A program that is tried.

use repro_user::confine::{ExitCause, ExitReport, SandboxCommand, SandboxLimits, SandboxedProcess};
use std::time::{Duration, Instant};
use std::{fs, thread};
use tempfile::TempDir;

/// A program in a folder of its own, with a mark in its environment by which all that is left of it is found.
pub struct Trialled {
    pub folder: TempDir,
    pub program: SandboxCommand,
    pub limits: SandboxLimits,
}

pub fn program<const N: usize>(command: [&str; N]) -> Trialled {
    let folder = tempfile::tempdir().unwrap();
    let mark = ("MARK".to_string(), folder.path().display().to_string());
    let program = SandboxCommand {
        words: command.map(str::to_string).into(),
        folder: folder.path().into(),
        environment: vec![mark],
    };
    let limits = SandboxLimits {
        wall: Duration::from_secs(20),
        memory_bytes: 1 << 30,
        stdout_bytes: 1 << 20,
        stderr_bytes: 1 << 20,
        folder_bytes: 32 << 20,
        ..SandboxLimits::default()
    };
    Trialled { folder, program, limits }
}

pub fn shell(script: &str) -> Trialled {
    program(["sh", "-c", script])
}

pub fn python(script: &str) -> Trialled {
    program(["python3", "-c", script])
}

/// One of Python that knows what `attempt.py` defines.
pub fn attempting(script: &str) -> Trialled {
    python(&format!("{}{script}", include_str!("attempt.py")))
}

impl Trialled {
    pub fn start(&self) -> SandboxedProcess {
        SandboxedProcess::spawn(&self.program, &self.limits).unwrap().resume()
    }

    /// What it prints, where its script ends by itself.
    pub fn printed(&self) -> Vec<String> {
        let mut running = self.start();
        let mut lines = Vec::new();
        loop {
            match running.exchange("", Duration::from_secs(20)) {
                Ok(line) => lines.push(line),
                Err(ended) => {
                    assert_eq!(ended.cause, ExitCause::Exited(0), "{ended}");
                    return lines;
                }
            }
        }
    }

    /// Waits for its end, which has to come in time, and asserts that nothing is left.
    pub fn end(&self) -> ExitReport {
        let begin = Instant::now();
        let ended = self.start().finish(Duration::from_secs(15));
        assert!(begin.elapsed() < Duration::from_secs(14), "{ended}");
        self.assert_nothing_is_left();
        assert!(ended.left.is_empty(), "{ended}");
        ended
    }

    pub fn assert_nothing_is_left(&self) {
        assert_eq!(self.living(), Vec::<String>::new());
    }

    /// Command lines of its processes.
    pub fn living(&self) -> Vec<String> {
        let mark = format!("MARK={}", self.folder.path().display());
        let mut living = Vec::new();
        for process in fs::read_dir("/proc").unwrap().flatten() {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
                let command = fs::read(process.path().join("cmdline")).unwrap_or_default();
                living.push(String::from_utf8_lossy(&command).into_owned());
            }
        }
        living
    }

    /// Waits until so many of its processes live.
    pub fn wait_for(&self, count: usize) {
        let until = Instant::now() + Duration::from_secs(10);
        while self.living().len() != count {
            assert!(Instant::now() < until, "{:?}", self.living());
            thread::sleep(Duration::from_millis(5));
        }
    }
}
