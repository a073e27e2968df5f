//! How the processes of a start find each other, by a file in a folder that all see, into which rank 0 puts NCCL's number for their
//! communicator; their small messages, through a buffer on each one's first device; and the end of a process whose device may be stuck.

use super::Launch;
use crate::distributed::nccl::{BroadcastCall, Communicator, JoinRequest, Nccl, broadcast_all, join_all};
use repro_base::files::remove_if_there;
use repro_device::{Buffer, Device, DeviceError, Event, FailureKind, HostBuffer, Priority, Queue};
use std::cell::RefCell;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{io, thread};

/// The time between two looks at the file, which may be on a server.
const LOOK: Duration = Duration::from_millis(100);

type Id = [u8; 128];

/// The file of a start in this folder. Its name tells it from those of other starts.
fn file(folder: &Path, launch: &Launch) -> PathBuf {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "-._@".contains(letter) { letter } else { '_' };
    let job: String = launch.job.chars().map(plain).collect();
    folder.join(format!(".nccl-{}-{job}", launch.launcher))
}

/// The communicator's number in the file; None unless it is there whole.
fn read(path: &Path) -> Option<Id> {
    std::fs::read(path).ok()?.try_into().ok()
}

/// The file, removed when this is dropped. Nobody else can read it: who knows the number can join.
struct RendezvousFile<'a>(&'a Path);

impl<'a> RendezvousFile<'a> {
    /// Removes the file that an earlier start has left, and puts one with the number there, whole from its first moment on.
    fn new(path: &'a Path, id: &Id) -> io::Result<Self> {
        remove_if_there(path)?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(id)?;
        file.persist(path)?;
        Ok(Self(path))
    }
}

impl Drop for RendezvousFile<'_> {
    fn drop(&mut self) {
        // A file that stays is removed by the next start.
        let _ = std::fs::remove_file(self.0);
    }
}

fn processes_lost(problem: String) -> DeviceError {
    DeviceError::new(FailureKind::Lost, problem)
}

/// Joins the first devices of all processes of a start to a communicator, by a file in this folder. Rank 0 waits for the others as long as
/// `wait`, and they as long for its file, and from then on for each other.
///
/// # Errors
/// When the folder cannot be written to, NCCL fails, or not all come: what to look at.
pub fn meet(
    nccl: &Rc<Nccl>,
    launch: &Launch,
    folder: &Path,
    device: &dyn Device,
    wait: Duration,
) -> Result<Communicator, DeviceError> {
    let (path, begun) = (file(folder, launch), Instant::now());
    let (rank, size, seconds) = (launch.rank, launch.size, wait.as_secs_f64());
    let join = |id: &Id, going_on: &mut dyn FnMut() -> Result<(), DeviceError>| {
        join_all(nccl, &[JoinRequest { device, id, rank, size }], going_on).map(|mut one| one.remove(0))
    };
    let look_at = format!(
        "is {} one folder that all processes see, and the same --out or --resume in each?",
        folder.display()
    );
    let in_time = |since: Instant| match since.elapsed() {
        waited if waited > wait => Err(processes_lost(format!(
            "not all {size} processes joined within {seconds} s: look at their messages; {look_at}"
        ))),
        _ => Ok(()),
    };
    if rank == 0 {
        let id = nccl.unique_id()?;
        let refused = |error: io::Error| {
            DeviceError::other(format!("cannot write {}: {error}: {look_at}", path.display()))
        };
        let _posted = RendezvousFile::new(&path, &id).map_err(refused)?;
        return join(&id, &mut || in_time(begun));
    }
    // What an earlier start has left is there until rank 0 removes it.
    let mut left: Option<(Id, DeviceError)> = None;
    loop {
        let found = read(&path).filter(|id| left.as_ref().is_none_or(|(left, _)| left != id));
        if let Some(id) = found {
            let (since, mut looked) = (Instant::now(), Instant::now());
            let mut is_replaced = || {
                if looked.elapsed() > LOOK {
                    looked = Instant::now();
                    if read(&path).is_some_and(|other| other != id) {
                        return Err(processes_lost(format!("{} was of an earlier start", path.display())));
                    }
                }
                in_time(since)
            };
            match join(&id, &mut is_replaced) {
                Err(error) if error.kind == FailureKind::Lost => left = Some((id, error)),
                joined => return joined,
            }
        }
        if begun.elapsed() > wait {
            let missing = || {
                processes_lost(format!(
                    "rank 0 has put no {} there within {seconds} s: did it start? {look_at}",
                    path.display()
                ))
            };
            return Err(left.map_or_else(missing, |(_, error)| error));
        }
        std::thread::sleep(LOOK);
    }
}

/// Bytes of the buffer, enough for most messages. It grows for longer ones.
const ROOM: usize = 16 << 10;

/// How long a message is looked for without a pause: most take less.
const BRIEFLY: Duration = Duration::from_millis(1);

