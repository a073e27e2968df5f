//! What was found on a machine, what is missing, and what to do about it.

use std::fmt::Display;

/// In the order in which it was looked for.
#[derive(Default)]
pub struct Findings {
    lines: String,
    /// What is missing and what to do about it.
    problems: Vec<String>,
}

impl Findings {
    pub fn found(&mut self, what: &str, value: impl Display) {
        self.lines += &format!("  {what:<14} {value}\n");
    }

    /// What was found, or what is wrong and what to do. Without it something does not work: its `purpose`.
    pub fn result(&mut self, what: &str, purpose: &str, result: Result<impl Display, impl Display>) {
        let problem = match result {
            Ok(value) => return self.found(what, value),
            Err(problem) => problem.to_string(),
        };
        // Most problems begin with it, as "no CUDA driver" does.
        let name =
            if problem.starts_with(&format!("no {what}")) { String::new() } else { format!("{what}, ") };
        let number = self.problems.len() + 1;
        self.problems.push(format!("  {number}. {name}{purpose}: {problem}\n"));
        self.lines += &format!("! {what:<14} missing: see {number} below\n");
    }

    /// What was found, what can be run, and what to do, in the order in which it was looked for.
    pub fn text(&self, can_be_run: &str) -> String {
        let to_do = if self.problems.is_empty() { "" } else { "\nTo do, what helps most first:\n" };
        format!("{}\n{can_be_run}{to_do}{}", self.lines, self.problems.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_is_told_once_and_what_was_looked_for_first_comes_first() {
        let mut findings = Findings::default();
        findings.found("CPU", "Abacus 3, 2 threads");
        let missing = |problem: &str| Err::<String, _>(problem.to_string());
        findings.result("CUDA driver", "to time kernels on a GPU", missing("no driver: install it"));
        let purpose = "to check and count kernels on the emulated device";
        findings.result("C++ compiler", purpose, missing("no compiler: install g++"));
        findings.found("NVML", "comes with the CUDA driver");
        findings.result("kernel cache", "to keep compiled kernels", missing("no home: set REPRO_CACHE"));
        insta::assert_snapshot!(findings.text("On the CPU: cpu-naive can be timed.\n"), @"
          CPU            Abacus 3, 2 threads
        ! CUDA driver    missing: see 1 below
        ! C++ compiler   missing: see 2 below
          NVML           comes with the CUDA driver
        ! kernel cache   missing: see 3 below

        On the CPU: cpu-naive can be timed.

        To do, what helps most first:
          1. CUDA driver, to time kernels on a GPU: no driver: install it
          2. C++ compiler, to check and count kernels on the emulated device: no compiler: install g++
          3. kernel cache, to keep compiled kernels: no home: set REPRO_CACHE
        ");
    }

    #[test]
    fn what_a_problem_names_itself_is_not_named_before_it() {
        let mut findings = Findings::default();
        let problem = "no CUDA driver (libcuda) on this machine: install it";
        findings.result("CUDA driver", "to time kernels on a GPU", Err::<String, _>(problem));
        assert!(findings.text("").ends_with(
            "  1. to time kernels on a GPU: no CUDA driver (libcuda) on this machine: install it\n"
        ));
    }
}
