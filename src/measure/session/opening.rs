//! Which devices a worker opens.

use super::Session;
use crate::cluster::Member;
use crate::device::cuda::{CudaDevice, driver_status};
use crate::device::emulated::{EmulatedDevice, Options};
use crate::device::{Device, DeviceError, Selection, telemetry};
use crate::measure::protocol::{Failure, FailureCause};
use crate::plan::Variant;
use crate::store::DeviceRecord;
use std::ops::Range;
use std::rc::Rc;

impl Session {
    /// Opens what is asked for. Where there is no CUDA device the emulated one may do, and why there is none stays known.
    pub(super) fn open_device(&mut self, selection: Selection, mut emulated: Options) {
        // What was prepared lives on the devices of before.
        self.prepared.clear();
        self.load = None;
        self.selection = Some(selection);
        self.shares.clear();
        let alone = self.group.is_none();
        match cuda_ordinals(selection, Some(self.group().own()).filter(|_| !alone)) {
            Some(Ok(ordinals)) => {
                let opened: Result<Vec<_>, _> = ordinals.map(open_cuda).collect();
                match opened {
                    Ok(devices) => {
                        self.devices = devices;
                        return;
                    }
                    Err(error) => self.device_problem = Some(error),
                }
            }
            Some(Err(error)) => self.device_problem = Some(error),
            None if selection == Selection::Cpu => self.device_problem = Some(cpu_alone()),
            None => {}
        }
        if selection.may_emulate() {
            emulated.capability = selection.capability().unwrap_or(emulated.capability);
            match EmulatedDevice::open_with(0, emulated) {
                Ok(device) => self.devices = vec![Rc::new(device)],
                Err(error) => {
                    let both = self.device_problem.take().map_or(error.message.clone(), |problem| {
                        format!("{}; and {}", problem.message, error.message)
                    });
                    self.device_problem = Some(DeviceError::unavailable(both));
                }
            }
        }
    }

    /// Makes sure that as many devices are open as the variant needs of this process, and gives their number: the run's own. Emulated
    /// ones are opened as they are needed. In a
    /// group each process gives as many, as implementations expect it.
    pub(super) fn open_for(&mut self, variant: &Variant) -> Result<usize, Failure> {
        let needed = *variant.known()?.method.abilities(&variant.parameters).devices.start();
        if self.group.is_some() && needed > 0 {
            return self.share_of(needed);
        }
        while self.devices.len() < needed {
            let Some(first) = self.devices.first() else {
                return Err(match &self.device_problem {
                    Some(problem) => problem.clone().into(),
                    None => Failure::new(FailureCause::Unavailable, "no device was opened"),
                });
            };
            if !first.info().emulated {
                return Err(self.too_few(needed));
            }
            let next = opener_like(&**first)(first.info().ordinal + self.devices.len())?;
            self.devices.push(next);
        }
        Ok(needed)
    }

    /// How many of the devices that a variant needs are of this process.
    fn share_of(&self, needed: usize) -> Result<usize, Failure> {
        let rank = self.group().own().rank;
        if let (Some(problem), 0) = (&self.device_problem, self.shares.iter().sum::<usize>()) {
            return Err(problem.clone().into());
        }
        own_share(&self.shares, rank, needed).ok_or_else(|| self.too_few(needed))
    }

    fn too_few(&self, needed: usize) -> Failure {
        let problem = match self.selection {
            _ if self.group.is_some() => format!(
                "needs {needed} devices, and the {} processes have {} in all: start more, or leave this cell out",
                self.shares.len(),
                self.shares.iter().sum::<usize>()
            ),
            Some(Selection::CudaAll) => {
                format!("needs {needed} devices, and the CUDA driver sees {}", self.devices.len())
            }
            _ => format!("needs {needed} devices: --device cuda:all lets it have all that there are"),
        };
        Failure::new(FailureCause::TooFewDevices, problem)
    }
}

/// How many of `needed` devices the process of this rank gives, where each has so many; none where one has too few. They give equally
/// many, the last ones fewer or none.
fn own_share(shares: &[usize], rank: usize, needed: usize) -> Option<usize> {
    let each = needed.div_ceil(shares.len().max(1));
    let of = |rank: usize| needed.saturating_sub(rank * each).min(each);
    (0..shares.len()).all(|rank| shares[rank] >= of(rank)).then(|| of(rank))
}

