//! Against a stand-in for the library, since NCCL itself needs GPUs for all but its version.

mod on_gpu;

use super::*;
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use repro_device::emulated::{EmulatedDevice, Instruments, toolchain};
use repro_device::{Buffer, Device, DeviceError, FailureKind};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Duration;

/// A copy of the stand-in that no other test uses.
pub struct StandIn {
    pub nccl: Rc<Nccl>,
    library: Library,
    device: EmulatedDevice,
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
    pub fn new() -> Self {
        Self::with_patience(Duration::from_millis(40))
    }

    pub fn with_patience(patience: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("libnccl.so.2");
        std::fs::write(&file, stand_in()).unwrap();
        let mut nccl = Nccl::load(&file, "test").unwrap();
        assert!(nccl.is_stand_in());
        nccl.patience = patience;
        // SAFETY: the stand-in, which is loaded already and does nothing when it is loaded.
        let library = unsafe { Library::open(Some(&file), RTLD_NOW | RTLD_LOCAL) }.unwrap();
        let device = EmulatedDevice::open(Instruments::default()).unwrap();
        Self { nccl: Rc::new(nccl), library, device, _folder: folder }
    }

    fn set(&self, name: &str, value: c_int) {
        // SAFETY: all that is set so is an int.
        unsafe { **self.library.get::<*mut c_int>(name.as_bytes()).unwrap() = value };
    }

    fn set_last_error(&self, words: &'static CStr) {
        // SAFETY: a pointer to characters, which live for ever.
        unsafe { **self.library.get::<*mut *const c_char>(b"answer_last_error\0").unwrap() = words.as_ptr() };
    }

    /// What was called, as lines.
    fn calls(&self) -> Vec<String> {
        // SAFETY: zero-terminated characters, which nobody writes meanwhile.
        let all = unsafe { CStr::from_ptr(*self.library.get::<*const c_char>(b"written\0").unwrap()) };
        all.to_str().unwrap().lines().map(String::from).collect()
    }

    fn join(&self, ranks: &[usize], size: usize) -> Result<Vec<Communicator>, DeviceError> {
        self.join_while(ranks, size, &mut || Ok(()))
    }

    fn join_while(
        &self,
        ranks: &[usize],
        size: usize,
        going_on: &mut dyn FnMut() -> Result<(), DeviceError>,
    ) -> Result<Vec<Communicator>, DeviceError> {
        let id = self.nccl.unique_id().unwrap();
        let joining: Vec<_> =
            ranks.iter().map(|&rank| JoinRequest { device: &self.device, id: &id, rank, size }).collect();
        join_all(&self.nccl, &joining, going_on)
    }

    fn buffer(&self) -> Buffer {
        self.device.allocate(4).unwrap()
    }

    /// The broadcasts of these communicators, of a buffer each.
    fn broadcast(&self, all: &[Communicator], buffers: &[Buffer], root: usize) -> Result<(), DeviceError> {
        let queue = self.device.queue();
        let calls = all.iter().zip(buffers).map(|(communicator, buffer)| BroadcastCall {
            communicator,
            queue,
            region: buffer.whole(),
            root,
        });
        broadcast_all(&calls.collect::<Vec<_>>())
    }

    fn bytes(&self, buffer: &Buffer) -> Vec<u8> {
        let mut host = self.device.allocate_host(4).unwrap();
        self.device.queue().download(buffer.whole(), &mut host).unwrap();
        host.numbers().to_vec()
    }

    fn set_bytes(&self, buffer: &Buffer, bytes: [u8; 4]) {
        let mut host = self.device.allocate_host(4).unwrap();
        host.numbers_mut().copy_from_slice(&bytes);
        self.device.queue().upload(&host, buffer.whole()).unwrap();
    }
}

#[test]
fn devices_of_one_process_join_in_one_group_and_are_destroyed_or_aborted() {
    let ended = |act: &dyn Fn(&StandIn, &mut Vec<Communicator>)| {
        let nccl = StandIn::new();
        let mut all = nccl.join(&[0, 1], 2).unwrap();
        assert_eq!(all.iter().map(|one| (one.rank(), one.size())).collect::<Vec<_>>(), [(0, 2), (1, 2)]);
        all.iter().for_each(|one| one.check().unwrap());
        act(&nccl, &mut all);
        drop(all);
        let calls = nccl.calls();
        assert_eq!(calls[..4], ["start", "init 0 of 2", "init 1 of 2", "end"]);
        calls[4..].to_vec()
    };
    assert_eq!(ended(&|_, _| ()), ["destroy 0", "destroy 1"]);
    // An error that nobody saw is seen before the end.
    assert_eq!(ended(&|nccl, _| nccl.set("answer_async", 6)), ["abort 0", "abort 1"]);
    // One that is left waits for nobody.
    let leave = |_: &StandIn, all: &mut Vec<Communicator>| {
        all[1].abort();
        drop(all.pop());
    };
    assert_eq!(ended(&leave), ["abort 1", "abort 0"]);
}

