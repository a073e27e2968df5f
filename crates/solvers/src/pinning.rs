//! Threads that stay on cores of their own while they solve on the host, so that no move to another core, with its cold caches, is in a
//! time.

use super::cpu_parallel;
use rayon::current_thread_index;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde::{Deserialize, Serialize};
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// Which threads of the host solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverThreads {
    /// The one that asks for the solve.
    One,
    /// All of the current rayon pool.
    All,
    /// Those of [`cpu_parallel::pool`] with so many threads.
    Pool(usize),
}

impl SolverThreads {
    /// Their own pool, if they have one and the system allows it.
    pub fn pool(self) -> Option<Arc<rayon::ThreadPool>> {
        if let Self::Pool(threads) = self { cpu_parallel::pool(threads) } else { None }
    }

    /// How many they are.
    pub fn count(self) -> usize {
        match self {
            Self::One => 1,
            Self::All => rayon::current_num_threads(),
            Self::Pool(threads) => threads,
        }
    }
}

/// Where threads were pinned.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinnedCores {
    /// The core of each thread, as the operating system numbers them. Empty where none was pinned.
    pub cores: Vec<usize>,
    /// For a single thread, the other hyperthreads of its processor core. Empty where it has a processor core for itself. None where the
    /// system does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shares_with: Option<Vec<usize>>,
    /// Why no thread was pinned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Where solves on the host are pinned in this process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pinning {
    /// The one thread of a solver that has one.
    pub one: PinnedCores,
    /// Every thread of a solver that has all.
    pub all: PinnedCores,
}

impl Pinning {
    /// Pins one thread, then all, and sets them free again.
    pub fn probe() -> Self {
        let tried = |threads| PinGuard::acquire(threads).pinned().clone();
        Self { one: tried(SolverThreads::One), all: tried(SolverThreads::All) }
    }
}

/// Threads that are pinned until this is dropped. Where pinning is refused they run as they did, and [`PinGuard::pinned`] has the reason.
pub struct PinGuard {
    threads: SolverThreads,
    pinned: PinnedCores,
    /// Keeps the guard in its thread, which is the one to be set free.
    _of_this_thread: PhantomData<*const ()>,
}

impl PinGuard {
    /// Pins each of the threads to a core of its own, of those that the process may use.
    pub fn acquire(threads: SolverThreads) -> Self {
        let pinned = place(threads).and_then(|pinned| pin(threads, &pinned.cores).map(|()| pinned));
        let free = |problem| PinnedCores { problem: Some(problem), ..PinnedCores::default() };
        Self { threads, pinned: pinned.unwrap_or_else(free), _of_this_thread: PhantomData }
    }

    pub fn pinned(&self) -> &PinnedCores {
        &self.pinned
    }
}

impl Drop for PinGuard {
    fn drop(&mut self) {
        if !self.pinned.cores.is_empty() {
            set_free(self.threads);
        }
    }
}

/// The core of each thread. For a single thread it is looked up once: no files are to be read right before a short solve.
fn place(threads: SolverThreads) -> Result<PinnedCores, String> {
    static ONE: OnceLock<Result<PinnedCores, String>> = OnceLock::new();
    let look = || {
        let cores = choose(threads, threads.count(), allowed()?, &siblings)?;
        let one = (threads == SolverThreads::One).then(|| siblings(cores[0]));
        Ok(PinnedCores { cores, shares_with: one.flatten(), problem: None })
    };
    if threads == SolverThreads::One { ONE.get_or_init(look).clone() } else { look() }
}

