//! Launches and copies on several streams: what events do not order is found, also behind what they do order.

use repro_emulator::{
    ArgumentValue, DeviceMemory, Emulator, Event, FindingKind, Instruments, KernelHandle, Launch, Options,
    PackedArguments, Source, Stream,
};
use std::path::Path;
use std::process::Command;

const KERNELS: &str = "extern \"C\" __global__ void fill(int *to, int value) {\n\
    to[blockIdx.x * blockDim.x + threadIdx.x] = value;\n\
}\n\
extern \"C\" __global__ void take(const int *from, int *to) {\n\
    const int at = blockIdx.x * blockDim.x + threadIdx.x;\n\
    to[at] = from[at];\n\
}\n\
extern \"C\" __global__ void count(int *sum) {\n\
    atomicAdd(sum + threadIdx.x, 1);\n\
}\n\
extern \"C\" __global__ void bump(int *data) {\n\
    const int at = blockIdx.x * blockDim.x + threadIdx.x;\n\
    data[at] = data[at] + 1;\n\
}\n";

const LAUNCH: Launch = Launch {
    grid: (4, 1, 1),
    block: (64, 1, 1),
    dynamic_shared_bytes: 0,
    cluster: (1, 1, 1),
    overlaps_previous: false,
};
const BYTES: usize = 4 * 64 * 4;

struct Fixture {
    emulator: Emulator,
    kernels: Vec<KernelHandle>,
    /// All zeros.
    data: DeviceMemory,
    other: DeviceMemory,
    streams: Vec<Stream>,
}

impl Fixture {
    fn new() -> Self {
        let mut it = Self::with_one_stream();
        it.streams[0].synchronize().unwrap();
        it.streams.extend([(), ()].map(|()| it.emulator.stream()));
        it
    }

    /// With what the first stream uploads still on its way.
    fn with_one_stream() -> Self {
        let mut options = Options::new(Instruments::CHECK);
        options.cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels");
        let emulator = Emulator::open(options).unwrap();
        let source = Source::new("streams.cu", KERNELS);
        let kernels = emulator.load(&source, &["fill", "take", "count", "bump"]).unwrap();
        let [data, other] = [(), ()].map(|()| emulator.allocate(BYTES).unwrap());
        let streams = vec![emulator.stream()];
        streams[0].upload(&[0; BYTES], &data, 0);
        streams[0].upload(&[0; BYTES], &other, 0);
        Self { emulator, kernels, data, other, streams }
    }

    /// Plays steps, each a word and the streams that it is for.
    fn play(&self, steps: &str) -> &Self {
        for step in steps.split(", ") {
            let words: Vec<&str> = step.split(' ').collect();
            let stream = |at: usize| &self.streams[words[at].parse::<usize>().unwrap()];
            let launch = |kernel: usize, more: &[ArgumentValue]| {
                let arguments = [&[ArgumentValue::Memory(&self.data)], more].concat();
                // SAFETY: all kernels use as many numbers as a buffer has.
                unsafe {
                    stream(1)
                        .launch(&self.kernels[kernel], LAUNCH, &PackedArguments::new(&arguments))
                        .unwrap()
                };
            };
            match words[0] {
                "fill" => launch(0, &[ArgumentValue::Bits(7)]),
                // Writes what no other stream uses.
                "take" => launch(1, &[ArgumentValue::Memory(&self.emulator.allocate(BYTES).unwrap())]),
                "count" => launch(2, &[]),
                "bump" => launch(3, &[]),
                "copy" => stream(1).copy(&self.data, 0..BYTES, &self.other, 0),
                "wait" => wait_for(stream(1), stream(2)),
                "synchronize" => stream(1).synchronize().unwrap(),
                other => panic!("{other}"),
            }
        }
        self
    }

    /// What was found since the last time: the kernel, and with whom it races.
    fn found(&self) -> Vec<(String, String)> {
        let findings = self.emulator.take_findings();
        assert!(
            findings.iter().all(|finding| finding.kind == FindingKind::RaceBetweenLaunches),
            "{findings:?}"
        );
        let with = |details: &str| details.split(", which ").nth(1).unwrap_or_default().to_string();
        findings.iter().map(|finding| (finding.kernel.clone(), with(&finding.details))).collect()
    }
}