#[test]
fn a_broadcast_brings_the_roots_bytes_to_all_in_one_group() {
    let nccl = StandIn::new();
    let communicators = nccl.join(&[0, 1, 2], 3).unwrap();
    let before = nccl.calls().len();
    let buffers = [0, 1, 2].map(|at| {
        let buffer = nccl.buffer();
        nccl.set_bytes(&buffer, [at, 5, 6, at]);
        buffer
    });
    // The answer comes after a few looks, as from NCCL.
    nccl.set("busy_for", 5);
    nccl.broadcast(&communicators, &buffers, 1).unwrap();
    assert_eq!(buffers.each_ref().map(|buffer| nccl.bytes(buffer)), [[1, 5, 6, 1]; 3]);
    let broadcast = |rank| format!("broadcast {rank}: 4 of type 1 from 1");
    assert_eq!(
        nccl.calls()[before..],
        ["start".into(), broadcast(0), broadcast(1), broadcast(2), "end".into()]
    );
    assert_eq!(broadcast_all(&[]), Ok(()));
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
    let failed = nccl.broadcast(&communicators, &[nccl.buffer(), nccl.buffer()], 0).unwrap_err();
    assert!(failed.message.contains("rank 0 failed before"), "{failed}");
    drop(communicators);
    assert_eq!(nccl.calls()[4..], ["abort 0", "abort 1"]);
}

#[test]
fn whoever_joins_with_lost_processes_stops_waiting() {
    let nccl = StandIn::new();
    let error = nccl.join(&[0, 1], 3).map(drop).unwrap_err();
    assert_eq!(error.kind, FailureKind::Lost);
    assert!(
        error.message.starts_with("joining as rank 0, 1 of 3 by NCCL took longer than 0.04 s"),
        "{error}"
    );
    let asked = Cell::new(0);
    let lost = DeviceError::new(FailureKind::Lost, "rank 2 on nodeb is gone");
    let mut going_on = || {
        asked.set(asked.get() + 1);
        if asked.get() < 3 { Ok(()) } else { Err(lost.clone()) }
    };
    assert_eq!(nccl.join_while(&[0, 1], 3, &mut going_on).map(drop), Err(lost.clone()));
    assert_eq!(asked.get(), 3);
    let ended = ["end", "abort 0", "abort 1"];
    assert_eq!(nccl.calls()[3..6], ended);
    assert_eq!(nccl.calls()[9..], ended);
}

#[test]
fn a_broadcast_that_others_do_not_make_ends() {
    let nccl = StandIn::new();
    let mut communicators = nccl.join(&[0, 1], 2).unwrap();
    let error = nccl.broadcast(&communicators[..1], &[nccl.buffer()], 1).unwrap_err();
    assert!(error.message.starts_with("a broadcast from rank 1 took longer than"), "{error}");
    drop(communicators.remove(0));
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
    let buffers = [nccl.buffer()];
    let communicators = nccl.join(&[0], 1).unwrap();
    let beyond = nccl.broadcast(&communicators, &buffers, 1).unwrap_err();
    assert!(beyond.message.contains("rank 1 of 1 ranks"), "{beyond}");
    nccl.set("answer_broadcast", 4);
    let refused = nccl.broadcast(&communicators, &buffers, 0).unwrap_err();
    assert!(refused.kind == FailureKind::Other && refused.message.contains("invalid argument"), "{refused}");
    assert_eq!(nccl.calls().last().unwrap(), "end");
    let communicators = nccl.join(&[0], 1).unwrap();
    nccl.set("answer_broadcast", 0);
    nccl.set("answer_group_end", 2);
    assert!(nccl.broadcast(&communicators, &buffers, 0).is_err());
    drop(communicators);
    assert_eq!(nccl.calls().last().unwrap(), "abort 0");
}

#[test]
fn emulated_devices_are_refused_by_nccl_itself() {
    let mut nccl = StandIn::new();
    Rc::get_mut(&mut nccl.nccl).unwrap().stand_in = false;
    let error = nccl.join(&[0], 1).map(drop).unwrap_err();
    assert!(error.message.contains("NCCL joins GPUs alone") && error.message.contains("cuda:all"), "{error}");
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
    let message = message(Nccl::open().err());
    assert_ne!(message.contains("set NCCL_NVLS_ENABLE=0 before the start"), decided, "{message}");
}
