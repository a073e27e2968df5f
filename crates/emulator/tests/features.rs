//! One kernel for each feature of CUDA C++: it runs with the results of a GPU, or is refused by name, as NVRTC refuses it.
//! `docs/emulated-features.md` has what they show. What is counted of some is beside what the hardware counts.

use crate::common::{
    Case, Outcome, cases, digest, emulator, expected, groups, is_of_part, run, source_of, tests,
};
use repro_emulator::{
    ArgumentValue, Counts, Emulator, EmulatorError, Instruments, Launch, PackedArguments, Source,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Runs every kernel that is not to be refused.
fn run_all(
    cases: &[Case],
    instruments: Instruments,
    mut ended: impl FnMut(&Emulator, &Case, Result<Outcome, EmulatorError>),
) {
    for group in groups(cases, 30) {
        let device = emulator(instruments, 0);
        let names: Vec<&str> = group.iter().map(|case| case.kernel.as_str()).collect();
        let kernels = device.load(&source_of(&group), &names).unwrap_or_else(|error| panic!("{error}"));
        for (kernel, case) in kernels.iter().zip(&group) {
            ended(&device, case, run(&device, kernel, case));
        }
    }
}

/// What comes of every kernel that is not to be refused.
fn outcomes(cases: &[Case], instruments: Instruments) -> BTreeMap<String, Result<String, String>> {
    let mut all = BTreeMap::new();
    run_all(cases, instruments, |_, case, ended| {
        let outcome = match ended {
            Err(error) => Err(error.to_string()),
            Ok(Outcome { findings, .. }) if !findings.is_empty() => Err(findings[0].to_string()),
            Ok(Outcome { output, .. }) => Ok(digest(&output)),
        };
        if std::env::var_os("WRITE_OUTPUTS").is_some() {
            eprintln!("{} {outcome:?}", case.name);
        }
        all.insert(case.name.clone(), outcome);
    });
    all
}

fn compare<const N: usize>(instruments: [Instruments; N], chosen: impl Fn(&Case) -> bool) {
    let expected = expected("features");
    let cases: Vec<Case> = cases("features").into_iter().filter(chosen).collect();
    let mut wrong = Vec::new();
    let all = instruments.map(|instruments| outcomes(&cases, instruments));
    for (name, outcome) in all.into_iter().flatten() {
        match (outcome, expected.get(&name)) {
            (Err(words), _) => wrong.push(format!("{name}: {words}")),
            (Ok(_), None) => wrong.push(format!("{name}: no GPU has run it")),
            (Ok(found), Some(gpu)) if found != *gpu => {
                wrong.push(format!("{name}: {found}, and {gpu} on a GPU"))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn features_of_a_part_of_all_run_with_the_results_of_a_gpu() {
    compare([Instruments::CHECK], is_of_part);
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_feature_runs_with_the_results_of_a_gpu_however_it_is_watched() {
        compare([Instruments::CHECK, Instruments::BOUNDS, Instruments::NONE, Instruments::ALL], |_| true);
    }
}

#[test]
fn what_nvrtc_refuses_is_refused_by_name() {
    for case in cases("features").iter().filter(|case| case.refused.is_some()) {
        let device = emulator(Instruments::CHECK, 0);
        let error = device.load(&source_of(&[case]), &[&case.kernel]).err().map(|error| error.to_string());
        let words = case.refused.as_deref().unwrap();
        assert!(error.as_ref().is_some_and(|error| error.contains(words)), "{}: {error:?}", case.name);
    }
}

/// NVRTC refuses these, and nvcc or an older compiler took them.
#[test]
fn what_other_compilers_of_cuda_take_is_taken() {
    let device = emulator(Instruments::CHECK, 0);
    for text in [
        "extern \"C\"__global__ void k(int *to) { *to = 1; } extern \"C\"__device__ int f() { return 1; }",
        "__global__ void a(int *to) { extern __shared__ int tile[]; *to = tile[0]; }
         extern \"C\" __global__ void k(float *to) { extern __shared__ float tile[]; *to = tile[0]; }",
    ] {
        if let Err(error) = device.load(&Source::new("k.cu", text), &["k"]) {
            panic!("{text}: {error}");
        }
    }
}

#[test]
fn the_page_names_only_code_of_kernels_and_all_headers() {
    let page = std::fs::read_to_string(tests().join("../../../docs/emulated-features.md")).unwrap();
    let cases = cases("features");
    let rows = page.lines().filter(|line| line.starts_with('|'));
    let named: BTreeSet<&str> = rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    assert!(named.len() > 50, "{named:?}");
    // `*` stands for any end of a name.
    for code in &named {
        let is_in = |case: &Case| code.split('*').all(|part| case.text.contains(part));
        assert!(cases.iter().any(is_in), "docs/emulated-features.md: no kernel has {code}");
    }
    for header in cases.iter().filter_map(|case| case.needs.as_deref()) {
        assert!(named.contains(header), "docs/emulated-features.md has no {header}");
    }
}

/// What is counted of kernels that do what newer GPUs brought, beside Nsight Compute's counters on an H200, as
/// `scripts/nsight-features` reads them: kernel, counter, what was counted here, what the hardware counted.
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

/// What is counted of each of these kernels.
fn counted(names: &[&str]) -> BTreeMap<String, Counts> {
    let chosen: Vec<Case> =
        cases("features").into_iter().filter(|case| names.contains(&case.name.as_str())).collect();
    let mut all = BTreeMap::new();
    run_all(&chosen, Instruments::COUNT, |device, case, ended| {
        ended.unwrap_or_else(|error| panic!("{error}"));
        all.insert(case.name.clone(), device.take_counts()[0].counts);
    });
    all
}

#[test]
fn counts_of_new_kinds_are_those_that_were_compared_with_an_h200() {
    let file = tests().join(FILE);
    // What ncu counted, to be compared anew; otherwise what was compared.
    let given = std::env::var_os("NSIGHT_COUNTERS");
    let text =
        std::fs::read_to_string(given.as_deref().map_or(file.as_path(), std::path::Path::new)).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let names: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let counts = counted(&names);
    let mut made = String::from("kernel,counter,emulated,nsight\n");
    for row in &rows {
        let Some(ours) = figure(row[1], &counts[row[0]]) else { continue };
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
    // Launches, blocks, threads and barriers; operations of warps, atomics, and bytes of shared memory, of its own and dynamic.
    let rows = [
        ("two_dim", [1, 4, 256, 4], [0, 0, 288, 0]),
        ("extern_shared", [1, 2, 128, 2], [0, 0, 0, 768]),
        ("sync_count", [1, 2, 192, 4], [0, 0, 0, 0]),
        ("volatile_shared", [1, 2, 128, 0], [4 * 11, 0, 256, 0]),
        ("shfl", [1, 2, 128, 0], [4 * 7, 0, 0, 0]),
        ("ballot_half", [1, 2, 128, 0], [4 * 4, 0, 0, 0]),
        ("atomicMin_i", [1, 2, 128, 0], [0, 4 * 6, 0, 0]),
    ];
    let all = counted(&rows.map(|(name, ..)| name));
    for (name, launched, done) in rows {
        let it = &all[name];
        assert_eq!([it.launches, it.blocks, it.threads, it.barriers], launched, "{name}");
        let found = [it.warp_operations, it.atomics, it.shared_bytes, it.dynamic_shared_bytes];
        assert_eq!(found, done, "{name}");
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
    let names: Vec<String> = (0..forms.len()).map(|at| format!("form_{at}")).collect();
    let kernel = |(name, form)| {
        format!(
            "extern \"C\" __global__ void {name}(float4 *to, float a) {{ int i = threadIdx.x; {form}; }}\n"
        )
    };
    let kernels: String = names.iter().zip(forms).map(kernel).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let device = emulator(Instruments::COUNT, 0);
    let data = device.allocate(2048).unwrap();
    for (kernel, form) in device.load(&Source::new("forms.cu", kernels), &names).unwrap().iter().zip(forms) {
        let arguments = PackedArguments::new(&[ArgumentValue::Memory(&data), ArgumentValue::Float(5.0)]);
        // SAFETY: 64 vectors of 16 bytes fit into the buffer.
        unsafe { device.stream().launch(kernel, Launch::new((1, 1, 1), (32, 1, 1)), &arguments).unwrap() };
        let stores = device.take_counts()[0].counts.global_store;
        assert_eq!((stores.requests, stores.bytes), (1, 512), "{form}");
    }
}