fn race(kernel: &str, with: &str) -> Vec<(String, String)> {
    vec![(kernel.to_string(), format!("{with} with no event between the two"))]
}

/// One stream waits for what another has been given.
fn wait_for(stream: &Stream, other: &Stream) {
    let event = Event::default();
    other.record(&event);
    stream.wait(&event);
}

#[test]
fn what_no_event_orders_races_also_behind_what_events_do_order() {
    let written = "another launch, of kernel fill, writes";
    for (steps, expected) in [
        ("fill 0, wait 1 0, copy 1", None),
        ("fill 0, wait 1 0, copy 1, take 2", Some(("take", written))),
        ("fill 0, wait 1 0, copy 1, wait 2 1, take 2", None),
        ("fill 0, wait 1 0, take 1, copy 2", Some(("a copy", written))),
        ("copy 0, take 1, wait 2 1, fill 2", Some(("fill", "a copy reads"))),
        ("copy 0, take 1, wait 2 1, wait 2 0, fill 2", None),
        ("take 0, bump 1", Some(("bump", "another launch, of kernel take, reads"))),
        ("count 0, count 1", None),
        ("count 0, count 1, wait 2 1, copy 2", Some(("a copy", "another launch, of kernel count, writes"))),
        ("fill 0, copy 0, synchronize 0, take 1, synchronize 1, fill 2", None),
    ] {
        let expected = expected.map_or_else(Vec::new, |(kernel, with)| race(kernel, with));
        assert_eq!(Fixture::new().play(steps).found(), expected, "{steps}");
    }
}

#[test]
fn a_thread_of_the_launch_that_came_last_is_named() {
    let it = Fixture::new();
    let [(kernel, with)] = &it.play("fill 0, take 2").found()[..] else { panic!("one race") };
    assert_eq!(kernel, "take");
    assert!(
        with.starts_with("thread 0 of block ") && with.contains(" of another launch, of kernel fill, writes")
    );
}

#[test]
fn the_memory_of_another_device_is_watched_as_well() {
    let [it, other] = [Fixture::new(), Fixture::new()];
    it.play("fill 0, wait 1 0, copy 1");
    other.streams[0].copy(&it.data, 0..BYTES, &other.data, 0);
    assert_eq!(other.found(), race("a copy", "another launch, of kernel fill, writes"));
}

#[test]
fn who_sends_to_another_device_may_read_meanwhile_and_writes_behind_the_copy() {
    for (waits, found) in [(false, race("fill", "a copy reads")), (true, vec![])] {
        let [it, other] = [Fixture::new(), Fixture::new()];
        other.streams[0].copy(&it.data, 0..BYTES, &other.data, 0);
        assert_eq!(it.play("take 0").found(), []);
        if waits {
            wait_for(&it.streams[0], &other.streams[0]);
        }
        assert_eq!(it.play("fill 0").found(), found);
        assert_eq!(other.found(), []);
    }
}

#[test]
fn copies_of_the_first_stream_of_a_process_are_found_by_the_second() {
    const ALONE: &str = "REPRO_FIRST_STREAM";
    if std::env::var_os(ALONE).is_none() {
        // Other tests make streams.
        let own = "streams::copies_of_the_first_stream_of_a_process_are_found_by_the_second";
        let mut alone = Command::new(std::env::current_exe().unwrap());
        let ended = alone.args([own, "--exact"]).env(ALONE, "1").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return;
    }
    let mut it = Fixture::with_one_stream();
    it.play("copy 0");
    it.streams.push(it.emulator.stream());
    assert_eq!(it.play("take 1").found(), race("take", "a copy writes"));
    assert_eq!(it.play("fill 1").found(), race("fill", "a copy writes"));
}

#[test]
fn a_launch_may_overlap_the_launch_in_front_and_no_copy() {
    let it = Fixture::new();
    let overlapping = || {
        let launch = Launch { overlaps_previous: true, ..LAUNCH };
        let arguments = PackedArguments::new(&[ArgumentValue::Memory(&it.data)]);
        // SAFETY: the kernel uses as many numbers as the buffer has.
        unsafe { it.streams[0].launch(&it.kernels[3], launch, &arguments).unwrap() };
        !it.found().is_empty()
    };
    it.play("copy 0");
    assert!(!overlapping());
    it.streams[0].upload(&[0; BYTES], &it.data, 0);
    assert!(!overlapping());
    assert!(overlapping());
}
