//! One solve on the emulated device, looked at launch by launch: what was checked, what was counted, how many blocks would
//! be resident on which GPU, and what the paper says of it.

mod tables;

use crate::device::cuda::{Compiled, CudaDevice, Nvrtc, find_nvrtc};
use crate::device::emulated::{Counts, Finding, Instruments, LaunchCounts};
use crate::device::gpus::{BlockNeeds, Gpu, Residency, gpu_at_hand, named_gpus};
use crate::device::{Device, DeviceError};
use crate::graph::ElementType;
use crate::implementation::{self, Implementation, KernelSet, KernelUse, Parameters, Target};
use crate::judge::{StructuralResult, structural_results};
use crate::measure::{EmulatedSolve, Failure, Observer, complete_graph};
use crate::store::Verification;
use serde::Serialize;
pub use tables::InspectionView;

/// All launches of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelInspection {
    pub kernel: String,
    /// Threads a block.
    pub threads: u32,
    /// Tasks that its blocks did, those of padding vertices included.
    pub tasks: u64,
    pub counts: Counts,
    pub residency: Vec<ResidencyOn>,
}

/// How many blocks of a kernel a multiprocessor of a GPU holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResidencyOn {
    pub gpu: String,
    /// Shared memory a block with what that GPU adds, bytes.
    pub shared_bytes: u64,
    /// By shared memory alone. None when the kernel uses none.
    pub by_shared: Option<u64>,
    /// By everything that is known.
    pub resident: u64,
    /// Registers a thread, where a compiler for this GPU reported them.
    pub registers: Option<u64>,
}

/// Where a kernel from a file comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelOrigin {
    pub file: String,
    /// By its author's own words.
    pub from: String,
    /// Over the file and all that it names.
    pub hash: String,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    pub implementation: String,
    /// None of repro's own implementations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<KernelOrigin>,
    /// Those that were set.
    pub parameters: Parameters,
    pub n: usize,
    /// The type of the distances.
    pub element: ElementType,
    /// The C++ compiler behind the emulated device.
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

/// Solves a dense random graph of `n` vertices twice on the emulated device, once to check and once to count.
///
/// # Errors
/// When the implementation is not for a device, there is no C++ compiler, or there is not enough memory.
pub fn inspect(
    implementation: &Implementation,
    parameters: &Parameters,
    n: usize,
    observer: &mut dyn Observer,
) -> Result<Inspection, Failure> {
    let set = launched_kernels(implementation, parameters)?;
    implementation
        .check(parameters)
        .and_then(|()| implementation.fits(n, parameters))
        .map_err(DeviceError::other)?;
    let mut graph = complete_graph(implementation, n)?;
    observer.progress(&format!("{}, n = {n}: checking", implementation.name), 0, 2, None);
    let checked = EmulatedSolve::run(implementation, parameters, &mut graph, Instruments::CHECK)?;
    let verified = graph.verify();
    observer.progress(&format!("{}, n = {n}: counting", implementation.name), 1, 2, None);
    let counted = EmulatedSolve::run(implementation, parameters, &mut graph, Instruments::COUNT)?;
    let (verification, wrong) = match verified.and_then(|_| graph.verify()) {
        Ok(right) => (Some(right.verification), None),
        Err(failure) => (None, Some(failure.message)),
    };
    let registers = Registers::find(&set);
    let counts = |kernel: &str| counted.of_kernel(implementation, parameters, graph.problem(), kernel);
    let inspected = |used: &KernelUse| {
        let (counts, tasks) = counts(used.name)?;
        let residency = registers.residencies(used, &counts);
        let (kernel, threads) = (used.name.to_string(), used.threads);
        Some(KernelInspection { kernel, threads, tasks: tasks?, counts, residency })
    };
    let kernels = set.uses.iter().filter_map(inspected).collect();
    let claims = structural_results(&implementation.name, |name, kernel| {
        if name == implementation.name {
            return counts(kernel);
        }
        // What the launches of another implementation do, to compare with.
        let (other, parameters) = (implementation::find(name)?, Parameters::default());
        launched_kernels(&other, &parameters).ok()?;
        let mut graph = complete_graph(&other, n).ok()?;
        let counted = EmulatedSolve::run(&other, &parameters, &mut graph, Instruments::COUNT).ok()?;
        counted.of_kernel(&other, &parameters, graph.problem(), kernel)
    });
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
        compiler: checked.compiler,
        verification,
        wrong,
        findings: checked.findings,
        kernels,
        h200_registers_unknown: registers.h200_log.err().map(|error| error.message),
        total: counted.total(),
        launches: counted.launches,
        // What papers say, they say of the defaults.
        claims: if *parameters == Parameters::default() { claims } else { Vec::new() },
    })
}