/// A channel from each process to all others. All make the same calls in the same order.
pub struct ControlConnection {
    // Fields are dropped in this order: what lives on the device goes before it.
    communicator: Communicator,
    room: RefCell<(Buffer, HostBuffer)>,
    arrived: Event,
    queue: Box<dyn Queue>,
    device: Rc<dyn Device>,
}

fn room(device: &dyn Device, bytes: usize) -> Result<RefCell<(Buffer, HostBuffer)>, DeviceError> {
    Ok(RefCell::new((device.allocate(bytes)?, device.allocate_host(bytes)?)))
}

impl ControlConnection {
    /// Makes a connection by the communicator of this device with the first devices of all other processes.
    ///
    /// # Errors
    /// When the device has no room.
    pub fn new(communicator: Communicator, device: &Rc<dyn Device>) -> Result<Self, DeviceError> {
        let (room, queue) = (room(&**device, ROOM)?, device.new_queue(Priority::High)?);
        Ok(Self { communicator, room, arrived: queue.event()?, queue, device: device.clone() })
    }

    pub fn nccl(&self) -> Rc<Nccl> {
        self.communicator.nccl()
    }

    /// Gives all processes the bytes of `root`, which are `own` there. Waits for them no longer than `limit`.
    ///
    /// # Errors
    /// When another process is lost. Nothing more comes through then.
    pub fn broadcast(&self, root: usize, own: &[u8], limit: Duration) -> Result<Vec<u8>, DeviceError> {
        let mut length = (own.len() as u64).to_le_bytes();
        self.broadcast_into(root, &mut length, limit)?;
        let mut bytes = own.to_vec();
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        if !bytes.is_empty() {
            self.broadcast_into(root, &mut bytes, limit)?;
        }
        Ok(bytes)
    }

    /// The bytes of all processes, by rank.
    ///
    /// # Errors
    /// As [`ControlConnection::broadcast`].
    pub fn all_gather(&self, own: &[u8], limit: Duration) -> Result<Vec<Vec<u8>>, DeviceError> {
        (0..self.communicator.size()).map(|root| self.broadcast(root, own, limit)).collect()
    }

    /// Gives the root's `bytes` to all processes, which know how many there are.
    fn broadcast_into(&self, root: usize, bytes: &mut [u8], limit: Duration) -> Result<(), DeviceError> {
        if self.room.borrow().0.bytes() < bytes.len() {
            self.room.swap(&room(&*self.device, bytes.len().next_power_of_two())?);
        }
        let (buffer, host) = &mut *self.room.borrow_mut();
        let (region, sends) = (buffer.part(0..bytes.len()), self.communicator.rank() == root);
        if sends {
            host.numbers_mut::<u8>()[..bytes.len()].copy_from_slice(bytes);
            self.queue.upload(host, region.clone())?;
        }
        let (communicator, queue) = (&self.communicator, &*self.queue);
        broadcast_all(&[BroadcastCall { communicator, queue, region: region.clone(), root }])?;
        if !sends {
            queue.download(region, host)?;
        }
        queue.record(&self.arrived)?;
        self.await_arrival(root, limit)?;
        if !sends {
            bytes.copy_from_slice(&host.numbers::<u8>()[..bytes.len()]);
        }
        Ok(())
    }

    fn await_arrival(&self, root: usize, limit: Duration) -> Result<(), DeviceError> {
        let begun = Instant::now();
        while !self.device.is_complete(&self.arrived)? {
            self.communicator.check()?;
            let waited = begun.elapsed();
            if waited > limit {
                self.communicator.abort();
                let problem = format!(
                    "nothing came of rank {root} within {} s: look at its messages, and whether it still runs",
                    limit.as_secs()
                );
                return Err(DeviceError::new(FailureKind::Lost, problem));
            }
            if waited < BRIEFLY { std::thread::yield_now() } else { std::thread::sleep(BRIEFLY) }
        }
        Ok(())
    }

    /// Has work that waits for other processes end when this is dropped.
    pub fn abort(&self) {
        self.communicator.abort();
    }
}

/// How long a process may take to free its devices once another is lost.
const LIMIT: Duration = Duration::from_secs(5);

/// Ends this process with `code` after `release`, in order if that takes no longer than a few seconds: NCCL and drivers may hang where a
/// process or a device is lost. After that it ends without them.
pub fn exit_within(code: i32, release: impl FnOnce()) -> ! {
    let armed = thread::Builder::new().spawn(move || {
        thread::sleep(LIMIT);
        end_now(code)
    });
    if armed.is_err() {
        end_now(code);
    }
    release();
    std::process::exit(code)
}

/// Ends this process without what libraries and drivers registered for the end.
fn end_now(code: i32) -> ! {
    unsafe extern "C" {
        safe fn _exit(code: i32) -> !;
    }
    _exit(code)
}
