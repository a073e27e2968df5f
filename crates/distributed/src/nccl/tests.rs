//! Against a stand-in for the library, since NCCL itself needs GPUs for all but its version.

use super::broadcast::{Transfer, transfer_all};
use super::join::{Seat, seat_all};
use super::*;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use repro_device::emulated::{EmulatedDevice, Instruments, toolchain};
use repro_device::{Device, DeviceError, FailureKind};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Duration;

/// A copy of the stand-in that no other test uses.
struct StandIn {
    nccl: Rc<Nccl>,
    library: Library,
    _folder: tempfile::TempDir,
}

fn compiled(source: &str, to: &Path) {
    let file = to.with_extension("cc");
    std::fs::write(&file, source).unwrap();
    let mut command = Command::new(toolchain().unwrap().program());
    let output = command.args(["-shared", "-fPIC", "-std=c++17", "-o"]).arg(to).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Compiled once for all tests.
fn stand_in() -> &'static [u8] {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    FILE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libnccl.so.2");
        compiled(include_str!("stand_in.cc"), &file);
        std::fs::read(file).unwrap()
    })
}

impl StandIn {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libnccl.so.2");
        std::fs::write(&file, stand_in()).unwrap();
        let mut nccl = Nccl::load(&file, "test").unwrap();
        nccl.patience = Duration::from_millis(40);
        // SAFETY: the stand-in, which is loaded already and does nothing when it is loaded.
        let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }.unwrap();
        Self { nccl: Rc::new(nccl), library, _folder: folder }
    }

    fn set(&self, name: &str, value: c_int) {
        // SAFETY: all that is set so is an int.
        unsafe { **self.library.get::<*mut c_int>(name.as_bytes()).unwrap() = value };
    }

    fn set_last_error(&self, words: &'static CStr) {
        // SAFETY: a pointer to characters, which live for ever.
        unsafe { **self.library.get::<*mut *const c_char>(b"answer_last_error\0").unwrap() = words.as_ptr() };
    }

    /// What was called since the last time, as lines.
    fn calls(&self) -> Vec<String> {
        // SAFETY: zero-terminated characters, which nobody writes meanwhile.
        let all = unsafe { CStr::from_ptr(*self.library.get::<*const c_char>(b"written\0").unwrap()) };
        all.to_str().unwrap().lines().map(String::from).collect()
    }

    fn join(&self, ranks: &[usize], size: usize) -> Result<Vec<Communicator>, DeviceError> {
        self.join_while(ranks, size, &|| Ok(()))
    }

    fn join_while(
        &self,
        ranks: &[usize],
        size: usize,
        going_on: &dyn Fn() -> Result<(), DeviceError>,
    ) -> Result<Vec<Communicator>, DeviceError> {
        let id = self.nccl.unique_id().unwrap();
        let turn_to = || Ok(());
        let seats =
            ranks.iter().map(|&rank| Seat { id: &id, rank, size, device: Rc::new(()), turn_to: &turn_to });
        seat_all(&self.nccl, &seats.collect::<Vec<_>>(), going_on)
    }
}

fn transfer<'a>(
    communicator: &'a Communicator,
    stream: usize,
    memory: &mut [u8],
    root: usize,
) -> Transfer<'a> {
    let (address, bytes) = (memory.as_mut_ptr() as u64, memory.len());
    Transfer { communicator, stream: stream as _, address, bytes, root }
}

fn never_mind() -> Result<(), DeviceError> {
    Ok(())
}

#[test]
fn devices_of_one_process_join_in_one_group_and_are_destroyed() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[2, 3], 4).unwrap();
    assert_eq!(
        communicators.iter().map(|one| (one.rank(), one.size())).collect::<Vec<_>>(),
        [(2, 4), (3, 4)]
    );
    communicators.iter().for_each(|one| one.check().unwrap());
    drop(communicators);
    assert_eq!(nccl.calls(), ["start", "init 2 of 4", "init 3 of 4", "end", "destroy 2", "destroy 3"]);
}

