//! What devices promise of queues, graphs, copies and launches: on the emulated device everywhere, on CUDA where somebody asks.

use crate::cuda::CudaDevice;
use crate::emulated::{EmulatedDevice, Instruments};
use crate::{
    Argument, Buffer, Device, DeviceError, Extent, ForeignMemory, HostBuffer, Kernel, KernelSource, Launch,
    Priority,
};
use std::sync::Arc;

const KERNELS: &str = "struct Change { int factor; short add; long long at; };\n\
extern \"C\" __global__ void change(int *out, Change by, int n) {\n\
    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n\
    if (i < n) out[by.at + i] = out[by.at + i] * by.factor + by.add + ADDED;\n\
}\n\
extern \"C\" __global__ void places(int *out) {\n\
    const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;\n\
    const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;\n\
    out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 100 * block + thread;\n\
}\n";

const READER: &str = "extern \"C\" __global__ void read_all(const int *from, int n, int *out) {\n\
    if ((int)threadIdx.x < n) out[threadIdx.x] = from[threadIdx.x];\n\
}\n";

/// A `Change` as the kernels have it.
fn change(factor: i32, add: i16, at: i64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&factor.to_le_bytes());
    bytes[4..6].copy_from_slice(&add.to_le_bytes());
    bytes[8..].copy_from_slice(&at.to_le_bytes());
    bytes
}

fn kernels(device: &dyn Device) -> Vec<Kernel> {
    let source = KernelSource::embedded("queues.cu", KERNELS).with_define("ADDED", "1000");
    device.load(&source, &["change", "places"]).unwrap()
}

fn read(device: &dyn Device, buffer: &Buffer) -> Vec<i32> {
    let mut host = device.allocate_host(buffer.bytes()).unwrap();
    device.queue().download(buffer.whole(), &mut host).unwrap();
    // Reading waits for the copy.
    host.numbers().to_vec()
}

fn zeros(device: &dyn Device, entries: usize) -> Buffer {
    let buffer = device.allocate(entries * 4).unwrap();
    device.queue().upload(&device.allocate_host(entries * 4).unwrap(), buffer.whole()).unwrap();
    // Other queues and devices use it, too.
    device.queue().synchronize().unwrap();
    buffer
}

/// Queues, in one graph, a change on each of two queues between a beginning and an end on the first.
fn graph_over_two_queues(device: &dyn Device) -> Result<(), DeviceError> {
    let (first, second) = (device.queue(), device.new_queue(Priority::High)?);
    let kernel = &kernels(device)[0];
    let out = zeros(device, 8);
    let [forked, joined] = [first.event()?, second.event()?];
    let launch = |queue: &dyn crate::Queue, at: i64, factor: i32| {
        let by = change(factor, 1, at);
        let arguments = [Argument::Buffer(&out), Argument::Struct(&by), Argument::Int(4)];
        // SAFETY: the kernel takes a buffer, this struct and a number, and changes four entries from `at` on.
        unsafe { queue.launch(kernel, Launch::rows_of(1, 1, 32), &arguments) }
    };
    let graph = first.capture(&mut || {
        launch(first, 0, 1)?;
        first.record(&forked)?;
        second.wait(&forked)?;
        launch(&*second, 4, 1)?;
        launch(first, 0, 2)?;
        second.record(&joined)?;
        first.wait(&joined)?;
        // Only right once both are done.
        first.copy(out.part(0..4), out.part(28..32))
    })?;
    assert_eq!(read(device, &out), [0; 8], "capturing runs nothing");
    // SAFETY: the buffer lives until the end.
    unsafe { first.replay(&graph)? };
    assert_eq!(read(device, &out), [3003, 3003, 3003, 3003, 1001, 1001, 1001, 3003]);
    // SAFETY: as above.
    unsafe { first.replay(&graph)? };
    let again = 2 * (3003 + 1001) + 1001;
    assert_eq!(read(device, &out), [again, again, again, again, 2002, 2002, 2002, again]);
    first.synchronize()
}

