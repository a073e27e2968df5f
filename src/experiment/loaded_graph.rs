//! A graph in a worker: its input, room for a result, and what the result must be.

use super::config::{GraphSource, Limits};
use super::protocol::{Failure, FailureCause};
use crate::device::{Device, HostBuffer};
use crate::graph::{self, Digest, DistanceMatrix, Reference, available_memory, digest};
use crate::implementation::cpu_parallel;
use crate::record::{Compared, Verification};
use rayon::prelude::*;

/// Floats that one thread copies or fills at a time.
const CHUNK: usize = 1 << 20;

/// Which sources are compared where not all can be; the same in every run.
const SOURCES_SEED: u64 = 1;

pub struct LoadedGraph {
    n: usize,
    input: HostBuffer,
    output: HostBuffer,
    /// The same two in pageable memory, once they were asked for.
    pageable: Option<(HostBuffer, HostBuffer)>,
    /// What is right: in every entry up to the limit that the experiment sets, in some rows beyond.
    reference: Reference,
    /// Of the first result that was found right.
    right: Option<Digest>,
}

impl LoadedGraph {
    /// Makes the graph and finds its reference.
    pub fn load(
        source: &GraphSource,
        n: usize,
        limits: &Limits,
        device: Option<&dyn Device>,
    ) -> Result<Self, Failure> {
        check_host_memory(n, limits, matches!(source, GraphSource::File { .. }))?;
        let matrix = make(source, n)?;
        let mut input = buffer(n * n, device)?;
        let output = buffer(n * n, device)?;
        copy(matrix.as_slice(), &mut input);
        let reference = if n <= limits.whole_reference_n {
            Reference::whole(&matrix, limits.reference_rows, SOURCES_SEED, &cpu_parallel::solve)
        } else {
            Reference::of_rows(&matrix, limits.reference_rows, SOURCES_SEED)
        };
        let reference = reference.map_err(|error| Failure::new(FailureCause::Graph, error))?;
        Ok(Self { n, input, output, pageable: None, reference, right: None })
    }

    pub fn n(&self) -> usize {
        self.n
    }

    /// Input and output, for a device to copy from and to.
    pub fn buffers(&mut self) -> (&HostBuffer, &mut HostBuffer) {
        (&self.input, &mut self.output)
    }

    /// Input and output in pageable memory.
    pub fn pageable_buffers(&mut self) -> Result<(&HostBuffer, &mut HostBuffer), Failure> {
        if self.pageable.is_none() {
            let entries = self.n * self.n;
            let (mut input, output) = (buffer(entries, None)?, buffer(entries, None)?);
            copy(&self.input[..entries], &mut input);
            self.pageable = Some((input, output));
        }
        match &mut self.pageable {
            Some((input, output)) => {
                output.par_chunks_mut(CHUNK).for_each(|chunk| chunk.fill(f32::NAN));
                Ok((input, output))
            }
            None => Err(Failure::new(FailureCause::Other, "no pageable memory")),
        }
    }

    /// Makes what lies in the pageable output the output.
    pub fn take_pageable_output(&mut self) {
        if let Some((_, pageable)) = &self.pageable {
            copy(pageable, &mut self.output[..self.n * self.n]);
        }
    }

    pub fn output_mut(&mut self) -> &mut [f32] {
        &mut self.output[..self.n * self.n]
    }

    pub fn restore_input_into_output(&mut self) {
        copy(&self.input, &mut self.output);
    }

    /// Fills the output with NaN, which no right result holds: what a solver leaves unwritten shows.
    pub fn poison_output(&mut self) {
        self.output.par_chunks_mut(CHUNK).for_each(|chunk| chunk.fill(f32::NAN));
    }

    /// Compares the output with the reference. Says how, and the output's digest.
    pub fn verify(&mut self) -> Result<(Verification, String), Failure> {
        let result = &self.output[..self.n * self.n];
        let digest = digest(result);
        if self.right != Some(digest) {
            let wrong = |error| Failure::new(FailureCause::WrongResult, format!("wrong result: {error}"));
            self.reference.check(result).map_err(wrong)?;
            match self.right {
                // Rows may agree where the rest does not. Exact results of one graph are equal in every bit.
                Some(_) if self.reference.exact() => {
                    return Err(Failure::new(
                        FailureCause::WrongResult,
                        "wrong result: the compared rows are right, but the rest differs from an earlier right result",
                    ));
                }
                _ => self.right = Some(digest),
            }
        }
        Ok((self.verification(), digest.to_string()))
    }

    fn verification(&self) -> Verification {
        let reference = &self.reference;
        let how =
            if reference.exact() { Compared::Exact } else { Compared::Bounds { widest: reference.widest() } };
        Verification { how, rows: (!reference.is_whole()).then(|| reference.sources().len()) }
    }
}

fn make(source: &GraphSource, n: usize) -> Result<DistanceMatrix, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(FailureCause::Graph, error);
    match source {
        GraphSource::Random(random) => graph::generate(random, n).map_err(|error| failed(&error)),
        GraphSource::Edges(edges) => graph::generate_edges(edges, n).map_err(|error| failed(&error)),
        GraphSource::File { path, digest: expected } => {
            let matrix = graph::read_graph(path).map_err(|error| failed(&error))?;
            if digest(matrix.as_slice()).to_string() != *expected {
                return Err(failed(&format!(
                    "{} has changed since this run was started: start a new one",
                    path.display()
                )));
            }
            Ok(matrix)
        }
    }
}

/// Whether there is room for input, output, the graph itself, and what of the result is kept to compare with. Where sums may
/// be `rounded` that is the least and the greatest right value of each entry, and what they are found from.
pub(super) fn check_host_memory(n: usize, limits: &Limits, rounded: bool) -> Result<(), Failure> {
    let row = (n as u128).saturating_mul(size_of::<f32>() as u128);
    let rows = if n <= limits.whole_reference_n { n } else { limits.reference_rows.min(n) };
    let kept = if rounded { rows.saturating_mul(3) } else { rows };
    let needed = row.saturating_mul(3 * n as u128 + kept as u128);
    match available_memory() {
        Some(available) if needed > u128::from(available) => Err(Failure::new(
            FailureCause::OutOfMemory,
            format!(
                "n = {n} needs {} MiB of host memory and {} MiB are free: choose a smaller n",
                needed >> 20,
                available >> 20
            ),
        )),
        _ => Ok(()),
    }
}

fn buffer(entries: usize, device: Option<&dyn Device>) -> Result<HostBuffer, Failure> {
    match device {
        Some(device) => Ok(device.allocate_host(entries)?),
        None => HostBuffer::pageable(entries).ok_or_else(|| {
            Failure::new(
                FailureCause::OutOfMemory,
                format!("no host memory for {entries} floats: choose a smaller n"),
            )
        }),
    }
}

fn copy(from: &[f32], to: &mut [f32]) {
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| to.copy_from_slice(from));
}