/// The CUDA devices that `selection` names; none where it names none. A process of a group takes its part of those that it sees, unless
/// its launcher has already left it one alone.
fn cuda_ordinals(selection: Selection, member: Option<&Member>) -> Option<Result<Range<usize>, DeviceError>> {
    let first = selection.cuda_ordinal()?;
    let is_numbered = matches!(selection, Selection::Cuda(Some(_)));
    if is_numbered || (member.is_none() && selection != Selection::CudaAll) {
        return Some(Ok(first..first + 1));
    }
    let seen = match driver_status() {
        Ok(status) => status.devices.len(),
        Err(error) => return Some(Err(error)),
    };
    let own = member.map_or(Ok(0..seen), |member| part_of(seen, member));
    // Without `all` a process has one device.
    let all = selection == Selection::CudaAll;
    Some(own.map(|own| if all { own } else { own.start..own.start + 1 }))
}

/// The devices of one process of several on a host that each see so many.
fn part_of(seen: usize, member: &Member) -> Result<Range<usize>, DeviceError> {
    let processes = member.local_size.max(1);
    match seen / processes {
        _ if seen == 1 => Ok(0..1),
        0 => Err(DeviceError::unavailable(format!(
            "{processes} processes on {} share {seen} CUDA devices: start no more processes on a host than it has devices",
            member.host
        ))),
        each => Ok(member.local_rank * each..(member.local_rank + 1) * each),
    }
}

fn open_cuda(ordinal: usize) -> Result<Rc<dyn Device>, DeviceError> {
    Ok(Rc::new(CudaDevice::open(ordinal)?))
}

/// What opens devices of the kind of `known` by their numbers, in any thread.
pub(super) fn opener_like(
    known: &dyn Device,
) -> impl Fn(usize) -> Result<Rc<dyn Device>, DeviceError> + Send + 'static {
    let emulated = known.as_any().downcast_ref::<EmulatedDevice>().map(|known| known.options().clone());
    move |ordinal| {
        Ok(match &emulated {
            Some(options) => Rc::new(EmulatedDevice::open_with(ordinal, options.clone())?),
            None => open_cuda(ordinal)?,
        })
    }
}

/// A device as records have it.
pub(super) fn record_of(device: &dyn Device) -> DeviceRecord {
    let compiler = device.compiler();
    DeviceRecord {
        info: device.info().clone(),
        driver: telemetry::driver_version().ok().filter(|_| !device.info().emulated),
        compiler_problem: compiler.as_ref().err().map(ToString::to_string),
        compiler: compiler.ok(),
        telemetry_problem: None,
    }
}

pub(super) fn cpu_alone() -> DeviceError {
    DeviceError::unavailable("--device cpu asks for the CPU alone: use --device auto for CUDA")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(local_rank: usize, local_size: usize) -> Member {
        Member { rank: local_rank, host: "node".into(), local_rank, local_size }
    }

    #[test]
    fn processes_of_a_host_share_its_devices_evenly_and_keep_one_that_they_were_given_alone() {
        assert_eq!(part_of(4, &member(1, 2)).unwrap(), 2..4);
        assert_eq!(part_of(4, &member(3, 4)).unwrap(), 3..4);
        assert_eq!(part_of(8, &member(0, 1)).unwrap(), 0..8);
        assert_eq!(part_of(1, &member(3, 4)).unwrap(), 0..1);
        let few = part_of(2, &member(2, 3)).unwrap_err().to_string();
        assert!(few.contains("3 processes on node share 2 CUDA devices"), "{few}");
    }

    #[test]
    fn processes_give_equally_many_devices_and_the_last_ones_what_is_left() {
        let given = |shares: &[usize], needed| -> Vec<_> {
            (0..shares.len()).map(|rank| own_share(shares, rank, needed)).collect()
        };
        assert_eq!(given(&[2, 2], 2), [Some(1), Some(1)]);
        assert_eq!(given(&[2, 2], 3), [Some(2), Some(1)]);
        assert_eq!(given(&[1; 4], 2), [Some(1), Some(1), Some(0), Some(0)]);
        assert_eq!(given(&[1; 4], 4), [Some(1); 4]);
        assert_eq!(given(&[1; 4], 5), [None; 4]);
        assert_eq!(given(&[2, 0], 2), [None; 2]);
    }
}
