//! Threads with a stand-in for NCCL each, as processes.

use super::*;
use crate::distributed::nccl::tests::StandIn;
use crate::distributed::solver::prepare_in;
use crate::{NoClock, Parameters, Problem};
use repro_device::FailureKind;
use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_graph::{DistanceMatrix, ElementType, RandomGraph, WeightRange, generate, shortest_from};
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

const SOON: Duration = Duration::from_secs(20);

fn device(ordinal: usize) -> Rc<dyn Device> {
    Rc::new(EmulatedDevice::open_ordinal(ordinal, Instruments::default()).unwrap())
}

/// The process of this rank of two, which meets the other in this folder.
fn join(rank: usize, folder: &Path, wait: Duration) -> Result<Team, DeviceError> {
    let (launcher, job) = (Launcher::Torchrun, "a job/1".to_string());
    let launch = Launch { launcher, rank, size: 2, local_rank: rank, local_size: 2, job };
    Team::join_by(&StandIn::with_patience(SOON).nccl, launch, folder, &device(0), wait)
}

/// What each of two processes comes to.
fn together<T: Send>(act: &(dyn Fn(Rc<Team>) -> T + Sync)) -> Vec<T> {
    let folder = tempfile::tempdir().unwrap();
    let act = |rank| act(Rc::new(join(rank, folder.path(), SOON).unwrap()));
    thread::scope(|scope| {
        let started = [0, 1].map(|rank| scope.spawn(move || act(rank)));
        started.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// All that is in a folder.
fn left(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn what_each_process_has_comes_to_all() {
    let found = together(&|team| {
        let own = team.this_member().rank;
        // More than there is room for at first.
        let sent = vec![own as u64 + 7; 5000 * (1 - own)];
        let members: Vec<usize> = team.members().iter().map(|member| member.rank).collect();
        (
            team.gather(sent).unwrap(),
            team.broadcast(&[own as u8; 3]).unwrap(),
            members,
            team.this_member().to_string(),
        )
    });
    for (rank, (gathered, broadcast, members, name)) in found.into_iter().enumerate() {
        assert_eq!((gathered, broadcast), (vec![vec![7; 5000], vec![]], vec![0; 3]));
        assert_eq!((members, name), (vec![0, 1], format!("rank {rank} on {}", own_host())));
    }
}

#[test]
fn what_an_earlier_start_has_left_keeps_nobody_from_meeting_and_goes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".nccl-torchrun-a_job_1");
    // The number of a start of which nothing is left, and one of which a process was killed.
    for earlier in [[b'x'; 128], StandIn::new().nccl.unique_id().unwrap()] {
        std::fs::write(&file, earlier).unwrap();
        thread::scope(|scope| {
            let second = scope.spawn(|| join(1, folder.path(), SOON).map(|team| team.this_member().rank));
            thread::sleep(Duration::from_millis(300));
            assert_eq!(join(0, folder.path(), SOON).unwrap().members().len(), 2);
            assert_eq!(second.join().unwrap(), Ok(1));
        });
        assert_eq!(left(folder.path()), Vec::<PathBuf>::new());
    }
}

#[test]
fn a_number_is_there_whole_and_for_its_user_alone_and_waited_for_no_longer_than_was_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(".nccl-torchrun-a_job_1");
    thread::scope(|scope| {
        let first = scope.spawn(|| join(0, folder.path(), Duration::from_secs(1)).map(drop));
        let begun = Instant::now();
        while left(folder.path()).is_empty() {
            assert!(begun.elapsed() < SOON);
        }
        thread::sleep(Duration::from_millis(50));
        assert_eq!(left(folder.path()), std::slice::from_ref(&file));
        let number = std::fs::metadata(&file).unwrap();
        assert_eq!(number.len(), 128);
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&number.permissions()) & 0o777, 0o600);
        let error = first.join().unwrap().unwrap_err();
        assert!(error.message.starts_with("not all 2 processes joined within 1 s"), "{error}");
    });
    assert!(left(folder.path()).is_empty());
    let error = join(1, folder.path(), Duration::from_millis(100)).map(drop).unwrap_err();
    for part in
        ["rank 0 has put no ", ".nccl-torchrun-a_job_1 there within 0.1 s", "the same --out or --resume"]
    {
        assert!(error.message.contains(part), "{error}");
    }
    // Rank 0 has put it there, and one of the others never comes.
    std::fs::write(&file, StandIn::new().nccl.unique_id().unwrap()).unwrap();
    let error = join(1, folder.path(), Duration::from_millis(300)).map(drop).unwrap_err();
    assert!(error.message.starts_with("not all 2 processes joined within 0.3 s"), "{error}");
}