/// What `places` leaves of so many blocks and threads.
fn places(blocks: i32, threads: i32) -> Vec<i32> {
    (0..blocks).flat_map(|block| (0..threads).map(move |thread| 100 * block + thread)).collect()
}

fn grids_have_three_dimensions(device: &dyn Device) -> Result<(), DeviceError> {
    let (grid, block): (Extent, Extent) = ((2, 3, 4), (5, 2, 2));
    let out = zeros(device, 24 * 20);
    // SAFETY: the kernel takes a buffer with an entry for each thread of the grid.
    unsafe {
        device.queue().launch(&kernels(device)[1], Launch::new(grid, block), &[Argument::Buffer(&out)])?
    };
    assert_eq!(read(device, &out), places(24, 20));
    Ok(())
}

/// Each writes the same numbers to the other side of an event, through parts of buffers.
fn queues_wait_for_events(device: &dyn Device) -> Result<(), DeviceError> {
    let (first, second) = (device.queue(), device.new_queue(Priority::Usual)?);
    let mut host = HostBuffer::pageable(1 << 20).unwrap();
    host.numbers_mut::<i32>().iter_mut().zip(0..).for_each(|(number, at)| *number = at);
    let [near, far] = [device.allocate(1 << 20)?, device.allocate(1 << 20)?];
    first.upload(&host, near.whole())?;
    let sent = first.event()?;
    first.record(&sent)?;
    second.wait(&sent)?;
    let half = 1 << 19;
    second.copy(near.part(0..half), far.part(half..2 * half))?;
    second.copy(near.part(half..2 * half), far.part(0..half))?;
    let mut back = device.allocate_host(1 << 20)?;
    second.download(far.whole(), &mut back)?;
    let (low, high) = host.numbers::<i32>().split_at(half / 4);
    assert!(back.numbers::<i32>() == [high, low].concat());
    let in_a_graph = first.capture(&mut || first.upload(&host, near.whole()));
    assert!(in_a_graph.err().unwrap().message.contains("cannot be part of a graph"));
    assert!(first.copy(near.part(0..half), near.part(4..half + 4)).is_err(), "overlapping regions");
    assert!(first.copy(near.part(0..half), far.part(1..half)).is_err(), "regions of two sizes");
    assert!(first.copy(near.part(0..half + 1), far.part(half..2 * half + 1)).is_err(), "beyond the end");
    Ok(())
}

/// What a kernel reads of four numbers of another library, whose owner has them back in the end.
fn read_of_another(device: &dyn Device, foreign: ForeignMemory) -> Vec<i32> {
    let adopted = device.import_memory(foreign).unwrap();
    let kernels = device.load(&KernelSource::embedded("reader.cu", READER), &["read_all"]).unwrap();
    let out = zeros(device, 4);
    let arguments = [Argument::Buffer(&adopted), Argument::Int(4), Argument::Buffer(&out)];
    // SAFETY: the kernel takes these, reads four numbers and writes four.
    unsafe { device.queue().launch(&kernels[0], Launch::rows_of(1, 1, 32), &arguments).unwrap() };
    // Nothing but a kernel may use them.
    let (queue, mut host) = (device.queue(), device.allocate_host(16).unwrap());
    assert!(queue.upload(&host, adopted.whole()).is_err());
    assert!(queue.download(adopted.whole(), &mut host).is_err());
    assert!(queue.copy(adopted.whole(), out.whole()).is_err());
    drop(adopted);
    read(device, &out)
}