/// Names of the implementations that have kernels.
pub fn with_kernels() -> Vec<String> {
    let all = implementation::catalogue();
    all.iter()
        .filter(|one| one.capabilities(&Parameters::default()).is_launch_list)
        .map(|one| one.name.to_string())
        .collect()
}

/// What an implementation launches on the reference runs' GPU, with the usual type of distances.
///
/// # Errors
/// When it has no launches to look at.
fn launched_kernels(
    implementation: &Implementation,
    parameters: &Parameters,
) -> Result<KernelSet, DeviceError> {
    let problem = match implementation.needs_device() {
        true => "is no schedule of launches, and there is nothing to inspect",
        false => "runs on the CPU and has no kernels to inspect",
    };
    let target = Target { element: implementation.usual_element(), ..Target::default() };
    let is_list = implementation.capabilities(parameters).is_launch_list;
    let set = implementation.kernels(target, parameters).filter(|_| is_list);
    set.ok_or_else(|| {
        let others = with_kernels().join(", ");
        DeviceError::other(format!("{} {problem}: choose one of {others}", implementation.name))
    })
}

/// Registers a thread of each kernel, as far as a compiler or a driver is here to report them.
struct Registers {
    /// What NVRTC says when it compiles for compute capability 9.0.
    h200_log: Result<Compiled, DeviceError>,
    at_hand: Option<(Gpu, Vec<(String, u64)>)>,
}

impl Registers {
    fn find(set: &KernelSet) -> Self {
        let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
        let h200_log = nvrtc.and_then(|nvrtc| nvrtc.compile(&set.source, "sm_90"));
        Self { h200_log, at_hand: Self::at_hand(set).ok() }
    }

    fn at_hand(set: &KernelSet) -> Result<(Gpu, Vec<(String, u64)>), DeviceError> {
        let device = CudaDevice::open(0)?;
        let kernels = device.load(&set.source, &set.names())?;
        let registers = |(kernel, used): (&_, &KernelUse)| {
            let resources = device.resources(kernel, used.threads, used.dynamic_shared_bytes)?;
            Ok((resources.kernel, u64::from(resources.registers)))
        };
        let registers = kernels.iter().zip(&set.uses).map(registers).collect::<Result<_, DeviceError>>()?;
        Ok((gpu_at_hand(device.info()), registers))
    }

    /// How many blocks of a kernel with these counts the named GPUs and that of this machine hold.
    fn residencies(&self, used: &KernelUse, counts: &Counts) -> Vec<ResidencyOn> {
        let shared_bytes = counts.shared_bytes + counts.dynamic_shared_bytes;
        let on = |gpu: &Gpu, registers: Option<u64>| {
            let needs = BlockNeeds { threads: u64::from(used.threads), shared_bytes, registers };
            let Residency { by_shared, resident } = gpu.residency(needs);
            ResidencyOn {
                gpu: gpu.name.clone(),
                shared_bytes: if shared_bytes == 0 { 0 } else { shared_bytes + gpu.beside_bytes },
                by_shared,
                resident,
                registers,
            }
        };
        let h200 = self.h200_log.as_ref().ok().and_then(|log| log.registers(used.name));
        let named = |gpu: &Gpu| on(gpu, h200.filter(|_| gpu.name == "H200"));
        let mut all: Vec<ResidencyOn> = named_gpus().iter().map(named).collect();
        all.extend(self.at_hand.as_ref().map(|(gpu, registers)| {
            let of_kernel = registers.iter().find(|(name, _)| name == used.name);
            on(gpu, of_kernel.map(|(_, registers)| *registers))
        }));
        all
    }
}