#[test]
fn a_broadcast_brings_the_roots_bytes_to_all_in_one_group() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[0, 1, 2], 3).unwrap();
    let before = nccl.calls().len();
    let mut memory = [[0_u8; 5], [1; 5], [2; 5]];
    let transfers: Vec<_> = communicators
        .iter()
        .zip(&mut memory)
        .map(|(one, memory)| transfer(one, 70 + one.rank(), &mut memory[1..4], 1))
        .collect();
    // The answer comes after a few looks, as from NCCL.
    nccl.set("busy_for", 5);
    transfer_all(&transfers, &never_mind).unwrap();
    assert_eq!(memory, [[0, 1, 1, 1, 0], [1; 5], [2, 1, 1, 1, 2]]);
    let broadcast = |rank| format!("broadcast {rank}: 3 of type 1 from 1 on 7{rank}");
    assert_eq!(
        nccl.calls()[before..],
        ["start".into(), broadcast(0), broadcast(1), broadcast(2), "end".into()]
    );
    assert_eq!(transfer_all(&[], &never_mind), Ok(()));
}

#[test]
fn an_error_in_the_background_is_reported_in_the_words_of_nccl_and_ends_the_communicator() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[0, 1], 2).unwrap();
    nccl.set("answer_async", 6);
    nccl.set_last_error(c"Connection closed by\n peer 10.0.0.7");
    let error = communicators[1].check().unwrap_err();
    assert_eq!(error.kind, FailureKind::Lost);
    assert_eq!(
        error.message,
        "the work of rank 1 of 2 failed with NCCL's \"remote process exited or there was a network error\" (Connection closed by peer \
         10.0.0.7): another process died or cannot be reached: see its messages"
    );
    // Seen is seen.
    nccl.set("answer_async", 0);
    let failed = transfer_all(&[transfer(&communicators[1], 0, &mut [0; 4], 0)], &never_mind).unwrap_err();
    assert!(failed.message.contains("rank 1 failed before"), "{failed}");
    drop(communicators);
    assert_eq!(nccl.calls()[4..], ["abort 0", "abort 1"]);
}

#[test]
fn an_error_that_nobody_saw_is_seen_before_the_end() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[0, 1], 2).unwrap();
    nccl.set("answer_async", 6);
    drop(communicators);
    assert_eq!(nccl.calls()[4..], ["abort 0", "abort 1"]);
}

#[test]
fn whoever_joins_with_lost_processes_stops_waiting() {
    let nccl = StandIn::new();
    nccl.set("busy_for", c_int::MAX);
    let error = nccl.join(&[0, 1], 3).map(drop).unwrap_err();
    assert_eq!(error.kind, FailureKind::Lost);
    assert!(
        error.message.starts_with("joining as rank 0, 1 of 3 by NCCL took longer than 0.04 s"),
        "{error}"
    );
    let asked = Cell::new(0);
    let lost = DeviceError::new(FailureKind::Lost, "rank 2 on nodeb is gone");
    let going_on = || {
        asked.set(asked.get() + 1);
        if asked.get() < 3 { Ok(()) } else { Err(lost.clone()) }
    };
    assert_eq!(nccl.join_while(&[0, 1], 3, &going_on).map(drop), Err(lost.clone()));
    assert_eq!(asked.get(), 3);
    let ended = ["end", "abort 0", "abort 1"];
    assert_eq!(nccl.calls()[3..6], ended);
    assert_eq!(nccl.calls()[9..], ended);
}

#[test]
fn a_broadcast_that_others_do_not_make_ends() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[0], 2).unwrap();
    nccl.set("busy_for", c_int::MAX);
    let error = transfer_all(&[transfer(&communicators[0], 0, &mut [0; 4], 1)], &never_mind).unwrap_err();
    assert!(error.message.starts_with("a broadcast from rank 1 took longer than"), "{error}");
    drop(communicators);
    assert_eq!(nccl.calls().last().unwrap(), "abort 0");
}