/// The cores of `count` threads, from those `allowed`. `siblings` tells with which others a core shares a processor core.
fn choose(
    threads: SolverThreads,
    count: usize,
    allowed: &[usize],
    siblings: &dyn Fn(usize) -> Option<Vec<usize>>,
) -> Result<Vec<usize>, String> {
    if allowed.len() < count {
        let cores = allowed.len();
        return Err(format!("{count} threads have {cores} cores: two on one would wait for each other"));
    }
    if threads != SolverThreads::One {
        return Ok(allowed[..count].to_vec());
    }
    let first = *allowed.first().ok_or("no core may be used")?;
    // Interrupts are usually served on the first core, and slow cores, where a processor has two kinds, come last. A core is preferred
    // whose siblings are this process's, too, and not the first: they are left idle.
    let is_quiet = |core: usize| {
        siblings(core).is_some_and(|of| of.iter().all(|one| *one != first && allowed.contains(one)))
    };
    let quiet = allowed[1..].iter().find(|&&core| is_quiet(core));
    Ok(vec![*quiet.or(allowed.get(1)).unwrap_or(&first)])
}

/// Pins all threads or none.
fn pin(threads: SolverThreads, cores: &[usize]) -> Result<(), String> {
    // A matrix that is too small to be shared is solved by the calling thread.
    let is_own = threads == SolverThreads::One || current_thread_index().is_none();
    let own = if is_own { set_affinity(&cores[..1]) } else { Ok(()) };
    let shared = on_each(threads, &|thread| set_affinity(&cores[thread..][..1]));
    shared.into_iter().fold(own, Result::and).inspect_err(|_| set_free(threads))
}

/// Lets threads run on every core that the process may use. An error here was an error when they were pinned, too.
fn set_free(threads: SolverThreads) {
    let Ok(allowed) = allowed() else { return };
    let _ = set_affinity(allowed);
    on_each(threads, &|_| set_affinity(allowed));
}

/// Does something on each thread of a pool, which is told its number there.
fn on_each(
    threads: SolverThreads,
    work: &(dyn Fn(usize) -> Result<(), String> + Sync),
) -> Vec<Result<(), String>> {
    match threads {
        SolverThreads::One => Vec::new(),
        SolverThreads::All => rayon::broadcast(|thread| work(thread.index())),
        SolverThreads::Pool(_) => {
            threads.pool().map_or_else(Vec::new, |pool| pool.broadcast(|thread| work(thread.index())))
        }
    }
}

/// The cores that the process may use, in ascending order, as they were before any of its threads was pinned: what `taskset`, a
/// container or a batch system left it.
pub fn allowed() -> Result<&'static [usize], String> {
    static ALLOWED: OnceLock<Result<Vec<usize>, String>> = OnceLock::new();
    ALLOWED.get_or_init(read_allowed).as_deref().map_err(Clone::clone)
}

