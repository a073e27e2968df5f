//! One solve on the emulated device, looked at launch by launch: what was checked, what was counted, how many blocks would
//! be resident on which GPU, and what the paper says of it.

mod tables;

use crate::device::cuda::{CompiledCode, CudaDevice, Nvrtc, find_nvrtc};
use crate::device::emulated::{Counts, Finding, Instruments, LaunchCounts, toolchain};
use crate::device::gpus::{BlockResources, MultiprocessorLimits, Occupancy, gpu_at_hand, named_gpus};
use crate::device::{Device, DeviceError};
use crate::graph::ElementType;
use crate::implementation::{self, Implementation, KernelSet, KernelUse, Parameters, Target};
use crate::judge::{StructuralResult, structural_results};
use crate::measure::{EmulatedSolve, Failure, Observer};
use crate::store::Verification;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All launches of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelInspection {
    pub kernel: String,
    /// Threads a block.
    pub threads: u32,
    /// Tasks that its blocks did, those of padding vertices included.
    pub tasks: u64,
    pub counts: Counts,
    pub residency: Vec<GpuOccupancy>,
}

/// How many blocks of a kernel a multiprocessor of a GPU holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuOccupancy {
    pub gpu: String,
    /// Shared memory a block with what that GPU adds, bytes.
    pub shared_bytes: u64,
    /// By shared memory alone. None when the kernel uses none.
    pub by_shared: Option<u64>,
    /// By all limits that are known.
    pub resident: u64,
    /// Registers a thread, where a compiler for this GPU reported them.
    pub registers: Option<u64>,
}

/// Where a kernel from a file comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelOrigin {
    pub file: String,
    /// Its source, in its author's own words.
    pub from: String,
    /// The hash of the file and of all that it names.
    pub hash: String,
}

/// What a solve on the emulated device showed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    pub implementation: String,
    /// None for repro's own implementations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<KernelOrigin>,
    /// The parameters that were set.
    pub parameters: Parameters,
    pub n: usize,
    /// The type of the distances.
    pub element: ElementType,
    /// The C++ compiler that the emulated device uses.
    pub compiler: String,
    /// How the result was verified; None when it is wrong.
    pub verification: Option<Verification>,
    /// What is wrong with the result.
    pub wrong: Option<String>,
    /// What the checker found.
    pub findings: Vec<Finding>,
    pub kernels: Vec<KernelInspection>,
    /// Why no registers are known for the H200, so that its resident blocks are an upper bound. None when they are known.
    pub h200_registers_unknown: Option<String>,
    pub total: Counts,
    pub launches: Vec<LaunchCounts>,
    pub claims: Vec<StructuralResult>,
}

/// Solves a dense random graph of `n` vertices on the emulated device, which checks and counts.
///
/// # Errors
/// When the implementation is not for a device, there is no C++ compiler, or there is not enough memory.
pub fn inspect(
    implementation: &Implementation,
    parameters: &Parameters,
    n: usize,
    observer: &mut dyn Observer,
) -> Result<Inspection, Failure> {
    let target = Target { element: implementation.usual_element(), ..Target::default() };
    let set = implementation.launched_kernels(target, parameters).ok_or_else(|| {
        let others = with_kernels().join(", ");
        let problem = match implementation.needs_device() {
            true => "is no list of launches, and there is nothing to inspect",
            false => "runs on the CPU and has no kernels to inspect",
        };
        DeviceError::other(format!("{} {problem}: choose one of {others}", implementation.name))
    })?;
    observer.progress(&format!("{}, n = {n}", implementation.name), 0, 1, None);
    let solved = EmulatedSolve::run(implementation, parameters, n, Instruments::ALL)?;
    let (gpus, h200_registers_unknown) = gpus_with_registers(&set);
    let inspected = |used: &KernelUse| {
        let (counts, tasks) = solved.of_kernel(used.name)?;
        let on = |(registers, gpu): &(Registers, MultiprocessorLimits)| {
            residency_on(gpu, registers, used, &counts)
        };
        let (kernel, threads) = (used.name.to_string(), used.threads);
        let residency = gpus.iter().map(on).collect();
        Some(KernelInspection { kernel, threads, tasks: tasks?, counts, residency })
    };
    let kernels = set.uses.iter().filter_map(inspected).collect();
    let counts = |name: &str, kernel: &str| {
        if name == implementation.name {
            return solved.of_kernel(kernel);
        }
        // What the launches of another implementation do, to compare with.
        let (other, parameters) = (implementation::find(name)?, Parameters::default());
        EmulatedSolve::run(&other, &parameters, n, Instruments::COUNT).ok()?.of_kernel(kernel)
    };
    let claims = || structural_results(&implementation.name, counts);
    let given = implementation.given.as_ref().map(|given| KernelOrigin {
        file: given.file.clone(),
        from: implementation.source.to_string(),
        hash: given.hash(),
    });
    Ok(Inspection {
        implementation: implementation.name.to_string(),
        given,
        parameters: parameters.clone(),
        n,
        element: implementation.usual_element(),
        kernels,
        h200_registers_unknown,
        total: solved.counts(|_| true).unwrap_or_default(),
        // What papers state holds for the default parameters.
        claims: if parameters.is_empty() { claims() } else { Vec::new() },
        verification: solved.result.as_ref().ok().map(|right| right.verification),
        wrong: solved.result.err().map(|failure| failure.message),
        compiler: toolchain()?.version().to_string(),
        findings: solved.findings,
        launches: solved.launches,
    })
}

