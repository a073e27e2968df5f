//! What a solve does, launch by launch, on a device that counts: and the matrix between the launches, compared with what the plain algorithm
//! has after each of its iterations.

use super::{HostMemory, VariantSession};
use crate::device::{DeviceError, HostBuffer, Queue};
use crate::graph::ElementType;
use crate::implementation::{Clock, Problem, TimingPoint};
use crate::protocol::{CountReply, Failure, Result};
use crate::timing::CountingClock;
use std::collections::HashSet;

impl VariantSession<'_> {
    /// Solves once on a device that counts and, if asked, once more to compare the matrix after each launch.
    pub(super) fn count(&mut self, between_launches: bool) -> Result<CountReply> {
        self.matrix.ready(self.on, self.variant)?;
        let devices = self.on.devices.clone();
        let mut clock = CountingClock::new(&devices);
        let result = self.solve_verified(HostMemory::PageLocked, &mut clock)?;
        self.check_again()?;
        let mut counted = CountReply { result, ..CountReply::default() };
        counted.add(clock.take().into_iter().map(|launch| (launch.kernel, launch.counts)));
        if between_launches {
            let Problem { n, element, .. } = *self.matrix.graph.problem();
            if element != ElementType::F32 {
                let problem = "the matrix between launches can only be compared in f32, not in";
                return Err(Failure::other(format!("{problem} {element}")));
            }
            let mut looks = ReferenceStates::new(&self.matrix.graph.input.numbers()[..n * n], n);
            self.solve_verified(HostMemory::PageLocked, &mut looks)?;
            counted.unlike_plain = looks.unlike;
        }
        Ok(counted)
    }
}

/// Every matrix of the plain algorithm, by its digest: the weights, and what they are after each iteration of k.
pub struct ReferenceStates {
    n: usize,
    states: HashSet<blake3::Hash>,
    /// For each kernel, the number of launches after which the matrix was none of these states.
    pub unlike: Vec<(String, u64)>,
}

impl ReferenceStates {
    fn new(weights: &[f32], n: usize) -> Self {
        let mut matrix = weights.to_vec();
        let mut states = HashSet::from([digest(&matrix)]);
        for k in 0..n {
            let row_k = matrix[k * n..(k + 1) * n].to_vec();
            for row in matrix.chunks_exact_mut(n) {
                let to_k = row[k];
                row.iter_mut().zip(&row_k).for_each(|(entry, from_k)| *entry = entry.min(to_k + from_k));
            }
            states.insert(digest(&matrix));
        }
        Self { n, states, unlike: Vec::new() }
    }

    fn see(&mut self, kernel: &str, matrix: &[f32]) {
        let unlike = u64::from(!self.states.contains(&digest(matrix)));
        match self.unlike.iter_mut().find(|(known, _)| known == kernel) {
            Some((_, count)) => *count += unlike,
            None => self.unlike.push((kernel.to_string(), unlike)),
        }
    }
}

impl Clock for ReferenceStates {
    fn record_point(&mut self, _: TimingPoint, _: &[&dyn Queue]) -> std::result::Result<(), DeviceError> {
        Ok(())
    }

    fn wants_matrix(&self) -> bool {
        true
    }

    fn launched(&mut self, kernel: &str, matrix: &HostBuffer) {
        self.see(kernel, &matrix.numbers()[..self.n * self.n]);
    }
}

fn digest(matrix: &[f32]) -> blake3::Hash {
    blake3::hash(bytemuck::cast_slice(matrix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_plain_algorithm_has_after_an_iteration_is_known_and_a_part_of_one_is_not() {
        const NONE: f32 = f32::INFINITY;
        let weights = [0.0, 1.0, 5.0, NONE, 0.0, 1.0, 1.0, NONE, 0.0];
        let mut looks = ReferenceStates::new(&weights, 3);
        // k = 0 changes row 2, k = 1 row 0, k = 2 row 1.
        let after_0 = [0.0, 1.0, 5.0, NONE, 0.0, 1.0, 1.0, 2.0, 0.0];
        let distances = [0.0, 1.0, 2.0, 2.0, 0.0, 1.0, 1.0, 2.0, 0.0];
        let row_0_alone = [0.0, 1.0, 2.0, NONE, 0.0, 1.0, 1.0, NONE, 0.0];
        for (kernel, matrix) in [("a", weights), ("a", row_0_alone), ("b", after_0), ("a", distances)] {
            looks.see(kernel, &matrix);
        }
        assert_eq!(looks.unlike, [("a".to_string(), 1), ("b".to_string(), 0)]);
    }
}
