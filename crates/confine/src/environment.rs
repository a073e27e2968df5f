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

    /// Without a GPU, `it_inherits_no_file_and_no_variable` tests it.
    #[test]
    fn a_program_on_a_gpu_is_told_which() {
        let callers =
            ["PATH", "SECRET", "CUDA_VISIBLE_DEVICES"].map(|name| (name.to_string(), "x".to_string()));
        let limits = Limits { gpu: true, ..Limits::default() };
        let given = of(&Program::default(), &limits, callers.into_iter());
        assert_eq!([&*given[0].0, &*given[1].0], ["PATH", "CUDA_VISIBLE_DEVICES"]);
    }
}
