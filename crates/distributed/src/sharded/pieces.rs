//! A long solve in pieces, between which its state is kept, so that another one can go on from there.

use super::graph::SolvedShards;
use super::{Share, Team};
use repro_device::DeviceError;
use repro_graph::{
    Blocks, Checkpoint, CheckpointHeader, CheckpointWriter, GraphIdentity, PartRecord, commit_checkpoint,
};
use repro_plan::CheckpointRule;
use repro_protocol::{Failure, Result};
use repro_solvers::{Clock, DeviceTimes, ShardedSolve};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where a long solve may pause: at multiples of this, where its rounds do. On another number of devices rounds may be other ones.
const PAUSES: usize = 1024;

/// The checkpoints of one graph, which all processes write together.
pub struct Pieces {
    every_s: f64,
    /// That of the graph alone.
    pub folder: PathBuf,
    identity: GraphIdentity,
}

impl Pieces {
    /// Those of the graph in the folder of the rule. A graph has a folder of its own there.
    pub fn new(rule: &CheckpointRule, identity: GraphIdentity) -> Self {
        let name = blake3::hash(identity.to_string().as_bytes()).to_hex();
        let folder = rule.folder.join(format!("n{}-{}-{}", identity.n, identity.element, &name[..8]));
        Self { every_s: rule.every_s, folder, identity }
    }

    /// Puts the latest state that was kept on the devices, or the graph, and says from which vertex on there is something to do.
    /// With it come the checkpoints that were refused, in the process that read them.
    ///
    /// # Errors
    /// When a checkpoint cannot be read, is of another graph, or is of no beginning of a round.
    fn begin(
        &self,
        team: &Team,
        parts: &mut dyn ShardedSolve,
        graph: &dyn Blocks,
    ) -> Result<(usize, Vec<String>)> {
        // One process reads every byte, and the others take what it found.
        let mut refused = Vec::new();
        let latest = if team.is_first() { self.latest(&mut refused) } else { Ok(0) };
        let vertices = team.broadcast_root(latest)?;
        if vertices == 0 {
            parts.load(graph)?;
            return Ok((0, refused));
        }
        let round = parts.round();
        if !vertices.is_multiple_of(round) {
            return Err(Failure::other(format!(
                "the checkpoint in {} is after {vertices} vertices, and this solve has rounds of {round}: take the parameters of the \
                 solve that wrote it, or remove it",
                self.folder.display()
            )));
        }
        let checkpoint = Checkpoint::at(&self.folder, vertices, &self.identity).map_err(Failure::other);
        parts.load(&team.barrier(checkpoint)?)?;
        Ok((vertices, refused))
    }

    fn latest(&self, refused: &mut Vec<String>) -> Result<usize> {
        let latest = Checkpoint::latest(&self.folder, &self.identity).map_err(Failure::other)?;
        refused.extend(latest.refused.iter().map(ToString::to_string));
        Ok(latest.checkpoint.map_or(0, |checkpoint| checkpoint.header().vertices))
    }

    /// Solves `graph` under `clock` from where another solve has left off, and keeps the state as often as the rule says. The seconds of
    /// each device are those of all pieces. The first process decides how long pieces are, and begins with what its devices surely do a
    /// second. Where nothing is known of them, the first pause comes early and shows it.
    ///
    /// # Errors
    /// As of [`Pieces::begin`], what the solver or a device reports, or that the state cannot be kept.
    pub fn solve(
        &self,
        share: &Share,
        parts: &mut dyn ShardedSolve,
        graph: &dyn Blocks,
        clock: &mut dyn Clock,
    ) -> Result<SolvedShards> {
        let (n, team) = (self.identity.n, share.team);
        let (start, refused) = self.begin(team, parts, graph)?;
        let (mut times, mut paused, mut at) = (Vec::new(), false, start);
        let step = step(parts.round(), n);
        let length = |vertices_per_s: f64, left: f64| {
            let steps = (vertices_per_s * left / step as f64).clamp(1.0, n.max(1) as f64) as usize;
            steps * step
        };
        let mut next = length(team.broadcast_root(Ok(share.least_vertices_per_s(n)))?, self.every_s);
        let mut kept = Instant::now();
        while at < n {
            let end = (at + next).min(n);
            let begun = Instant::now();
            // While the state is written others may wait for long: that is no solve to be watched.
            let work = team.work(&format!("a solve of n = {n}"));
            add(&mut times, parts.solve(at..end, clock)?);
            drop(work);
            let vertices_per_s = (end - at) as f64 / begun.elapsed().as_secs_f64().max(1e-9);
            at = end;
            if at == n {
                break;
            }
            paused = true;
            // The first process decides for all: clocks differ.
            let left = self.every_s - kept.elapsed().as_secs_f64();
            let (left, vertices_per_s) = team.broadcast_root(Ok((left, vertices_per_s)))?;
            if left <= 0.0 {
                self.keep(team, parts, at)?;
                kept = Instant::now();
            }
            next = length(vertices_per_s, if left > 0.0 { left } else { self.every_s });
        }
        Ok(SolvedShards { times, start, paused, refused })
    }

