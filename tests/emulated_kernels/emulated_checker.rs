//! The checker of the emulated device finds every planted mistake, at its line, and is silent on the right kernels beside
//! them.

use crate::common::emulated;
use crate::common::planted::{
    ENTRIES, SOURCE, assert_collide, findings_of, launch, planted, the_one, words, zeros,
};
use repro::device::emulated::{FindingKind, Instruments};
use repro::device::{Argument, Device, Launch};

#[test]
fn an_access_past_the_end_of_a_buffer_is_found() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let arguments = [Argument::Buffer(&buffer), Argument::Int(ENTRIES as i32)];
    let findings = findings_of(&device, "past_the_end", 2, &arguments);
    let finding = the_one(findings, "past_the_end", FindingKind::OutOfBounds, "past the end");
    assert_eq!((finding.block, finding.thread), ((1, 0, 0), (5, 0, 0)));
    assert!(finding.details.contains("writes 4 bytes at byte 1024 of"), "{finding}");
}

#[test]
fn an_access_before_the_start_of_a_buffer_is_found() {
    let device = emulated(Instruments::CHECK);
    let [buffer, out] = [zeros(&device), zeros(&device)];
    let arguments = [Argument::Buffer(&buffer), Argument::Buffer(&out)];
    let findings = findings_of(&device, "before_the_start", 1, &arguments);
    let finding = the_one(findings, "before_the_start", FindingKind::OutOfBounds, "before the start");
    assert_eq!((finding.block, finding.thread), ((0, 0, 0), (3, 0, 0)));
    assert!(finding.details.contains("reads 4 bytes"), "{finding}");
}

#[test]
fn an_access_far_from_any_buffer_is_not_told_as_a_place_in_one() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let findings = findings_of(&device, "far_from_any_buffer", 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "far_from_any_buffer", FindingKind::OutOfBounds, "far");
    assert_eq!(finding.details, "writes 4 bytes where no buffer is");
}

#[test]
fn a_wide_access_that_is_half_inside_is_found() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let arguments = [Argument::Buffer(&buffer), Argument::Int(ENTRIES as i32)];
    let findings = findings_of(&device, "half_past_the_end", 1, &arguments);
    let finding = the_one(findings, "half_past_the_end", FindingKind::OutOfBounds, "half past the end");
    assert!(finding.details.contains("writes 8 bytes at byte 1020 of"), "{finding}");
}

#[test]
fn a_wide_access_at_an_odd_place_is_found_where_a_gpu_faults() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let cases = [
        (
            "four_at_an_odd_place",
            "misaligned store",
            "writes 16 bytes of a global buffer of 1024 bytes at byte 20",
        ),
        (
            "double_at_an_odd_place",
            "misaligned load",
            "reads 8 bytes of a global buffer of 1024 bytes at byte 4",
        ),
    ];
    for (kernel, mark, part) in cases {
        let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
        let finding = the_one(findings, kernel, FindingKind::Misaligned, mark);
        assert_eq!(finding.thread, (3, 0, 0));
        assert!(finding.details.contains(part), "{finding}");
    }
}

#[test]
fn an_index_beyond_a_shared_array_is_found_even_where_another_array_follows() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let findings = findings_of(&device, "beyond_shared_array", 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "beyond_shared_array", FindingKind::OutOfBounds, "beyond shared array");
    assert_eq!(finding.thread, (32, 0, 0));
    assert!(finding.details.contains("beyond the end of an array"), "{finding}");
}

#[test]
fn a_pointer_that_leaves_a_shared_array_is_found_even_where_another_array_follows() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let cases = [
        (
            "pointer_out_of_shared_array",
            "pointer out of shared array",
            (56, 0, 0),
            "writes 4 bytes at byte 256 of shared c, which has 256 bytes",
        ),
        (
            "pointer_before_shared_array",
            "pointer before shared array",
            (0, 0, 0),
            "reads 4 bytes 4 bytes before shared c",
        ),
    ];
    for (kernel, mark, thread, part) in cases {
        let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
        let finding = the_one(findings, kernel, FindingKind::OutOfBounds, mark);
        assert_eq!(finding.thread, thread);
        assert!(finding.details.contains(part), "{finding}");
    }
}

