//! Other work that keeps a device busy while a solve is timed.

use super::probes::{LoadedKernel, ROUNDS};
use repro_device::{Device, DeviceError, Event, Priority, Queue};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A thread that keeps a device busy while it is asked to: with additions and minima in registers, one launch after another.
///
/// One block a multiprocessor has enough independent arithmetic to fill its issue slots, and leaves most of the room for threads, so that
/// the blocks of a solve need not wait for it. A launch takes a millisecond or so and has the usual priority: a solve whose blocks must all
/// be on the device at once gets the room for them when a launch ends.
pub struct BackgroundLoad {
    /// Whether the device is to be kept busy.
    wanted: Arc<AtomicBool>,
    launches: Arc<AtomicU64>,
    /// None once the thread is to end.
    begin: Option<Sender<()>>,
    /// The thread's answers: the device was opened, is busy, is no longer busy.
    answers: Receiver<Result<(), DeviceError>>,
    thread: Option<JoinHandle<()>>,
}

impl BackgroundLoad {
    /// Starts the thread, which has the device that `open` opens there for itself: devices stay in the thread that opened them.
    ///
    /// # Errors
    /// When the device cannot be opened, or the kernel not be loaded.
    pub fn open(
        open: impl FnOnce() -> Result<Rc<dyn Device>, DeviceError> + Send + 'static,
    ) -> Result<Self, DeviceError> {
        let (begin, begins) = channel();
        let (answer, answers) = channel();
        let wanted = Arc::new(AtomicBool::new(false));
        let launches = Arc::new(AtomicU64::new(0));
        let (still_wanted, launched) = (wanted.clone(), launches.clone());
        let work = move || {
            let turns = open().and_then(|device| AlternatingQueues::on(&device));
            let mut turns = match turns {
                Ok(turns) => turns,
                Err(error) => return drop(answer.send(Err(error))),
            };
            // Nobody listens once the answers are dropped; then nobody asks either.
            let _ = answer.send(Ok(()));
            for () in begins {
                let mut launch = || {
                    launched.fetch_add(1, Ordering::Relaxed);
                    turns.launch()
                };
                let begun = launch().and_then(|()| launch());
                let is_busy = begun.is_ok();
                let _ = answer.send(begun);
                if !is_busy {
                    continue;
                }
                let mut ended = Ok(());
                while still_wanted.load(Ordering::Relaxed) && ended.is_ok() {
                    ended = launch();
                }
                let _ = answer.send(ended.and_then(|()| turns.finish()));
            }
        };
        let thread = std::thread::Builder::new().name("load".into()).spawn(work);
        let thread =
            thread.map_err(|error| DeviceError::other(format!("no thread to load the device: {error}")))?;
        let load = Self { wanted, launches, begin: Some(begin), answers, thread: Some(thread) };
        load.answer()?;
        Ok(load)
    }

    /// Does `work` while the device is busy, from before it begins until after it has ended.
    ///
    /// # Errors
    /// When the device refuses to be kept busy, or no longer was.
    pub fn during<T>(&mut self, work: impl FnOnce() -> T) -> Result<T, DeviceError> {
        self.wanted.store(true, Ordering::Relaxed);
        if let Some(begin) = &self.begin {
            // The thread's answer has the reason, if the request did not reach it.
            let _ = begin.send(());
        }
        self.answer()?;
        let done = work();
        self.wanted.store(false, Ordering::Relaxed);
        self.answer()?;
        Ok(done)
    }

    /// How many launches there were so far.
    pub fn launches(&self) -> u64 {
        self.launches.load(Ordering::Relaxed)
    }

    fn answer(&self) -> Result<(), DeviceError> {
        let ended =
            || DeviceError::other("the thread that loads the device ended: this is a defect of repro");
        self.answers.recv().map_err(|_| ended())?
    }
}

impl Drop for BackgroundLoad {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        self.begin = None;
        if let Some(thread) = self.thread.take() {
            // It sends only answers to requests.
            let _ = thread.join();
        }
    }
}

