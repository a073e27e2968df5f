//! Graphs that no memory holds whole: read in blocks on the devices that solve them, and verified by rows.

use crate::distributed::solver::{DEVICES, ROWS};
use crate::distributed::team::Team;
use crate::graph::read::file_blocks;
use crate::graph::{
    Blocks, ElementType, Piece, RowGroup, RowsReference, drawn_blocks, file_digest, random_blocks,
    weight_range_of_blocks,
};
use crate::implementation::{Block, Problem, ShardedSolve};
use crate::measure::sharded::team::all_gather;
use crate::plan::{GraphSource, Limits, Variant, check_memory};
use crate::protocol::{Failure, GraphRequest, REST_DIFFERS, Result, ResultProof};
use crate::store::{MatchKind, Verification};

/// Which rows are compared; the same in every run.
const ROWS_SEED: u64 = 1;

const OTHER_FILE: &str = "is another file than the one that this run was started with: if it was changed, start a new run; with several processes, each must \
     find the same file at this path";

/// A graph of which a process has some blocks.
pub struct ShardedGraph {
    pub problem: Problem,
    pub blocks: Box<dyn Blocks>,
    /// How many rows are compared, over all parts.
    rows: usize,
    /// What is right in some rows of each part, with the parts that it was found for.
    right: Option<(Vec<RowGroup>, RowsReference)>,
    /// Of results that were found right.
    digests: Digests,
}

impl ShardedGraph {
    /// Opens the graph that is asked for. What of it is on a device comes with each solve.
    ///
    /// # Errors
    /// When there is no such graph.
    pub fn load(request: &GraphRequest) -> Result<Self> {
        let GraphRequest { source, element, n, limits, .. } = request;
        let what = format!("the comparison of {} rows of n = {n}", limits.reference_rows);
        check_memory(what, host_memory(*n, *element, limits), "choose a smaller n, or fewer reference_rows")
            .map_err(Failure::out_of_memory)?;
        let blocks = match source {
            GraphSource::Random(random) => random_blocks(random, *n, *element).map_err(Failure::graph)?,
            GraphSource::Edges(edges) => drawn_blocks(edges, *n, *element).map_err(Failure::graph)?,
            GraphSource::File { path, digest } => {
                let failed = |problem| Failure::graph(format!("{}: {problem}", path.display()));
                if file_digest(path).map_err(|error| failed(format!("cannot be read: {error}")))? != *digest {
                    return Err(failed(OTHER_FILE.to_string()));
                }
                file_blocks(path, *element).map_err(Failure::graph)?
            }
        };
        let weights = weight_range_of_blocks(&*blocks).map_err(Failure::graph)?;
        let problem = Problem::one(*n, *element, weights);
        Ok(Self { problem, blocks, rows: limits.reference_rows, right: None, digests: Digests::default() })
    }

    /// Finds what is right in rows of each part, if that is still to do. The parts are those of all processes: each finds the same.
    ///
    /// # Errors
    /// When right results cannot be distinguished from wrong ones.
    pub fn expect(&mut self, parts: Vec<RowGroup>) -> Result<()> {
        if self.right.as_ref().is_none_or(|(known, _)| *known != parts) {
            let of_each = self.rows.div_ceil(parts.len().max(1)).max(1);
            let right = RowsReference::new(&*self.blocks, of_each, &parts, ROWS_SEED);
            self.right = Some((parts, right.map_err(Failure::graph)?));
        }
        Ok(())
    }

    /// Verifies the result of `variant` together with all processes, each of which compares what it has of some rows with a search on the
    /// graph.
    ///
    /// # Errors
    /// The first number that is wrong, or what a device reports; when no device has a part of a compared row, or the digest differs from
    /// that of an earlier right result.
    pub fn verify(
        &mut self,
        team: &Team,
        parts: &mut dyn ShardedSolve,
        variant: &Variant,
    ) -> Result<ResultProof> {
        let not_expected = || Failure::other("asked to verify before anything was prepared");
        let (_, right) = self.right.as_mut().ok_or_else(not_expected)?;
        let found = all_gather(team, compare(parts, right))?;
        let digest = found.iter().fold(0, |sum: u64, (digest, _)| sum.wrapping_add(*digest));
        right.compared = found.into_iter().flat_map(|(_, compared)| compared).collect();
        if let Some(Piece { row, columns }) = right.missing().first() {
            let (first, last) = (columns.start, columns.end - 1);
            let problem =
                format!("row {row} is to be compared, and its columns {first} to {last} are on no device");
            return Err(Failure::wrong_number(problem));
        }
        // Rows may agree where the rest does not.
        if !self.digests.agree(rounding_of(variant), right.exact, digest) {
            return Err(Failure::wrong_number(REST_DIFFERS));
        }
        let how =
            if right.exact { MatchKind::Exact } else { MatchKind::Bounds { widest: right.max_bound_gap } };
        let verification = Verification { how, rows: Some(right.sources.len()) };
        Ok(ResultProof { verification, digest: format!("{digest:016x}") })
    }
}