    /// Keeps the state after so many vertices.
    fn keep(&self, team: &Team, parts: &mut dyn ShardedSolve, vertices: usize) -> Result<()> {
        let records = team.all_gather(self.write(team.own().rank, parts, vertices))?;
        let header = CheckpointHeader { identity: self.identity.clone(), round: parts.round(), vertices };
        let committed = match team.is_first() {
            true => commit_checkpoint(&self.folder, header, records).map_err(Failure::other),
            false => Ok(()),
        };
        team.barrier(committed)
    }

    fn write(&self, rank: usize, parts: &mut dyn ShardedSolve, vertices: usize) -> Result<PartRecord> {
        let mut writer = CheckpointWriter::begin(&self.folder, vertices, rank).map_err(Failure::other)?;
        parts.store(&mut |block, numbers| {
            writer.write(block, numbers).map_err(|error| DeviceError::other(error.to_string()))
        })?;
        writer.finish().map_err(Failure::other)
    }
}

/// Removes the states in a folder, which a right result has made useless. What the user should see where they cannot be removed: the
/// result is no less right.
pub fn remove_saved(folder: &Path) -> Option<String> {
    let error = std::fs::remove_dir_all(folder).err()?;
    (error.kind() != ErrorKind::NotFound).then(|| {
        format!(
            "checkpoints cannot be removed ({error}): remove {}, or the next solve of this graph goes on from there",
            folder.display()
        )
    })
}

/// The least distance of two pauses in a solve of n vertices. One that is not long may pause after each of its rounds.
fn step(round: usize, n: usize) -> usize {
    let common = (1..=PAUSES).map(|times| times * round).find(|step| step.is_multiple_of(PAUSES));
    common.filter(|step| n >= 8 * step).unwrap_or(round)
}

/// Goes on with a solve of n vertices of which `done` are done, to its next pause. How many are done then; 0 where all are.
///
/// # Errors
/// What the solver or a device reports.
pub fn solve_to_pause(
    parts: &mut dyn ShardedSolve,
    n: usize,
    done: usize,
    clock: &mut dyn Clock,
) -> Result<usize> {
    let end = n.min(done + step(parts.round(), n));
    parts.solve(done..end, clock)?;
    Ok(if end == n { 0 } else { end })
}