#[test]
fn a_process_that_is_gone_is_noticed() {
    let found = together(&|team| {
        if team.this_member().rank == 1 {
            team.abort();
            return Ok(vec![]);
        }
        team.gather(0)
    });
    assert_eq!(found[0].as_ref().unwrap_err().kind, FailureKind::Lost);
}

/// Of two processes the first one has two of three devices, and the second one the third.
fn solve(graph: &DistanceMatrix<f32>, parameters: &Parameters) -> Vec<(usize, Vec<f32>)> {
    let n = graph.n();
    let weights = WeightRange { symmetric: true, ..graph.survey().weights.range };
    let problem = Problem::one(n, ElementType::F32, weights);
    let found = together(&|team| {
        let devices = [device(0), device(1)];
        let mut prepared = prepare_in(&team, &problem, &devices, parameters).unwrap();
        let shards = prepared.sharded().unwrap();
        assert_eq!(shards.transport().unwrap(), "NCCL 2.28.9");
        shards.load(&*Box::new(graph.clone())).unwrap();
        shards.solve(n, &mut NoClock).unwrap();
        let mut rows = Vec::new();
        shards
            .store(&mut |block, bytes| {
                let numbers = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes));
                let numbers: Vec<f32> = numbers.collect();
                let of_block = block.rows.clone().zip(numbers.chunks_exact(n));
                rows.extend(of_block.map(|(row, numbers)| (row, numbers.to_vec())));
                Ok(())
            })
            .unwrap();
        rows
    });
    found.concat()
}

#[test]
fn processes_that_would_solve_by_other_plans_are_refused_before_they_send_panels() {
    let graph = generate::<f32>(&RandomGraph::complete(1), 100).unwrap();
    let problem = Problem::one(100, ElementType::F32, graph.survey().weights.range);
    let found = together(&|team| {
        let depth = if team.is_first() { 1 } else { 2 };
        let parameters = Parameters::from([("devices", 2), ("tile", 64), ("depth", depth)]);
        prepare_in(&team, &problem, &[device(0)], &parameters).map(drop).unwrap_err().message
    });
    for (message, other) in found.iter().zip(["rank 1 on ", "rank 0 on "]) {
        for part in [other, "depth = 1", "depth = 2", "--param"] {
            assert!(message.contains(part), "{message}");
        }
    }
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn processes_find_symmetry_together_and_send_each_other_halves() {
        let n = 150;
        let random =
            RandomGraph { undirected: true, density: 0.05, max_weight: 30, ..RandomGraph::complete(5) };
        for differs in [false, true] {
            let mut weights = generate::<f32>(&random, n).unwrap().as_slice().to_vec();
            if differs {
                weights[5 * n + 140] = 0.5;
            }
            let graph = DistanceMatrix::from_row_major(n, weights).unwrap();
            let column =
                Parameters::from([("devices", 3), ("rows", 3), ("tile", 64), ("depth", 1), ("half", 1)]);
            let rows = solve(&graph, &column);
            assert_eq!(rows.len(), n);
            for (row, found) in rows {
                assert_eq!(found, shortest_from(&graph, row).unwrap(), "row {row}");
            }
        }
    }
}
