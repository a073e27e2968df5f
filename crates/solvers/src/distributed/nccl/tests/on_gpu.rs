//! Broadcasts by NCCL among all GPUs of a machine, of one process each. To be run with
//! `NCCL_NVLS_ENABLE=0 cargo test -p repro-solvers --lib on_gpu -- --ignored --nocapture --test-threads 1`.

use crate::distributed::nccl::{BroadcastCall, Communicator, JoinRequest, Nccl, broadcast_all, join_all};
use repro_device::cuda::CudaDevice;
use repro_device::{Buffer, Device, Priority, Queue};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const SIZES: [usize; 5] = [4, 12, 64 << 10, 1 << 20, 64 << 20];

/// Bytes before and behind what is broadcast, which must stay as they are.
const MARGIN: usize = 16;

struct Gpu {
    device: CudaDevice,
    queue: Box<dyn Queue>,
}

impl Gpu {
    fn open(ordinal: usize) -> Self {
        let device = CudaDevice::open(ordinal).unwrap();
        let queue = device.new_queue(Priority::High).unwrap();
        Self { device, queue }
    }

    fn call<'a>(&'a self, one: &'a Communicator, buffer: &'a Buffer, root: usize) -> BroadcastCall<'a> {
        let region = buffer.part(MARGIN..buffer.bytes() - MARGIN);
        BroadcastCall { communicator: one, queue: &*self.queue, region, root }
    }
}

/// What a rank has before a broadcast: different on each, and in each round.
fn pattern(rank: usize, round: usize, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at ^ (at >> 8) ^ (at >> 16) ^ (rank * 89 + round * 151)) as u8).collect()
}

/// Uploads, one broadcast and downloads, one behind the other on the queues: only their order keeps the bytes right.
fn broadcast_and_compare(
    gpus: &[Gpu],
    communicators: &[Communicator],
    bytes: usize,
    root: usize,
    round: usize,
) {
    let whole = bytes + 2 * MARGIN;
    let buffers: Vec<Buffer> = gpus.iter().map(|gpu| gpu.device.allocate(whole).unwrap()).collect();
    let mut hosts: Vec<_> = gpus.iter().map(|gpu| gpu.device.allocate_host(whole).unwrap()).collect();
    for (at, host) in hosts.iter_mut().enumerate() {
        host.numbers_mut::<u8>().copy_from_slice(&pattern(communicators[at].rank(), round, whole));
        gpus[at].queue.upload(host, buffers[at].whole()).unwrap();
    }
    let calls: Vec<_> =
        (0..gpus.len()).map(|at| gpus[at].call(&communicators[at], &buffers[at], root)).collect();
    broadcast_all(&calls).unwrap();
    for at in 0..gpus.len() {
        gpus[at].queue.download(buffers[at].whole(), &mut hosts[at]).unwrap();
        let mut expected = pattern(communicators[at].rank(), round, whole);
        let sent = pattern(root, round, whole);
        expected[MARGIN..whole - MARGIN].copy_from_slice(&sent[MARGIN..whole - MARGIN]);
        let right = hosts[at].numbers::<u8>() == expected;
        assert!(right, "{bytes} bytes from {root} to {}, round {round}", communicators[at].rank());
        communicators[at].check().unwrap();
    }
}

/// Runs an ignored test of this file in one process for each GPU, of which each has its own rank.
fn processes_of(test: &str) -> Vec<Child> {
    let id: String = Nccl::open().unwrap().unique_id().unwrap().map(|byte| format!("{byte:02x}")).concat();
    let size = CudaDevice::count().unwrap();
    let start = |rank: usize| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", &format!("nccl::tests::on_gpu::{test}")])
            .envs([("TEST_ID", id.clone()), ("TEST_RANK", rank.to_string()), ("TEST_SIZE", size.to_string())])
            .spawn()
            .unwrap()
    };
    // NCCL listens for the others in this process, until they have joined.
    (0..size).map(start).collect()
}

/// The GPU and the communicator of one of those processes; nothing in any other.
fn process() -> Option<([Gpu; 1], [Communicator; 1])> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<usize>().ok();
    let (rank, size) = (number("TEST_RANK")?, number("TEST_SIZE")?);
    let text = std::env::var("TEST_ID").ok()?;
    let id = std::array::from_fn(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap());
    let gpu = Gpu::open(rank);
    let joining = [JoinRequest { device: &gpu.device, id: &id, rank, size }];
    let mut joined = join_all(&Nccl::open().unwrap(), &joining, &mut || Ok(())).unwrap();
    Some(([gpu], [joined.remove(0)]))
}

/// Waits for a process, no longer than this.
fn succeeds(process: &mut Child, within: Duration) -> bool {
    let start = Instant::now();
    while start.elapsed() < within {
        if let Some(status) = process.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    process.kill().unwrap();
    false
}

#[test]
#[ignore = "needs two CUDA devices and NCCL"]
fn every_gpu_gets_the_bytes_of_every_root_and_a_process_that_dies_keeps_no_other_waiting() {
    let Some((gpus, communicators)) = process() else {
        let mut all = processes_of(
            "every_gpu_gets_the_bytes_of_every_root_and_a_process_that_dies_keeps_no_other_waiting",
        );
        assert!(all.len() > 1, "needs two CUDA devices");
        let ended: Vec<bool> = all.iter_mut().map(|one| succeeds(one, Duration::from_secs(60))).collect();
        let dead = ended.len() - 1;
        assert!(ended[..dead].iter().all(|&ended| ended) && !ended[dead], "{ended:?}");
        return;
    };
    // The first broadcast connects them.
    for (bytes, root) in
        SIZES.iter().flat_map(|bytes| (0..communicators[0].size()).map(move |root| (*bytes, root)))
    {
        (0..2).for_each(|round| broadcast_and_compare(&gpus, &communicators, bytes, root, round));
    }
    let ([gpu], [one]) = (gpus, communicators);
    if one.rank() + 1 == one.size() {
        std::process::abort();
    }
    let buffer = gpu.device.allocate((1 << 20) + 2 * MARGIN).unwrap();
    let start = Instant::now();
    let going_on = || start.elapsed() < Duration::from_secs(5);
    // The root is the one that is gone. It may show at once, or only on the device.
    let queued = broadcast_all(&[gpu.call(&one, &buffer, one.size() - 1)]);
    println!("rank {}: {queued:?} after {:?}", one.rank(), start.elapsed());
    while queued.is_ok() && one.check().is_ok() && going_on() {
        std::thread::sleep(Duration::from_millis(50));
    }
    println!("rank {}: {:?} after {:?}", one.rank(), one.check(), start.elapsed());
    one.abort();
    drop(one);
    println!("rank {}: aborted after {:?}", gpu.device.info().ordinal, start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(30));
}