#[test]
fn shared_arrays_of_templates_and_of_the_launchs_size_are_known() {
    for instruments in [Instruments::CHECK, Instruments::COUNT, Instruments::ALL] {
        let device = emulated(instruments);
        let buffer = zeros(&device);
        let kernels = device.load(&SOURCE, &["shared_arrays_of_templates"]).unwrap();
        let launch = Launch { dynamic_shared_bytes: 256, ..Launch::rows_of((1, 1), 64) };
        // SAFETY: the kernel takes a buffer of floats.
        unsafe { device.queue().launch(&kernels[0], launch, &[Argument::Buffer(&buffer)]) }.unwrap();
        device.queue().synchronize().unwrap();
        let host: Vec<f32> = words(&device, &buffer);
        assert!(host[..64].iter().zip(0..).all(|(&value, own)| value == 2.0 * own as f32), "{instruments:?}");
        let counted = device.take_counts();
        // Compilers keep no more than they must of arrays that nothing reads.
        let expected = 64 * 4 + 128 * 4..=(2 + 2) * 64 * 4 + 2 * 128 * 4;
        assert!(counted.iter().all(|launch| expected.contains(&launch.counts.shared_bytes)), "{counted:?}");
    }
}

#[test]
fn after_an_access_outside_the_device_reports_it_once_and_works_again() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let wrong = [Argument::Buffer(&buffer), Argument::Int(ENTRIES as i32)];
    launch(&device, "past_the_end", 2, &wrong).unwrap();
    let message = device.queue().synchronize().unwrap_err().message;
    let place = format!("planted_bugs.cu:{}", planted("past the end")[0]);
    for part in
        ["outside of every allocation", "kernel past_the_end", "block (1, 0)", "thread (5, 0)", &place]
    {
        assert!(message.contains(part), "no '{part}' in: {message}");
    }
    assert!(!message.contains('\n'), "{message}");

    device.queue().synchronize().unwrap();
    let findings = findings_of(&device, "written_by_the_launch_before", 1, &[Argument::Buffer(&buffer)]);
    assert_eq!(findings, []);
    let host: Vec<f32> = words(&device, &buffer);
    assert!(host[..64].iter().all(|&value| value == 1.0));
}

#[test]
fn nothing_runs_between_an_access_outside_and_the_report_of_it() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let wrong = [Argument::Buffer(&buffer), Argument::Int(ENTRIES as i32)];
    launch(&device, "past_the_end", 2, &wrong).unwrap();
    launch(&device, "written_by_the_launch_before", 1, &wrong[..1]).unwrap();
    assert_eq!(device.take_findings().len(), 1);
    let host: Vec<f32> = words(&device, &buffer);
    assert!(host[..64].iter().all(|&value| value == 0.0));
}

#[test]
fn a_missing_barrier_between_a_write_and_a_neighbours_read_is_a_race() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "neighbour_without_barrier";
    let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, kernel, FindingKind::RaceInBlock, "neighbour read");
    assert_eq!((finding.block, finding.thread, finding.times), ((0, 0, 0), (0, 0, 0), 64));
    let written = format!("thread (1, 0) writes at planted_bugs.cu:{}", planted("neighbour written")[0]);
    assert!(finding.details.contains("shared c") && finding.details.contains(&written), "{finding}");
}

#[test]
fn a_warps_barrier_does_not_order_another_warp() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "other_warp_after_warp_barrier";
    let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
    assert_collide(&findings, kernel, FindingKind::RaceInBlock, "other warp");
}

#[test]
fn a_shuffle_moves_values_and_orders_no_memory() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "neighbour_after_shuffle";
    let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
    assert_collide(&findings, kernel, FindingKind::RaceInBlock, "after shuffle");
}

#[test]
fn overwriting_what_others_still_read_is_a_race_from_the_second_step_on() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "overwritten_before_all_have_read";
    let arguments = |steps| [Argument::Buffer(&buffer), Argument::Int(steps)];
    assert_eq!(findings_of(&device, kernel, 1, &arguments(1)), []);
    let findings = findings_of(&device, kernel, 1, &arguments(2));
    assert_collide(&findings, kernel, FindingKind::RaceInBlock, "overwritten");
}

#[test]
fn parts_of_a_word_race_like_whole_ones() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    for (kernel, mark) in [("bytes_of_one_word", "bytes"), ("shorts_of_one_word", "shorts")] {
        let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
        assert_collide(&findings, kernel, FindingKind::RaceInBlock, mark);
    }
    let findings = findings_of(&device, "bytes_of_one_word", 1, &[Argument::Buffer(&buffer)]);
    // All but every fourth read what another thread wrote.
    assert_eq!(findings.iter().map(|finding| finding.times).sum::<u64>(), 48, "{findings:#?}");
}

