//! What the emulator counts of kernels that do what newer GPUs brought, beside Nsight Compute's counters on an H200, as
//! `scripts/nsight-features` reads them.

use crate::common::{Case, cases, emulator, groups, run, source_of, tests};
use repro_emulator::{ArgumentValue, Counts, Instruments, Launch, PackedArguments, Source};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The committed comparison: kernel, counter, what was counted here, what the hardware counted.
const FILE: &str = "../../../results/nsight/h200-features.csv";

/// What is counted here for a counter of the hardware.
fn figure(counter: &str, counts: &Counts) -> Option<u64> {
    Some(match counter {
        "smsp__sass_data_bytes_mem_global_op_ld.sum" => counts.global_load.distinct_bytes,
        "smsp__sass_data_bytes_mem_global_op_st.sum" => counts.global_store.distinct_bytes,
        "smsp__sass_inst_executed_op_global_ld.sum" => counts.global_load.requests,
        "smsp__sass_inst_executed_op_global_st.sum" => counts.global_store.requests,
        "smsp__sass_data_bytes_mem_shared_op_ld.sum" => counts.shared_load.distinct_bytes,
        "smsp__sass_data_bytes_mem_shared_op_st.sum" => counts.shared_store.distinct_bytes,
        "smsp__sass_inst_executed_op_shared_ld.sum" => counts.shared_load.requests,
        "smsp__sass_inst_executed_op_shared_st.sum" => counts.shared_store.requests,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum" => counts.shared_load.banks_32.steps,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum" => counts.shared_store.banks_32.steps,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" => counts.global_load.sectors,
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum" => counts.global_store.sectors,
        "smsp__sass_data_bytes_mem_global_op_ldgsts.sum" => counts.async_copies.bytes,
        "l1tex__m_xbar2l1tex_read_bytes_mem_global_op_tma_ld.sum" => counts.bulk_copies.loaded_bytes,
        "l1tex__m_l1tex2xbar_write_bytes_mem_global_op_tma_st.sum" => counts.bulk_copies.stored_bytes,
        "smsp__sass_inst_executed_op_tma_ld.sum" => counts.bulk_copies.loads,
        "smsp__sass_inst_executed_op_tma_st.sum" => counts.bulk_copies.stores,
        "smsp__sass_inst_executed_op_dshared_ld.sum" => counts.remote_shared.loads,
        "smsp__sass_inst_executed_op_dshared_st.sum" => counts.remote_shared.stores,
        _ => return None,
    })
}

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().skip(1).map(|line| line.split(',').map(String::from).collect()).collect()
}

/// What is counted of each of these kernels.
fn counted(names: &[&str]) -> BTreeMap<String, Counts> {
    let chosen: Vec<Case> =
        cases("features").into_iter().filter(|case| names.contains(&case.name.as_str())).collect();
    let mut all = BTreeMap::new();
    for group in groups(&chosen, 30) {
        let device = emulator(Instruments::COUNT, 0);
        let kernels: Vec<&str> = group.iter().map(|case| case.kernel.as_str()).collect();
        let kernels = device.load(&source_of(&group), &kernels).unwrap_or_else(|error| panic!("{error}"));
        for (kernel, case) in kernels.iter().zip(group) {
            run(&device, kernel, case).unwrap_or_else(|error| panic!("{error}"));
            all.insert(case.name.clone(), device.take_counts()[0].counts);
        }
    }
    all
}

#[test]
fn counts_of_new_kinds_are_those_that_were_compared_with_an_h200() {
    let file = tests().join(FILE);
    // What ncu counted, to be compared anew; otherwise what was compared.
    let given = std::env::var_os("NSIGHT_COUNTERS");
    let text =
        std::fs::read_to_string(given.as_deref().map_or(file.as_path(), std::path::Path::new)).unwrap();
    let rows = rows(&text);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    let counts = counted(&names);
    let mut made = String::from("kernel,counter,emulated,nsight\n");
    for row in &rows {
        let Some(ours) = figure(&row[1], &counts[&row[0]]) else { continue };
        let theirs: u64 = row.last().unwrap().parse().unwrap();
        if ours > 0 || theirs > 0 {
            let _ = writeln!(made, "{},{},{ours},{theirs}", row[0], row[1]);
        }
    }
    if given.is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    assert_eq!(made, std::fs::read_to_string(&file).unwrap());
}

#[test]
fn threads_barriers_operations_of_warps_and_shared_memory_are_counted() {
    let rows = [
        ("two_dim", [1, 4, 256, 4, 0, 0, 288, 0]),
        ("extern_shared", [1, 2, 128, 2, 0, 0, 0, 768]),
        ("sync_count", [1, 2, 192, 4, 0, 0, 0, 0]),
        ("volatile_shared", [1, 2, 128, 0, 4 * 11, 0, 256, 0]),
        ("shfl", [1, 2, 128, 0, 4 * 7, 0, 0, 0]),
        ("ballot_half", [1, 2, 128, 0, 4 * 4, 0, 0, 0]),
        ("atomicMin_i", [1, 2, 128, 0, 0, 4 * 6, 0, 0]),
    ];
    let all = counted(&rows.map(|(name, _)| name));
    for (name, expected) in rows {
        let it = &all[name];
        let (operations, shared) =
            ([it.warp_operations, it.atomics], [it.shared_bytes, it.dynamic_shared_bytes]);
        let found = [
            it.launches,
            it.blocks,
            it.threads,
            it.barriers,
            operations[0],
            operations[1],
            shared[0],
            shared[1],
        ];
        assert_eq!(
            found, expected,
            "{name}: launches, blocks, threads, barriers, operations, atomics, shared memory"
        );
    }
    assert_eq!(all["atomicMin_i"].global_store.bytes, 0);
}

#[test]
fn a_vector_is_stored_by_one_instruction_however_it_is_written() {
    let forms = [
        "to[i] = {a, 1.0f}",
        "to[i] = float4{a, 1.0f, a, 2.0f}",
        "*(to + i) = float4{}",
        "to[i] = make_float4(0.0f, 0.0f, 0.0f, 0.0f)",
        "to[i] = make_float4(a, a, a, a)",
        "to[i] = i < 40 ? make_float4(1.0f, 2.0f, 3.0f, 4.0f) : to[0]",
        "float4 four = to[i]; four.y += a; to[i] = four",
    ];
    let named = |at: usize| format!("form_{at}");
    let kernels: Vec<String> = forms
        .iter()
        .enumerate()
        .map(|(at, form)| {
            let parameters = format!("{}(float4 *to, float a)", named(at));
            format!("extern \"C\" __global__ void {parameters} {{ int i = threadIdx.x; {form}; }}\n")
        })
        .collect();
    let names: Vec<String> = (0..forms.len()).map(named).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let device = emulator(Instruments::COUNT, 0);
    let data = device.allocate(2048).unwrap();
    for (kernel, form) in
        device.load(&Source::new("forms.cu", kernels.concat()), &names).unwrap().iter().zip(forms)
    {
        let arguments = PackedArguments::new(&[ArgumentValue::Memory(&data), ArgumentValue::Float(5.0)]);
        // SAFETY: 64 vectors of 16 bytes fit into the buffer.
        unsafe { device.stream().launch(kernel, Launch::new((1, 1, 1), (32, 1, 1)), &arguments).unwrap() };
        let stores = device.take_counts()[0].counts.global_store;
        assert_eq!((stores.requests, stores.bytes), (1, 512), "{form}");
    }
}