#[test]
fn a_refusal_within_a_group_ends_the_group() {
    let nccl = StandIn::new();
    nccl.set("answer_init", 2);
    let error = nccl.join(&[0, 1], 2).map(drop).unwrap_err();
    assert!(
        error.message.contains("NCCL_SOCKET_IFNAME") && error.message.contains("unhandled system"),
        "{error}"
    );
    assert_eq!(nccl.calls(), ["start", "init 0 of 2", "end"]);
    nccl.set("answer_init", 0);
    let communicators = nccl.join(&[0], 1).unwrap();
    let mut memory = [0; 4];
    let beyond = transfer_all(&[transfer(&communicators[0], 0, &mut memory, 1)], &never_mind).unwrap_err();
    assert!(beyond.message.contains("rank 1 of 1 ranks"), "{beyond}");
    let communicators = nccl.join(&[0], 1).unwrap();
    nccl.set("answer_broadcast", 4);
    let refused = transfer_all(&[transfer(&communicators[0], 0, &mut memory, 0)], &never_mind).unwrap_err();
    assert!(refused.kind == FailureKind::Other && refused.message.contains("invalid argument"), "{refused}");
    assert_eq!(nccl.calls().last().unwrap(), "end");
    let communicators = nccl.join(&[0], 1).unwrap();
    nccl.set("answer_broadcast", 0);
    nccl.set("answer_group_end", 2);
    assert!(transfer_all(&[transfer(&communicators[0], 0, &mut memory, 0)], &never_mind).is_err());
    drop(communicators);
    assert_eq!(nccl.calls().last().unwrap(), "abort 0");
}

#[test]
fn a_communicator_can_be_left_without_waiting_for_others() {
    let nccl = StandIn::new();
    let mut communicators = nccl.join(&[0, 1], 3).unwrap();
    communicators.pop().unwrap().abort();
    drop(communicators);
    assert_eq!(nccl.calls()[4..], ["abort 1", "abort 0"]);
}

#[test]
fn devices_of_another_kind_are_refused() {
    let nccl = StandIn::new();
    let device = EmulatedDevice::open(Instruments::default()).unwrap();
    let id = [0; 128];
    let error = Communicator::join(&nccl.nccl, &device, &id, 0, 1).map(drop).unwrap_err();
    assert!(error.message.contains("CUDA devices alone"), "{error}");
    let communicators = nccl.join(&[0], 1).unwrap();
    let buffer = device.allocate(4).unwrap();
    let call = BroadcastCall {
        communicator: &communicators[0],
        queue: device.queue(),
        region: buffer.whole(),
        root: 0,
    };
    let error = broadcast_all(&[call]).unwrap_err();
    assert!(error.message.contains("of another device than CUDA's"), "{error}");
}

#[test]
fn version_file_and_numbers_are_those_of_the_library() {
    let nccl = StandIn::new();
    assert_eq!(nccl.nccl.version(), "2.28.9");
    assert_eq!(nccl.nccl.origin(), "test");
    assert!(
        nccl.nccl.path().ends_with("libnccl.so.2") && nccl.nccl.path().is_file(),
        "{:?}",
        nccl.nccl.path()
    );
    let id = nccl.nccl.unique_id().unwrap();
    assert_eq!((id[0], id[127]), (200, 73));
}

#[test]
fn what_is_no_nccl_or_too_old_is_refused_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("libnccl.so.2");
    let refused = |words: &str| {
        let error = Nccl::load(&file, "test").map(drop).unwrap_err();
        assert_eq!(error.kind, FailureKind::Unavailable);
        for part in [words, file.to_str().unwrap(), "2.14 or newer", NCCL_VARIABLE] {
            assert!(error.message.contains(part), "{error}");
        }
    };
    std::fs::write(&file, "no library").unwrap();
    refused("is not a usable NCCL");
    std::fs::remove_file(&file).unwrap();
    compiled("int nothing;", &file);
    refused("ncclGetVersion");
    std::fs::remove_file(&file).unwrap();
    compiled(&include_str!("stand_in.cc").replace("answer_version = 22809", "answer_version = 21306"), &file);
    refused("it is 2.13.6");
}

#[test]
fn nvlink_multicast_is_not_left_on_by_oversight() {
    // Tests have threads of their own, so that nothing can be set any more.
    let decided = std::env::var_os("NCCL_NVLS_ENABLE").is_some();
    let message = |error: Option<DeviceError>| error.map_or(String::new(), |error| error.message);
    for message in [message(Nccl::open().err()), message(join_all(&StandIn::new().nccl, &[]).err())] {
        assert_ne!(message.contains("set NCCL_NVLS_ENABLE=0 before the start"), decided, "{message}");
    }
}

#[test]
#[ignore = "needs NCCL, which the test finds as the program does"]
fn nccl_itself_gives_version_and_numbers_without_a_gpu() {
    let nccl = Nccl::find().unwrap();
    println!("{} {} {}", nccl.version(), nccl.path().display(), nccl.origin());
    assert!(nccl.version().starts_with("2."));
    assert_ne!(nccl.unique_id().unwrap(), nccl.unique_id().unwrap());
}