#[test]
fn two_threads_of_a_block_that_store_one_word_race() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let findings = findings_of(&device, "all_store_one_word", 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "all_store_one_word", FindingKind::RaceInBlock, "all store");
    assert_eq!((finding.thread, finding.times), ((1, 0, 0), 63));
    assert!(finding.details.contains("a global buffer of 1024 bytes at byte 0"), "{finding}");
}

#[test]
fn two_blocks_that_store_one_word_race() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let findings = findings_of(&device, "blocks_store_one_word", 3, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "blocks_store_one_word", FindingKind::RaceBetweenBlocks, "blocks store");
    assert_eq!((finding.thread, finding.times), ((9, 0, 0), 2));
    assert!(finding.details.contains("thread (9, 0) of block ("), "{finding}");
}

#[test]
fn a_block_that_reads_what_another_writes_races() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "block_reads_what_another_writes";
    let findings = findings_of(&device, kernel, 2, &[Argument::Buffer(&buffer)]);
    assert_collide(&findings, kernel, FindingKind::RaceBetweenBlocks, "block reads");
}

#[test]
fn an_atomic_races_with_a_plain_read() {
    let device = emulated(Instruments::CHECK);
    let [buffer, out] = [zeros(&device), zeros(&device)];
    let kernel = "atomic_beside_plain_read";
    let findings = findings_of(&device, kernel, 2, &[Argument::Buffer(&buffer)]);
    assert_collide(&findings, kernel, FindingKind::RaceBetweenBlocks, "atomic beside plain");
    let kernel = "atomic_and_plain_read_of_one_thread";
    let arguments = [Argument::Buffer(&buffer), Argument::Buffer(&out)];
    let findings = findings_of(&device, kernel, 1, &arguments);
    assert_collide(&findings, kernel, FindingKind::RaceInBlock, "own plain read");
}

#[test]
fn a_store_declared_to_change_nothing_that_does_races_with_a_reader() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "declared_the_same_and_changed";
    let findings = findings_of(&device, kernel, 2, &[Argument::Buffer(&buffer)]);
    let [finding] = &findings[..] else { panic!("{findings:#?}") };
    assert_eq!(finding.kind, FindingKind::RaceBetweenBlocks);
    let said = finding.to_string();
    // The store itself is in the header, and which of the two comes second is a matter of time.
    assert!(said.contains("repro.cuh:"), "{said}");
    for line in planted("changed") {
        assert!(said.contains(&format!("planted_bugs.cu:{line}")), "no line {line} in: {said}");
    }
}

#[test]
fn a_plain_store_before_one_that_is_declared_races_with_a_reader() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let kernel = "declared_after_a_plain_store";
    let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
    the_one(findings, kernel, FindingKind::RaceInBlock, "read of plain");
}

#[test]
fn a_store_declared_to_lower_that_raises_or_has_a_rival_races() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let raised = findings_of(&device, "declared_lower_and_raised", 2, &[Argument::Buffer(&buffer)]);
    assert_eq!(raised.len(), 1, "{raised:#?}");
    assert_eq!(raised[0].kind, FindingKind::RaceBetweenBlocks);
    for line in planted("raised") {
        assert!(
            raised[0].to_string().contains(&format!("planted_bugs.cu:{line}")),
            "no line {line}: {}",
            raised[0]
        );
    }
    let rivals = findings_of(&device, "declared_lower_by_two", 2, &[Argument::Buffer(&buffer)]);
    assert_eq!(rivals.len(), 1, "{rivals:#?}");
    assert_eq!(rivals[0].kind, FindingKind::RaceBetweenBlocks);
}

#[test]
fn a_barrier_that_threads_do_not_reach_because_they_returned_is_found() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let arguments = [Argument::Buffer(&buffer), Argument::Int(16)];
    let findings = findings_of(&device, "barrier_after_return", 1, &arguments);
    let finding = the_one(findings, "barrier_after_return", FindingKind::DivergentBarrier, "after return");
    assert_eq!(finding.thread, (0, 0, 0));
    assert!(finding.details.contains("thread (16, 0) has left"), "{finding}");
}