#[test]
fn the_emulated_device_reads_memory_of_the_host_and_gives_it_back() {
    for instruments in [Instruments::NONE, Instruments::ALL] {
        let device = EmulatedDevice::open(instruments).unwrap_or_else(|error| panic!("{error}"));
        let numbers = Arc::new(vec![5, -6, 7, 8]);
        let foreign = ForeignMemory::of_host(numbers.clone());
        assert_eq!((foreign.bytes(), Arc::strong_count(&numbers)), (16, 2));
        assert_eq!(read_of_another(&device, foreign), *numbers);
        assert_eq!(Arc::strong_count(&numbers), 1);
    }
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_cuda_device_reads_memory_of_its_own_alone_and_gives_it_back() {
    let device = CudaDevice::open(0).unwrap();
    let (theirs, owner) = (zeros(&device, 4), Arc::new(()));
    // SAFETY: the buffer lives until the end, nobody writes it, and its zeros are there.
    let foreign = unsafe { ForeignMemory::new(theirs.address(), 16, owner.clone()) };
    assert_eq!(read_of_another(&device, foreign), [0; 4]);
    let numbers = Arc::new(vec![0; 4]);
    let refused = device.import_memory(ForeignMemory::of_host(numbers.clone())).err().unwrap();
    assert!(refused.message.contains("which is no GPU's memory: copy it to cuda:0"), "{refused}");
    assert_eq!((Arc::strong_count(&owner), Arc::strong_count(&numbers)), (1, 1));
}

fn every_promise(device: &dyn Device) {
    graph_over_two_queues(device).unwrap();
    grids_have_three_dimensions(device).unwrap();
    queues_wait_for_events(device).unwrap();
}

#[test]
fn the_emulated_device_keeps_every_promise_of_queues_and_graphs() {
    for instruments in [Instruments::NONE, Instruments::ALL] {
        every_promise(&EmulatedDevice::open(instruments).unwrap_or_else(|error| panic!("{error}")));
    }
}

#[test]
fn one_emulated_device_reaches_the_memory_of_another_that_it_was_told_of() {
    let open = |ordinal| EmulatedDevice::open_ordinal(ordinal, Instruments::CHECK).unwrap();
    let (one, other) = (open(0), open(1));
    let theirs = zeros(&other, 4);
    let by = change(1, 1, 0);
    let arguments = [Argument::Buffer(&theirs), Argument::Struct(&by), Argument::Int(4)];
    let kernels = kernels(&one);
    // SAFETY: as above; where the memory is not reached the checker is to find it.
    let launch = || unsafe { one.queue().launch(&kernels[0], Launch::rows_of(1, 1, 32), &arguments) };
    launch().unwrap();
    assert!(one.queue().synchronize().unwrap_err().message.contains("outside of every allocation"));
    one.enable_peer_access(&other).unwrap();
    launch().unwrap();
    one.queue().synchronize().unwrap();
    assert_eq!(read(&other, &theirs), [1001; 4]);
}

#[test]
fn clusters_run_where_there_are_some_and_are_refused_by_name_otherwise() {
    let device = EmulatedDevice::open(Instruments::NONE).unwrap_or_else(|error| panic!("{error}"));
    let out = zeros(&device, 64);
    let launch = Launch { cluster: (2, 1, 1), ..Launch::rows_of(2, 1, 32) };
    // SAFETY: the kernel takes a buffer with an entry for each thread.
    unsafe { device.queue().launch(&kernels(&device)[1], launch, &[Argument::Buffer(&out)]).unwrap() };
    assert_eq!(read(&device, &out), places(2, 32));
    let launch = Launch { cluster: (3, 1, 1), ..launch };
    // SAFETY: as above.
    let refused = unsafe { device.queue().launch(&kernels(&device)[1], launch, &[Argument::Buffer(&out)]) };
    assert!(refused.unwrap_err().message.contains("clusters of 3 x 1 x 1 blocks"));
}

#[test]
#[ignore = "needs a CUDA device"]
fn a_cuda_device_keeps_every_promise_of_queues_and_graphs() {
    let device = CudaDevice::open(0).unwrap();
    every_promise(&device);
    let out = zeros(&device, 128);
    let launch = Launch { cluster: (2, 1, 1), overlaps_previous: true, ..Launch::rows_of(4, 1, 32) };
    // SAFETY: the kernel takes a buffer with an entry for each thread.
    unsafe { device.queue().launch(&kernels(&device)[1], launch, &[Argument::Buffer(&out)]).unwrap() };
    assert_eq!(read(&device, &out), places(4, 32));
    let before = KernelSource { architecture_specific: true, ..KernelSource::embedded("queues.cu", KERNELS) };
    assert!(device.load(&before.with_define("ADDED", "0"), &["change"]).is_ok());
}