/// Compares what this process has of some rows. Gives [`ShardedSolve::digest`] of its blocks, and what was compared and right.
fn compare(parts: &mut dyn ShardedSolve, right: &mut RowsReference) -> Result<(u64, Vec<Piece>)> {
    let digest = parts.digest()?;
    right.compared.clear();
    for row in right.sources.clone() {
        for (first, numbers) in parts.row(row)? {
            right.check(row, first, &numbers).map_err(Failure::wrong_number)?;
        }
    }
    Ok((digest, right.compared.clone()))
}

/// A variant without the parameters that only share the work out: on any number of devices each entry is the result of the same sums.
/// Variants that are equal without those parameters round alike, and give the same bits on any graph.
fn rounding_of(variant: &Variant) -> Variant {
    let shares_out = |name: &str| [DEVICES, ROWS].iter().any(|parameter| parameter.name == name);
    let parameters = variant.parameters.iter().filter(|(name, _)| !shares_out(name)).collect();
    Variant { parameters, ..variant.clone() }
}

/// The digests of results of one graph whose compared rows were right: under `None` that of exact results, under a variant that of results
/// rounded as it rounds.
#[derive(Default)]
pub struct Digests(Vec<(Option<Variant>, u64)>);

impl Digests {
    /// Whether a result agrees with every earlier one that must have the same bits, and then remembers it. Those are all where nothing is
    /// rounded, and otherwise those that are rounded in the same way.
    pub fn agree(&mut self, rounding: Variant, exact: bool, digest: u64) -> bool {
        let alike: Vec<_> = exact.then_some(None).into_iter().chain([Some(rounding)]).collect();
        if self.0.iter().any(|(like, known)| alike.contains(like) && *known != digest) {
            return false;
        }
        // A result like an earlier one says nothing new.
        self.0.retain(|(like, _)| !alike.contains(like));
        self.0.extend(alike.into_iter().map(|like| (like, digest)));
        true
    }
}

/// The rows of a process's blocks in as many groups as it has devices. Blocks of one device follow each other.
pub fn groups_of(blocks: &[Block], devices: usize) -> Vec<RowGroup> {
    let of_each = blocks.len().div_ceil(devices.max(1)).max(1);
    blocks.chunks(of_each).map(|blocks| blocks.iter().map(|block| block.rows.clone()).collect()).collect()
}

/// Bytes of host memory that a sharded graph takes: three numbers an entry of the compared rows (its bounds, and what they are computed
/// from), and one row as the devices give it. The graph's edges take little beside that.
pub fn host_memory(n: usize, element: ElementType, limits: &Limits) -> u128 {
    let rows = limits.reference_rows.min(n) as u128;
    (n as u128).saturating_mul(element.bytes() as u128).saturating_mul(3 * rows + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::implementation::{ImplementationRef, Parameters};

    #[test]
    fn each_device_has_a_group_of_rows() {
        let block = |at: usize| Block { rows: at * 10..at * 10 + 10, columns: 0..100 };
        let blocks: Vec<Block> = [0, 2, 4, 1, 3].into_iter().map(block).collect();
        assert_eq!(groups_of(&blocks, 2), [vec![0..10, 20..30, 40..50], vec![10..20, 30..40]]);
        assert!(groups_of(&[], 1).is_empty());
    }

    fn whole(parameters: Parameters) -> Variant {
        rounding_of(&Variant { implementation: ImplementationRef::find("distributed-blocked"), parameters })
    }

    #[test]
    fn rounded_results_agree_on_any_number_of_devices_of_one_depth_and_exact_ones_whatever_they_come_from() {
        let on = |devices| whole(Parameters::from([("devices", devices), ("rows", 1)]));
        let deeper = || whole(Parameters::from([("depth", 2)]));
        for steps in [
            vec![(on(1), false, 7, true), (on(1), false, 7, true), (on(1), false, 8, false)],
            vec![(on(1), false, 7, true), (on(2), false, 8, false), (on(2), false, 7, true)],
            vec![(on(1), false, 7, true), (deeper(), false, 8, true), (on(4), false, 7, true)],
            vec![(on(1), true, 7, true), (deeper(), true, 8, false), (deeper(), true, 7, true)],
        ] {
            let mut digests = Digests::default();
            for (at, (rounding, is_exact, digest, agrees)) in steps.into_iter().enumerate() {
                assert_eq!(digests.agree(rounding, is_exact, digest), agrees, "{at}");
            }
        }
    }
}