/// Two queues that launch in turn, each waiting for the other: while one launch runs, the next is there already.
struct AlternatingQueues {
    // Fields are dropped in this order: what lives on the device goes before it.
    ended: [Event; 2],
    queues: [Box<dyn Queue>; 2],
    work: LoadedKernel,
    /// Blocks and rounds of a launch.
    size: (u32, i32),
    /// The queue whose turn it is.
    turn: usize,
    _device: Rc<dyn Device>,
}

impl AlternatingQueues {
    fn on(device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        let queues = [device.new_queue(Priority::Usual)?, device.new_queue(Priority::Usual)?];
        // The emulated device is kept busy by anything.
        let rounds = if device.info().emulated { 1 } else { ROUNDS };
        Ok(Self {
            ended: [queues[0].event()?, queues[1].event()?],
            queues,
            work: LoadedKernel::add_min(&**device)?,
            size: (device.info().multiprocessors, rounds),
            turn: 0,
            _device: device.clone(),
        })
    }

    /// Queues a launch after the last one, once the launch before that has ended.
    fn launch(&mut self) -> Result<(), DeviceError> {
        let Self { ended, queues, work, size: (blocks, rounds), turn, .. } = self;
        let (queue, other) = (&*queues[*turn], 1 - *turn);
        queue.synchronize()?;
        queue.wait(&ended[other])?;
        work.launch(queue, *blocks, *rounds)?;
        queue.record(&ended[*turn])?;
        *turn = other;
        Ok(())
    }

    /// Waits for all launches.
    fn finish(&self) -> Result<(), DeviceError> {
        self.queues.iter().try_for_each(|queue| queue.synchronize())
    }
}

impl Drop for AlternatingQueues {
    fn drop(&mut self) {
        // Errors were reported when it finished; the kernel's memory is freed next.
        let _ = self.finish();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use repro_device::cuda::CudaDevice;
    use repro_device::emulated::{EmulatedDevice, Instruments};
    use std::time::{Duration, Instant};

    fn emulated(instruments: Instruments) -> Result<Rc<dyn Device>, DeviceError> {
        Ok(Rc::new(EmulatedDevice::open(instruments)?))
    }

    #[test]
    fn the_device_is_busy_before_and_during_the_work_and_not_after_it() {
        let mut load = BackgroundLoad::open(|| emulated(Instruments::NONE)).unwrap();
        assert_eq!(load.launches(), 0);
        for _ in 0..2 {
            let launches = load.launches.clone();
            let begun = load.launches();
            let seen = load.during(move || {
                let (seen, start) = (launches.load(Ordering::Relaxed), Instant::now());
                while launches.load(Ordering::Relaxed) < seen + 3 {
                    assert!(start.elapsed() < Duration::from_secs(60), "no launch in a minute");
                    std::thread::yield_now();
                }
                seen
            });
            assert!(seen.unwrap() >= begun + 2);
            let ended = load.launches();
            std::thread::sleep(Duration::from_millis(5));
            assert_eq!(load.launches(), ended);
        }
    }

    #[test]
    #[ignore = "needs a CUDA device"]
    fn a_gpu_is_busy_with_launches_of_a_millisecond_or_so_without_gaps() {
        let mut load = BackgroundLoad::open(|| Ok(Rc::new(CudaDevice::open(0)?))).unwrap();
        let start = Instant::now();
        load.during(|| std::thread::sleep(Duration::from_millis(300))).unwrap();
        let each = start.elapsed() / u32::try_from(load.launches()).unwrap();
        assert!(each > Duration::from_micros(300) && each < Duration::from_millis(5), "{each:?} a launch");
        // The same in the same thread, once more.
        let before = load.launches();
        assert_eq!(load.during(|| 7), Ok(7));
        assert!(load.launches() >= before + 2);
    }

    #[test]
    fn launches_take_turns_and_race_with_none_of_the_others() {
        let device = emulated(Instruments::ALL).unwrap();
        let mut turns = AlternatingQueues::on(&device).unwrap();
        (0..3).try_for_each(|_| turns.launch()).unwrap();
        turns.finish().unwrap();
        let counts = device.take_counts();
        let kernels: Vec<&str> = counts.iter().map(|launch| &*launch.kernel).collect();
        assert_eq!(kernels, ["add_min_registers"; 3]);
        assert_eq!(turns.turn, 1);
    }
}