/// Names of the implementations that have kernels.
pub fn with_kernels() -> Vec<String> {
    let all = implementation::catalogue();
    let are_launched = |one: &&Arc<Implementation>| one.capabilities(&Parameters::default()).is_launch_list;
    all.iter().filter(are_launched).map(|one| one.name.to_string()).collect()
}

/// Registers a thread of kernels on one GPU, by their names, as far as they are known.
type Registers = BTreeMap<String, u64>;

/// The named GPUs and that of this machine, with registers as a compiler for the H200 and this machine's driver report them; and why no
/// compiler does for the H200.
fn gpus_with_registers(set: &KernelSet) -> (Vec<(Registers, MultiprocessorLimits)>, Option<String>) {
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
    let compiled = nvrtc.and_then(|nvrtc| nvrtc.compile(&set.source, "sm_90"));
    let builds = compiled.as_ref().map(CompiledCode::builds).unwrap_or_default();
    let of_h200: Registers = builds.into_iter().map(|(kernel, build)| (kernel, build.registers)).collect();
    let registers =
        |gpu: &MultiprocessorLimits| if gpu.name == "H200" { of_h200.clone() } else { Registers::new() };
    let named = named_gpus().into_iter().map(|gpu| (registers(&gpu), gpu));
    let all = named.chain(gpu_of_this_machine(set)).collect();
    (all, compiled.err().map(|error| error.message))
}

/// The GPU of this machine, with registers as its driver reports them.
fn gpu_of_this_machine(set: &KernelSet) -> Result<(Registers, MultiprocessorLimits), DeviceError> {
    let device = CudaDevice::open(0)?;
    let kernels = device.load(&set.source, &set.names())?;
    let registers = kernels.iter().zip(&set.uses).map(|(kernel, used)| {
        let resources = device.resources(kernel, used.threads, used.dynamic_shared_bytes)?;
        Ok((resources.kernel, u64::from(resources.registers)))
    });
    Ok((registers.collect::<Result<_, DeviceError>>()?, gpu_at_hand(device.info())))
}

/// How many blocks of a kernel with these counts a GPU holds.
fn residency_on(
    gpu: &MultiprocessorLimits,
    registers: &Registers,
    used: &KernelUse,
    counts: &Counts,
) -> GpuOccupancy {
    let registers = registers.get(used.name).copied();
    let shared_bytes = counts.shared_bytes + counts.dynamic_shared_bytes;
    let needs = BlockResources { threads: u64::from(used.threads), shared_bytes, registers };
    let Occupancy { by_shared, resident } = gpu.residency(needs);
    GpuOccupancy {
        gpu: gpu.name.clone(),
        shared_bytes: if shared_bytes == 0 { 0 } else { shared_bytes + gpu.beside_bytes },
        by_shared,
        resident,
        registers,
    }
}
