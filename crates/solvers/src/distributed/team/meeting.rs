//! The file by which the processes of a start find each other: rank 0 puts NCCL's number for their communicator into a folder that all see.

use super::Launch;
use crate::distributed::nccl::{Communicator, Joining, Nccl, join_all};
use repro_base::files::remove_if_there;
use repro_device::{Device, DeviceError, FailureKind};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Between two looks at the file, which may be on a server.
const LOOK: Duration = Duration::from_millis(100);

type Id = [u8; 128];

/// The file of a start in this folder. Its name tells it from those of other starts.
fn file(folder: &Path, launch: &Launch) -> PathBuf {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "-._@".contains(letter) { letter } else { '_' };
    let job: String = launch.job.chars().map(plain).collect();
    folder.join(format!(".nccl-{}-{job}", launch.launcher))
}

/// The number that is there, if it is there whole.
fn read(path: &Path) -> Option<Id> {
    std::fs::read(path).ok()?.try_into().ok()
}

/// The file, for as long as this lives. Nobody else can read it: who knows the number can join.
struct Posted<'a>(&'a Path);

impl<'a> Posted<'a> {
    /// Removes what an earlier start has left, and puts the number there, whole from its first moment on.
    fn new(path: &'a Path, id: &Id) -> io::Result<Self> {
        remove_if_there(path)?;
        let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
        file.write_all(id)?;
        file.persist(path)?;
        Ok(Self(path))
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        // One that stays is removed by the next start.
        let _ = std::fs::remove_file(self.0);
    }
}

fn lost(problem: String) -> DeviceError {
    DeviceError::new(FailureKind::Lost, problem)
}

/// Joins the first devices of all processes of a start to a communicator, by a file in this folder. Rank 0 waits so long for the others, and
/// they for its file.
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
        join_all(nccl, &[Joining { device, id, rank, size }], going_on).map(|mut one| one.remove(0))
    };
    let look_at = format!(
        "is {} one folder that all processes see, and the same --out or --resume in each?",
        folder.display()
    );
    if rank == 0 {
        let id = nccl.unique_id()?;
        let refused = |error: io::Error| {
            DeviceError::other(format!("cannot write {}: {error}: {look_at}", path.display()))
        };
        let _posted = Posted::new(&path, &id).map_err(refused)?;
        return join(&id, &mut || match begun.elapsed() {
            waited if waited > wait => Err(lost(format!(
                "not all {size} processes joined within {seconds} s: look at their messages; {look_at}"
            ))),
            _ => Ok(()),
        });
    }
    // What an earlier start has left is there until rank 0 removes it.
    let mut left: Option<(Id, DeviceError)> = None;
    loop {
        let found = read(&path).filter(|id| left.as_ref().is_none_or(|(left, _)| left != id));
        if let Some(id) = found {
            let mut looked = Instant::now();
            let mut is_replaced = || {
                if looked.elapsed() > LOOK {
                    looked = Instant::now();
                    if read(&path).is_some_and(|other| other != id) {
                        return Err(lost(format!("{} was of an earlier start", path.display())));
                    }
                }
                Ok(())
            };
            match join(&id, &mut is_replaced) {
                Err(error) if error.kind == FailureKind::Lost => left = Some((id, error)),
                joined => return joined,
            }
        }
        if begun.elapsed() > wait {
            let missing = || {
                lost(format!(
                    "rank 0 has put no {} there within {seconds} s: did it start? {look_at}",
                    path.display()
                ))
            };
            return Err(left.map_or_else(missing, |(_, error)| error));
        }
        std::thread::sleep(LOOK);
    }
}
