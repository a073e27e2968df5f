//! The small environment of a program.

use crate::limits::{Limits, Program};

/// What a program gets of the caller's environment, where it is set.
const KEPT: [&str; 4] = ["PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH"];
/// What it gets in addition to that where it needs a GPU, by how the names begin.
const KEPT_FOR_GPU: [&str; 2] = ["CUDA_", "NVIDIA_"];

/// All variables of the program, from those of the caller.
pub(crate) fn of(
    program: &Program,
    limits: &Limits,
    callers: impl Iterator<Item = (String, String)>,
) -> Vec<(String, String)> {
    let is_kept = |name: &str| {
        KEPT.contains(&name) || limits.gpu && KEPT_FOR_GPU.iter().any(|start| name.starts_with(start))
    };
    let mut variables: Vec<(String, String)> = callers.filter(|(name, _)| is_kept(name)).collect();
    for name in ["HOME", "TMPDIR", "PWD"] {
        variables.push((name.into(), program.folder.to_string_lossy().into_owned()));
    }
    variables.extend(program.environment.iter().cloned());
    variables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_no_more_of_the_environment_than_it_needs() {
        let callers = || {
            ["PATH", "SECRET", "CUDA_VISIBLE_DEVICES", "HOME", "LD_PRELOAD"]
                .into_iter()
                .map(|name| (name.to_string(), "x".to_string()))
        };
        let program = Program {
            folder: "/f".into(),
            environment: vec![("OMP_NUM_THREADS".into(), "2".into())],
            ..Program::default()
        };
        let names = |gpu| -> Vec<String> {
            let limits = Limits { gpu, ..Limits::default() };
            of(&program, &limits, callers()).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(names(false), ["PATH", "HOME", "TMPDIR", "PWD", "OMP_NUM_THREADS"]);
        assert_eq!(names(true)[..2], ["PATH", "CUDA_VISIBLE_DEVICES"]);
        let limits = Limits::default();
        let home = of(&program, &limits, callers()).into_iter().find(|(name, _)| name == "HOME").unwrap();
        assert_eq!(home.1, "/f");
    }
}
