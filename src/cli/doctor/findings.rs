//! What was found on a machine, what is missing, also for several GPUs (NCCL, links), and what to do about it first.

use crate::device::DeviceError;
use crate::device::links::{links, summary};
use crate::distributed::nccl::{NCCL_VARIABLE, Nccl};

/// What is missing, the most needed first: in this order it is to be put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    Driver,
    Device,
    Nvrtc,
    CxxCompiler,
    Telemetry,
    Nccl,
    Disassembler,
    Cache,
}

impl Need {
    /// What does not work without it.
    fn purpose(self) -> &'static str {
        match self {
            Self::Driver | Self::Device | Self::Nvrtc => "to time kernels on a GPU",
            Self::CxxCompiler => "to check and count kernels on the emulated device",
            Self::Nccl => "to solve on several GPUs together",
            Self::Telemetry => "to record clocks and throttling",
            Self::Disassembler => "for repro counts",
            Self::Cache => "to keep compiled kernels",
        }
    }
}

/// What can be run here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ready {
    /// Everything: kernels can be timed.
    Gpu,
    /// The CPU, and kernels on the emulated device.
    Emulated,
    /// The CPU alone.
    Cpu,
}

#[derive(Default)]
pub struct Findings {
    /// What was looked for, and what was found, or what is missing without it.
    lines: Vec<(String, Result<String, Need>)>,
    /// What to do about each need.
    problems: Vec<(Need, String, String)>,
}

impl Findings {
    pub fn found(&mut self, what: &str, value: String) {
        self.lines.push((what.to_string(), Ok(value)));
    }

    /// Something is missing. `problem` says what is wrong and what to do.
    pub fn missing(&mut self, what: &str, need: Need, problem: &str) {
        self.missing_with(what, need);
        self.problems.push((need, what.to_string(), problem.to_string()));
    }

    /// Something is missing that comes with what was printed already.
    pub fn missing_with(&mut self, what: &str, need: Need) {
        self.lines.push((what.to_string(), Err(need)));
    }

    pub fn result(&mut self, what: &str, need: Need, result: Result<String, DeviceError>) {
        match result {
            Ok(value) => self.found(what, value),
            Err(error) => self.missing(what, need, &error.message),
        }
    }

    /// What was found, what can be run, and what to do, in the order in which it helps most.
    pub fn text(&self, ready: Ready, on_device: &[String], on_cpu: &[String]) -> String {
        let mut problems: Vec<&(Need, String, String)> = self.problems.iter().collect();
        problems.sort_by_key(|(need, ..)| *need);
        let number = |need: Need| problems.iter().position(|(of, ..)| *of == need).map_or(0, |at| at + 1);
        let mut text = String::new();
        for (what, found) in &self.lines {
            text += &match found {
                Ok(value) => format!("  {what:<14} {value}\n"),
                Err(need) => format!("! {what:<14} missing: see {} below\n", number(*need)),
            };
        }
        text += &format!("\nOn the CPU: {} can be timed.\n", on_cpu.join(", "));
        text += &format!(
            "On a GPU: {} implementations {}.\n",
            on_device.len(),
            match ready {
                Ready::Gpu => "can be timed",
                Ready::Emulated =>
                    "cannot be timed here; they can be checked and counted on the emulated device, without a GPU",
                Ready::Cpu => "cannot run here, neither on a GPU nor on the emulated device",
            }
        );
        if !problems.is_empty() {
            text += "\nTo do, what helps most first:\n";
        }
        for (at, (need, what, problem)) in problems.iter().enumerate() {
            // Most problems begin with it, as "no CUDA driver" does.
            let what =
                if problem.starts_with(&format!("no {what}")) { String::new() } else { format!("{what}, ") };
            text += &format!("  {}. {what}{}: {problem}\n", at + 1, need.purpose());
        }
        text
    }
}

/// Adds NCCL, and for several GPUs with these UUIDs what joins them.
pub fn add(report: &mut Findings, uuids: &[String]) {
    match Nccl::find() {
        Ok(nccl) => report
            .found("NCCL", format!("{}: {} (from {})", nccl.version(), nccl.path().display(), nccl.origin())),
        // Nobody misses it who has no use for it and did not name it.
        Err(_) if uuids.len() < 2 && repro_base::files::variable(NCCL_VARIABLE).is_none() => {
            report.found("NCCL", "not found; only solves on several GPUs need it".to_string());
        }
        Err(error) => report.missing("NCCL", Need::Nccl, &error.message),
    }
    if uuids.len() > 1 {
        let uuids: Vec<&str> = uuids.iter().map(String::as_str).collect();
        let joined = summary(&links(&uuids), "cuda:");
        report
            .found("GPU links", joined.unwrap_or_else(|| "unknown, since NVML does not answer".to_string()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_told_once_and_what_helps_most_comes_first() {
        let mut findings = Findings::default();
        findings.found("CPU", "Abacus 3, 2 threads".to_string());
        findings.missing("kernel cache", Need::Cache, "no home: set REPRO_CACHE");
        findings.missing("CUDA driver", Need::Driver, "no driver: install it");
        findings.missing_with("NVML", Need::Driver);
        findings.missing("C++ compiler", Need::CxxCompiler, "no compiler: install g++");
        let names = |all: &[&str]| all.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let text = findings.text(Ready::Cpu, &names(&["katz-kider", "staged-load"]), &names(&["cpu-naive"]));
        insta::assert_snapshot!(text, @"
          CPU            Abacus 3, 2 threads
        ! kernel cache   missing: see 3 below
        ! CUDA driver    missing: see 1 below
        ! NVML           missing: see 1 below
        ! C++ compiler   missing: see 2 below

        On the CPU: cpu-naive can be timed.
        On a GPU: 2 implementations cannot run here, neither on a GPU nor on the emulated device.

        To do, what helps most first:
          1. CUDA driver, to time kernels on a GPU: no driver: install it
          2. C++ compiler, to check and count kernels on the emulated device: no compiler: install g++
          3. kernel cache, to keep compiled kernels: no home: set REPRO_CACHE
        ");
    }

    #[test]
    fn what_a_problem_names_itself_is_not_named_before_it() {
        let mut findings = Findings::default();
        findings.missing("CUDA driver", Need::Driver, "no CUDA driver (libcuda) on this machine: install it");
        let text = findings.text(Ready::Cpu, &[], &[]);
        assert!(text.ends_with(
            "  1. to time kernels on a GPU: no CUDA driver (libcuda) on this machine: install it\n"
        ));
    }
}
