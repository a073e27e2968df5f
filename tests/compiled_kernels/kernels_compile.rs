//! Every kernel file must compile for one architecture of each generation that NVRTC knows. No GPU is needed, but NVRTC is: without it
//! the tests fail.

use rayon::prelude::*;
use repro::device::KernelSource;
use repro::device::cuda::{Nvrtc, find_nvrtc};
use repro::graph::ElementType;
use repro::implementation::{DistanceSigns, Implementation, Parameters, Target, catalogue};
use std::sync::Arc;

fn nvrtc() -> Nvrtc {
    let found = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
    found.unwrap_or_else(|error| crate::common::missing_tool(error))
}

fn sources() -> Vec<KernelSource> {
    let of_implementation = |implementation: &Arc<Implementation>| -> Vec<KernelSource> {
        let in_each = implementation.verified_parameters().flat_map(|parameters| {
            let elements = implementation.capabilities(&parameters).elements;
            let of = |(element, symmetric): (&ElementType, bool)| {
                let target = Target { element: *element, symmetric, ..Target::default() };
                Some(implementation.kernels(target, &parameters)?.source)
            };
            let directed_or_not = elements.iter().flat_map(|element| [(element, false), (element, true)]);
            directed_or_not.filter_map(of).collect::<Vec<_>>()
        });
        let signed = [DistanceSigns::Shifted(8_388_608.0), DistanceSigns::Any]
            .map(|signs| Target { signs, ..Target::default() });
        let of_signed = signed
            .iter()
            .filter_map(|target| Some(implementation.kernels(*target, &Parameters::default())?.source));
        in_each.chain(of_signed).collect()
    };
    let mut sources = vec![KernelSource::LAYOUT, KernelSource::CEILINGS];
    let on_gpus = [ElementType::F32, ElementType::I32, ElementType::U16];
    sources.extend(on_gpus.map(|element| KernelSource::TREES.for_element(element)));
    sources.extend(on_gpus.map(|element| KernelSource::WEIGHTS.for_element(element)));
    repro::distributed::register();
    sources.extend(catalogue().iter().flat_map(of_implementation));
    sources.sort_by_key(|source| (source.file.clone(), source.defines.clone()));
    sources.dedup();
    sources
}

/// What a line of the assembler says that a kernel spills.
fn spill_store_bytes(line: &str) -> Option<u64> {
    line.split_once(" bytes spill stores")?.0.rsplit([' ', ',']).next()?.parse().ok()
}

/// Each thread reads what it wrote itself: a compiler that saw through it would measure `global-memory` instead.
#[test]
fn the_compiler_leaves_the_detour_through_shared_memory() {
    let nvrtc = nvrtc();
    let accesses = |parameters, names: [&str; 5]| {
        let source = crate::common::mutated::source_of("shared-buffer", &parameters);
        let image = nvrtc.compile(&source, "compute_90").unwrap().image;
        let text = String::from_utf8_lossy(&image).into_owned();
        names.map(|instruction| text.matches(instruction).count())
    };
    let found =
        accesses(Parameters::default(), ["ld.global", "st.shared", "bar.sync", "ld.shared", "st.global"]);
    assert_eq!(found, [3, 3, 1, 3, 1]);
    let found = accesses(
        Parameters::from([("barrier", 0)]),
        ["ld.global", "st.volatile.shared", "bar.sync", "ld.volatile.shared", "st.global"],
    );
    assert_eq!(found, [3, 3, 0, 3, 1]);
}

const BROKEN: &str = "extern \"C\" __global__ void f() {\n  oops;\n}\n";

#[test]
fn a_kernel_that_does_not_compile_is_named_with_the_line_and_the_reason() {
    let nvrtc = nvrtc();
    let error = nvrtc.compile(&KernelSource::embedded("broken.cu", BROKEN), "sm_90").unwrap_err();
    assert!(error.message.contains("broken.cu(2)") && error.message.contains("oops"), "{error}");
    assert!(!error.message.contains('\n'));
}

mod long {
    use super::*;

    #[test]
    #[ignore = "long"]
    fn every_kernel_compiles_for_every_generation_without_spilling() {
        let part = crate::common::part();
        let nvrtc = nvrtc();
        // From Turing to Blackwell.
        let generations = [75, 80, 89, 90, 100, 120];
        let known: Vec<i32> =
            generations.into_iter().filter(|one| nvrtc.architectures().contains(one)).collect();
        assert!(!known.is_empty(), "{:?}", nvrtc.architectures());
        sources().par_iter().enumerate().for_each(|(at, source)| {
            let of_part = known.iter().enumerate().filter(|(generation, _)| part.has(at + generation));
            for (_, architecture) in of_part {
                let compiled = nvrtc.compile(source, &format!("sm_{architecture}")).unwrap();
                // Their tiles take nearly all registers. What they spill lies outside of loops, which `repro counts` sees for 9.0.
                let has_tiles = ["register_blocked.cu", "batched.cu"].contains(&&*source.file);
                // Two registers for 12.0 at the deepest stage, on which no run has been measured.
                let stage_of_8 = ("STAGE".to_string(), "8".to_string());
                let is_deepest = *architecture == 120 && source.defines.contains(&stage_of_8);
                let most = if has_tiles { 240 } else { 8 * u64::from(is_deepest) };
                let spills = compiled.log.lines().filter_map(spill_store_bytes).find(|bytes| *bytes > most);
                assert_eq!(spills, None, "{} {:?} for sm_{architecture}", source.file, source.defines);
            }
        });
    }
}