#[test]
fn threads_that_wait_at_different_barriers_are_found() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let findings = findings_of(&device, "barrier_in_both_arms", 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "barrier_in_both_arms", FindingKind::DivergentBarrier, "first arm");
    assert_eq!(finding.thread, (0, 0, 0));
    let other = format!("thread (1, 0) at another at planted_bugs.cu:{}", planted("second arm")[0]);
    assert!(finding.details.contains(&other), "{finding}");
}

#[test]
fn a_warp_operation_that_named_lanes_never_come_to_is_found_and_ends_the_launch() {
    let device = emulated(Instruments::CHECK);
    let buffer = zeros(&device);
    let cases = [
        (
            "half_a_warp_waits_for_all",
            FindingKind::DivergentBarrier,
            "half a warp",
            "only 0x0000ffff have come",
        ),
        ("half_a_warp_shuffles_with_all", FindingKind::WarpOperation, "shuffle", "only 0x0000ffff have come"),
        ("not_in_its_own_mask", FindingKind::WarpOperation, "own mask", "the mask 0xfffefffe"),
    ];
    for (kernel, kind, mark, part) in cases {
        let findings = findings_of(&device, kernel, 1, &[Argument::Buffer(&buffer)]);
        let finding = the_one(findings, kernel, kind, mark);
        assert_eq!(finding.thread, (0, 0, 0), "{finding}");
        assert!(finding.details.contains(part), "{finding}");
    }
}

#[test]
fn a_read_of_what_nothing_wrote_is_found() {
    let device = emulated(Instruments::CHECK);
    let [fresh, buffer] = [device.allocate(ENTRIES * 4).unwrap(), zeros(&device)];
    let arguments = [Argument::Buffer(&fresh), Argument::Buffer(&buffer)];
    let findings = findings_of(&device, "fresh_global", 1, &arguments);
    let finding = the_one(findings, "fresh_global", FindingKind::Unwritten, "fresh global");
    assert_eq!((finding.thread, finding.times), ((0, 0, 0), 64));
    launch(&device, "written_by_the_launch_before", 1, &arguments[..1]).unwrap();
    assert_eq!(findings_of(&device, "fresh_global", 1, &arguments), []);

    let findings = findings_of(&device, "fresh_shared", 1, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "fresh_shared", FindingKind::Unwritten, "fresh shared");
    assert_eq!((finding.thread, finding.times), ((16, 0, 0), 48));
    assert!(finding.details.contains("shared c at byte 64"), "{finding}");

    // Whatever a block leaves in shared memory, the next one does not have.
    let findings = findings_of(&device, "left_by_another_block", 4, &[Argument::Buffer(&buffer)]);
    let finding = the_one(findings, "left_by_another_block", FindingKind::Unwritten, "another block");
    assert_eq!((finding.block, finding.times), ((1, 0, 0), 3 * 64));
}

#[test]
fn right_kernels_beside_the_tricky_mistakes_are_let_be() {
    let device = emulated(Instruments::CHECK);
    let [first, second] = [zeros(&device), zeros(&device)];
    let [first, second] = [Argument::Buffer(&first), Argument::Buffer(&second)];
    let cases: [(&str, usize, &[Argument]); 16] = [
        ("neighbour_with_barrier", 1, &[first]),
        ("neighbour_after_warp_barrier", 1, &[first]),
        ("overwritten_after_all_have_read", 1, &[first, Argument::Int(5)]),
        ("one_of_a_block_stores", 3, &[first]),
        ("pairs_at_odd_places", 1, &[first]),
        ("bytes_of_their_own", 1, &[first]),
        ("atomics_alone", 4, &[first, second]),
        ("atomics_after_plain_reads", 1, &[first]),
        ("warp_atomics_after_plain_reads", 1, &[first]),
        ("declared_the_same_and_kept", 3, &[first]),
        ("declared_lower_and_lowered", 3, &[first]),
        ("barrier_in_an_arm_that_all_take", 1, &[first, Argument::Int(1)]),
        ("barrier_between_two_guards", 1, &[first, Argument::Int(40)]),
        ("half_a_warp_waits_for_itself", 1, &[first]),
        ("lanes_that_returned_are_not_waited_for", 1, &[first]),
        ("written_by_the_launch_before", 1, &[first]),
    ];
    let findings: Vec<String> = cases
        .into_iter()
        .flat_map(|(kernel, blocks, arguments)| findings_of(&device, kernel, blocks, arguments))
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(findings, [""; 0]);
}