fn add(all: &mut Vec<DeviceTimes>, piece: Vec<DeviceTimes>) {
    for times in piece {
        match all.iter_mut().find(|known| known.device == times.device) {
            None => all.push(times),
            Some(known) => {
                known.solve += times.solve;
                known.compute += times.compute;
                known.waiting += times.waiting;
                known.communication += times.communication;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_graph::{ElementType, matrix_blocks};
    use repro_solvers::{Block, TakeBlock, Untimed};
    use std::ops::Range;

    const N: usize = 16;

    /// All numbers of a matrix, in host memory.
    struct Whole(Vec<u8>);

    impl Whole {
        fn block() -> Block {
            Block { rows: 0..N, columns: 0..N }
        }
    }

    impl ShardedSolve for Whole {
        fn grid(&self) -> (usize, usize) {
            (1, 1)
        }

        fn round(&self) -> usize {
            4
        }

        fn transport(&self) -> Option<String> {
            None
        }

        fn blocks(&self) -> Vec<Block> {
            vec![Self::block()]
        }

        fn load(&mut self, graph: &dyn Blocks) -> Result<(), DeviceError> {
            self.0.resize(N * N * 4, 0);
            graph.read(0..N, 0..N, N, &mut self.0).map_err(|error| DeviceError::other(error.to_string()))
        }

        fn solve(&mut self, _: Range<usize>, _: &mut dyn Clock) -> Result<Vec<DeviceTimes>, DeviceError> {
            Ok(Vec::new())
        }

        fn row(&mut self, _: usize) -> Result<Vec<(usize, Vec<u8>)>, DeviceError> {
            Ok(Vec::new())
        }

        fn digest(&mut self) -> Result<u64, DeviceError> {
            Ok(0)
        }

        fn store(&mut self, take: &mut TakeBlock) -> Result<(), DeviceError> {
            take(&Self::block(), &self.0)
        }
    }

    #[test]
    fn a_checkpoint_that_is_not_as_it_was_written_is_named_and_the_one_before_it_used() {
        let folder = tempfile::tempdir().unwrap();
        let rule = CheckpointRule { folder: folder.path().to_path_buf(), every_s: 0.0 };
        let identity = GraphIdentity { graph: "g".into(), n: N, element: ElementType::F32 };
        let team = Team::default();
        let pieces = Pieces::new(&rule, identity);
        let matrix = repro_graph::generate::<f32>(&repro_graph::RandomGraph::complete(1), N).unwrap();
        let graph = matrix_blocks(matrix);
        let mut parts = Whole(Vec::new());
        assert_eq!(pieces.begin(&team, &mut parts, &*graph).unwrap(), (0, Vec::new()));
        for vertices in [4, 8] {
            parts.0[0] = vertices as u8;
            pieces.keep(&team, &mut parts, vertices).unwrap();
        }
        let torn = pieces.folder.join("vertices-000008/part-00000.bin");
        let mut bytes = std::fs::read(&torn).unwrap();
        bytes[5] ^= 1;
        std::fs::write(&torn, bytes).unwrap();
        let (start, refused) = pieces.begin(&team, &mut parts, &*graph).unwrap();
        assert_eq!((start, parts.0[0]), (4, 4));
        let [printed] = &refused[..] else { panic!("{refused:?}") };
        assert!(
            printed.contains("vertices-000008 is not used: part-00000.bin is not what was written"),
            "{printed}"
        );
    }

    #[test]
    fn states_that_cannot_be_removed_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        assert_eq!(remove_saved(&kept), None);
        std::fs::create_dir_all(kept.join("vertices-000008")).unwrap();
        assert_eq!(remove_saved(&kept), None);
        assert!(!kept.exists());
        std::fs::write(&kept, "no folder").unwrap();
        let printed = remove_saved(&kept).unwrap();
        assert!(printed.contains(&format!("remove {}, or the next solve", kept.display())), "{printed}");
    }

    #[test]
    fn a_solve_goes_from_pause_to_pause_and_begins_again_after_its_end() {
        let mut parts = Whole(vec![0; N * N * 4]);
        let mut next = |done| solve_to_pause(&mut parts, N, done, &mut Untimed).unwrap();
        assert_eq!([0, 4, 8, 12].map(&mut next), [4, 8, 12, 0]);
    }

    #[test]
    fn long_solves_pause_where_those_of_other_rounds_do_and_short_ones_after_each_round() {
        for round in [128, 256, 384, 512, 1024] {
            assert_eq!(step(round, 131_072) % PAUSES, 0, "{round}");
            assert_eq!(step(round, 131_072) % round, 0, "{round}");
            assert_eq!(step(round, 4096), round);
        }
    }

    #[test]
    fn seconds_of_pieces_add_up_by_device() {
        let of =
            |device, solve| DeviceTimes { device, solve, compute: 1.0, waiting: 0.5, communication: 0.25 };
        let mut all = Vec::new();
        add(&mut all, vec![of(2, 4.0), of(3, 5.0)]);
        add(&mut all, vec![of(3, 1.0), of(2, 2.0)]);
        let given: Vec<_> = all.iter().map(|times| (times.device, times.solve, times.waiting)).collect();
        assert_eq!(given, [(2, 6.0, 1.0), (3, 6.0, 1.0)]);
    }
}
