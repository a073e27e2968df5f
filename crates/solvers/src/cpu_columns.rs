//! The catalogue entries of the CPU solvers.

use super::{Body, Implementation, Traffic, cpu_naive, cpu_parallel};

pub static NAIVE: Implementation = Implementation {
    name: "cpu-naive",
    summary: "plain triple loop on one core",
    source: "lund-smith-2010 §5 and Figure 1, Table 1 column 1",
    traffic: Traffic::EVERY_TASK,
    parameters: &[],
    body: Body::Cpu(|matrix, n| {
        cpu_naive::solve(matrix, n);
        Ok(())
    }),
};

pub static PARALLEL: Implementation = Implementation {
    name: "cpu-parallel",
    summary: "blocked, all cores, SIMD: today's CPU answer and the reference",
    source: "not in a paper; the blocked algorithm of Venkataraman et al. (2003)",
    traffic: Traffic {
        bytes_per_task: 16.0 / 128.0,
        model: "3 words read and 1 written per 128 tasks (rounds of 64 to 256 vertices, by n)",
        paper: None,
    },
    parameters: &[],
    body: Body::Cpu(|matrix, n| {
        cpu_parallel::solve(matrix, n);
        Ok(())
    }),
};
