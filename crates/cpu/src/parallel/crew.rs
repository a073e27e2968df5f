//! Threads that do the rounds of one solve together, and stay awake in between.
//!
//! A round of a small matrix is over in a tenth of a millisecond, as long as it takes to wake a thread that has fallen asleep. So the threads of
//! the pool are asked once, and each that comes looks for work until the solve is over. Nobody waits for one that does not come: whoever solves
//! does all that others leave.

use std::hint::spin_loop;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

/// How often a thread without work looks again at once, some tens of microseconds, before it offers its core to others.
const LOOKS: u32 = 2_000;

/// Items of work that may be done at once, in any order.
pub(super) struct Stage<'a> {
    count: usize,
    /// Whether all stages before it have to be done first.
    waits: bool,
    work: Box<dyn Fn(usize) + Sync + 'a>,
    begun: AtomicUsize,
    done: AtomicUsize,
}

impl<'a> Stage<'a> {
    /// `work` is called once with each number below `count`.
    pub fn new(count: usize, work: impl Fn(usize) + Sync + 'a) -> Self {
        let (begun, done) = Default::default();
        Self { count, waits: false, work: Box::new(work), begun, done }
    }

    /// The same, once all stages before it are done.
    pub fn after_all(count: usize, work: impl Fn(usize) + Sync + 'a) -> Self {
        Self { waits: true, ..Self::new(count, work) }
    }
}

/// Stages, those that are to be begun first before others.
struct Stages<'a>(Vec<Stage<'a>>);

/// What a look for work came to.
enum Look {
    Worked,
    /// Others are at what is left, or at what has to be done before.
    Nothing,
    Over,
}

impl Stages<'_> {
    /// Does one item of the first stage that has one.
    fn look(&self) -> Look {
        let mut all_done = true;
        for stage in &self.0 {
            let may_begin = all_done || !stage.waits;
            all_done &= stage.done.load(Acquire) == stage.count;
            if may_begin && stage.begun.load(Relaxed) < stage.count {
                let item = stage.begun.fetch_add(1, Relaxed);
                if item < stage.count {
                    // Also where the work panics: nobody is to wait for it then.
                    let _done = OnDrop(|| _ = stage.done.fetch_add(1, Release));
                    (stage.work)(item);
                    return Look::Worked;
                }
            }
        }
        if all_done { Look::Over } else { Look::Nothing }
    }
}

struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

/// The threads of a solve.
pub(super) struct Crew {
    /// What there is to do; null where there is nothing.
    stages: AtomicPtr<Stages<'static>>,
    /// Threads that may have read `stages` and use it.
    inside: AtomicUsize,
    is_over: AtomicBool,
}

impl Crew {
    /// Runs `solve` with the help of all threads of the current rayon pool that have nothing else to do.
    pub fn gather<R: Send>(solve: impl FnOnce(&Self) -> R + Send) -> R {
        let crew = Self {
            stages: AtomicPtr::default(),
            inside: AtomicUsize::default(),
            is_over: AtomicBool::default(),
        };
        rayon::scope(|scope| {
            for _ in 1..rayon::current_num_threads() {
                scope.spawn(|_| crew.help());
            }
            let _over = OnDrop(|| crew.is_over.store(true, Release));
            solve(&crew)
        })
    }

    /// Has all of `stages` done.
    pub fn run(&self, stages: Vec<Stage>) {
        let stages = Stages(stages);
        {
            let shared = (&raw const stages).cast::<Stages<'static>>().cast_mut();
            self.stages.store(shared, SeqCst);
            // Also where work of this thread panics: nobody may use what is about to be gone.
            let _withdrawn = OnDrop(|| {
                self.stages.store(std::ptr::null_mut(), SeqCst);
                while self.inside.load(SeqCst) > 0 {
                    spin_loop();
                }
            });
            work_on(&stages);
        }
    }

    /// Works until the solve is over.
    fn help(&self) {
        let mut looks = 0;
        while !self.is_over.load(Acquire) {
            if self.stages.load(Relaxed).is_null() {
                pause(&mut looks);
                continue;
            }
            looks = 0;
            let _left = OnDrop(|| _ = self.inside.fetch_sub(1, Release));
            self.inside.fetch_add(1, SeqCst);
            let stages = self.stages.load(SeqCst);
            // SAFETY: `run` stores the address of stages that live until it has stored null and then seen nobody inside. This thread is
            // counted as inside since before it read the address, and all four are sequentially consistent: either `run` sees it inside
            // and waits, or this has read null. `Stages` is shared only, and what its stages borrow outlives them.
            if let Some(stages) = unsafe { stages.as_ref() } {
                work_on(stages);
            }
        }
    }
}

/// Works until nothing is left, not even with others.
fn work_on(stages: &Stages) {
    let mut looks = 0;
    loop {
        match stages.look() {
            Look::Worked => looks = 0,
            Look::Nothing => pause(&mut looks),
            Look::Over => return,
        }
    }
}

fn pause(looks: &mut u32) {
    *looks += 1;
    if *looks < LOOKS {
        spin_loop();
    } else {
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn in_pool(threads: usize, run: impl FnOnce() + Send) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(run);
    }

    #[test]
    fn every_item_is_done_once_and_what_waits_comes_after_all_before_it() {
        for threads in [1, 2, 7] {
            in_pool(threads, || {
                Crew::gather(|crew| {
                    for _ in 0..200 {
                        let order = Mutex::new(Vec::new());
                        let record = |stage| {
                            let order = &order;
                            move |item| order.lock().unwrap().push((stage, item))
                        };
                        crew.run(vec![
                            Stage::new(1, record(0)),
                            Stage::new(5, record(1)),
                            Stage::after_all(7, record(2)),
                            Stage::new(20, record(3)),
                        ]);
                        let order = order.into_inner().unwrap();
                        let place = |of: (i32, usize)| order.iter().position(|done| *done == of).unwrap();
                        assert_eq!(order.len(), 33);
                        (0..20).for_each(|item| _ = place((3, item)));
                        let first = (0..7).map(|item| place((2, item))).min().unwrap();
                        assert!((0..5).all(|item| place((1, item)) < first) && place((0, 0)) < first);
                    }
                });
            });
        }
    }

    #[test]
    fn two_crews_of_one_pool_do_not_wait_for_each_other() {
        in_pool(3, || {
            let sum = || {
                let sum = AtomicUsize::new(0);
                Crew::gather(|crew| {
                    for _ in 0..50 {
                        crew.run(vec![Stage::new(9, |item| _ = sum.fetch_add(item, Relaxed))]);
                    }
                });
                sum.into_inner()
            };
            assert_eq!(rayon::join(|| rayon::join(sum, sum), sum), ((1800, 1800), 1800));
        });
    }

    #[test]
    fn work_that_panics_ends_the_solve_and_no_thread_waits_for_it() {
        in_pool(3, || {
            for bad in [0, 50, 99] {
                let ended = std::panic::catch_unwind(|| {
                    Crew::gather(|crew| {
                        crew.run(vec![
                            Stage::new(100, move |item| assert!(item != bad, "on purpose")),
                            Stage::after_all(3, |_| ()),
                        ]);
                    });
                });
                assert!(ended.is_err());
            }
        });
    }
}