fn read_allowed() -> Result<Vec<usize>, String> {
    let set = sched_getaffinity(Some(rustix::process::getpid()))
        .map_err(|error| format!("the operating system does not tell which cores may be used: {error}"))?;
    Ok((0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect())
}

/// The other cores that share a processor core with this one. None where the system does not say.
fn siblings(core: usize) -> Option<Vec<usize>> {
    let list = format!("/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list");
    let all = listed(std::fs::read_to_string(list).ok()?.trim())?;
    Some(all.into_iter().filter(|one| *one != core).collect())
}

/// The numbers of a list as Linux writes it: `0-2,8`.
fn listed(list: &str) -> Option<Vec<usize>> {
    let ranges = list.split(',').map(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    });
    Some(ranges.collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Lets the calling thread run on these cores alone.
fn set_affinity(cores: &[usize]) -> Result<(), String> {
    let mut set = CpuSet::new();
    cores.iter().for_each(|&core| set.set(core));
    sched_setaffinity(None, &set)
        .map_err(|error| format!("the operating system refuses to pin a thread: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cores that the calling thread may use.
    fn own() -> Vec<usize> {
        let set = sched_getaffinity(None).unwrap();
        (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect()
    }

    #[test]
    fn one_thread_is_pinned_to_a_core_that_it_may_use_and_is_free_afterwards() {
        let before = own();
        let pin = PinGuard::acquire(SolverThreads::One);
        assert_eq!(own(), pin.pinned().cores);
        assert!(pin.pinned().problem.is_none() && allowed().unwrap().contains(&own()[0]));
        drop(pin);
        assert_eq!(own(), before);
    }

    #[test]
    fn every_thread_of_a_pool_is_pinned_to_a_core_of_its_own_and_is_free_afterwards() {
        let count = allowed().unwrap().len();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        let masks = || rayon::broadcast(|_| own());
        pool.install(|| {
            let pin = PinGuard::acquire(SolverThreads::All);
            assert_eq!(masks().concat(), allowed().unwrap());
            assert_eq!(pin.pinned().cores, allowed().unwrap());
            drop(pin);
            assert_eq!(masks(), vec![allowed().unwrap(); count]);
        });
    }

    #[test]
    fn of_a_pool_apart_its_own_threads_are_pinned_and_no_others() {
        let (pool, own_of) =
            (cpu_parallel::pool(1).unwrap(), |pool: &rayon::ThreadPool| pool.broadcast(|_| own()));
        let others = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let pin = others.install(|| PinGuard::acquire(SolverThreads::Pool(1)).pinned().clone());
        assert_eq!(pin.cores, allowed().unwrap()[..1]);
        let pin = PinGuard::acquire(SolverThreads::Pool(1));
        assert_eq!((own_of(&pool), own()), (vec![pin.pinned().cores.clone()], pin.pinned().cores.clone()));
        assert_eq!(own_of(&others), vec![allowed().unwrap(); 2]);
        drop(pin);
        assert_eq!((own_of(&pool), own()), (vec![allowed().unwrap().to_vec()], allowed().unwrap().to_vec()));
    }

    #[test]
    fn more_threads_than_cores_stay_free_and_that_is_said() {
        let count = allowed().unwrap().len() + 1;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| {
            let pin = PinGuard::acquire(SolverThreads::All);
            assert!(pin.pinned().cores.is_empty());
            let problem = pin.pinned().problem.as_ref().unwrap();
            assert!(problem.starts_with(&format!("{count} threads have {} cores", count - 1)), "{problem}");
            assert_eq!(own(), allowed().unwrap());
        });
    }

    #[test]
    fn a_core_is_chosen_that_is_neither_the_first_nor_the_last_of_many() {
        for siblings in [None, Some(Vec::new())] {
            let choose = |threads, count, allowed: &[usize]| {
                super::choose(threads, count, allowed, &|_| siblings.clone())
            };
            assert_eq!(choose(SolverThreads::One, 1, &[3, 5, 9]), Ok(vec![5]));
            assert_eq!(choose(SolverThreads::One, 1, &[3]), Ok(vec![3]));
            assert_eq!(choose(SolverThreads::All, 2, &[3, 5, 9]), Ok(vec![3, 5]));
            assert!(choose(SolverThreads::One, 1, &[]).is_err());
        }
    }

    #[test]
    fn a_core_is_preferred_whose_sibling_this_process_leaves_idle() {
        let one = |allowed: &[usize], siblings: &dyn Fn(usize) -> Option<Vec<usize>>| {
            choose(SolverThreads::One, 1, allowed, siblings).unwrap()[0]
        };
        let neighbours = |core: usize| Some(vec![core ^ 1]);
        // The first has interrupts, and so has its sibling.
        assert_eq!(one(&[0, 1, 2, 3], &neighbours), 2);
        // 3 is somebody else's.
        assert_eq!(one(&[0, 1, 2, 4, 5], &neighbours), 4);
        assert_eq!(one(&[0, 2, 4], &neighbours), 2);
        assert_eq!(one(&[0, 1], &neighbours), 1);
        assert_eq!(one(&[0, 1, 8, 9], &|core| Some(vec![(core + 8) % 16])), 1);
    }

    #[test]
    fn lists_of_cores_are_read_as_linux_writes_them() {
        assert_eq!(listed("0-2,8"), Some(vec![0, 1, 2, 8]));
        assert_eq!(listed("5"), Some(vec![5]));
        assert_eq!(listed(""), None);
    }
}
