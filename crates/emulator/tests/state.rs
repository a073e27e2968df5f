//! What the emulator keeps for itself is out of a kernel's reach.

use crate::common::emulator;
use repro_emulator::{Argument, Arguments, FindingKind, Instruments, Launch, Source};

/// Words that a kernel of one thread touches, of those at these distances, without a finding for an access outside.
fn unfound(text: &str, dynamic_shared_bytes: u32, words: impl Iterator<Item = i32>) -> Vec<i32> {
    let device = emulator(Instruments::CHECK, 0);
    let kernels = device.load(&Source::new("reach.cu", text), &["reach"]).unwrap();
    let (out, stream) = (device.allocate(64).unwrap(), device.stream());
    stream.upload(&[0; 64], &out, 0);
    words
        .filter(|&word| {
            let arguments = Arguments::new(&[Argument::Memory(&out), Argument::Int(word)]);
            let launch = Launch { dynamic_shared_bytes, ..Launch::of((1, 1, 1), (1, 1, 1)) };
            // SAFETY: the launch is checked, and what it touches is what is tested.
            unsafe { stream.launch(&kernels[0], launch, &arguments).unwrap() };
            let found = device.take_findings();
            !found.iter().any(|finding| finding.kind == FindingKind::OutOfBounds)
        })
        .collect()
}

#[test]
fn every_word_behind_and_before_shared_memory_is_outside() {
    let fixed = |access: &str| {
        format!(
            "extern \"C\" __global__ void reach(int *out, int n) {{ __shared__ int tile[64]; tile[0] = 0; \
             volatile int kept = 0; int *at = tile + n; {access}; out[0] = tile[0] + kept; }}"
        )
    };
    for access in ["*at = 1", "kept = *at"] {
        assert_eq!(unfound(&fixed(access), 0, (64..400).chain(-400..0)), [0; 0], "{access}");
    }
    let dynamic =
        "extern __shared__ int tile[]; extern \"C\" __global__ void reach(int *out, int n) { tile[n] = 1; }";
    assert_eq!(unfound(dynamic, 256, (64..400).chain(-400..0)), [0; 0]);
}

#[test]
fn what_lies_below_a_threads_stack_is_outside() {
    // Stacks lie at multiples of their size, with what belongs to the running thread at their start.
    let text = |access: &str| {
        format!(
            "extern \"C\" __global__ void reach(int *out, int n) {{ int local = n; volatile int kept = 0; \
             int *at = (int *)((unsigned long long)&local & ~0xfffffull) + n; {access}; out[0] = kept; }}"
        )
    };
    for access in ["*at = 1", "kept = *at", "*(volatile int *)at = 1"] {
        assert_eq!(unfound(&text(access), 0, 0..60), [0; 0], "{access}");
    }
}
