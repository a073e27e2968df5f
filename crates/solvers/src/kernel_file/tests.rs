//! Laws of the files of `kernels/`.

use super::*;
use crate::{Problem, Target, find};
use repro_device::Device;
use repro_device::emulated::{EmulatedDevice, Instruments};
use repro_graph::WeightRange;

const WEIGHTS: WeightRange =
    WeightRange { largest: 1.0, negative: false, complete: false, grain: 1.0, symmetric: false };

#[test]
fn every_file_describes_what_its_numbers_allow_in_a_script_of_thirty_lines() {
    for (file, text) in embedded_files().filter(|(file, _)| file.ends_with(".toml")) {
        let table: KernelTable = toml::from_str(text).unwrap();
        let source = table.source.as_ref().unwrap().get_ref();
        // As if somebody else had written it, so that all of it is tried out.
        let given = ImplementationFile {
            file: file.to_string(),
            folder: "/".into(),
            name: table.name.0.clone(),
            text: text.to_string(),
            sources: vec![(source.clone(), String::new())],
            cubin: None,
        };
        let known = implementation(&given).unwrap_or_else(|error| panic!("{error}"));
        for parameters in &known.verified_with {
            assert_eq!(known.check(parameters), Ok(()), "{file}");
        }
        let lines = table.solve.script.get_ref().lines().count();
        assert!(lines <= 30, "{file}: {lines} lines of script");
    }
}

#[test]
fn every_tile_is_relaxed_through_every_other_once() {
    let known = find("generalized-blocked").unwrap();
    for (tiles, kappa) in (1..12).flat_map(|tiles| (1..=tiles).map(move |kappa| (tiles, kappa))) {
        for spread in [0, 1] {
            let parameters = Parameters::from([("kappa", kappa), ("tile", 16), ("spread-lead", spread)]);
            let model = known.solver.model(tiles as usize * 16, &parameters);
            let tasks: u64 = model.iter().map(|kernel| kernel.tasks).sum();
            assert_eq!(tasks, (u64::from(tiles) * 16).pow(3), "{tiles} tiles, kappa {kappa}");
        }
    }
    let (two_phase, parameters) = (find("two-phase").unwrap(), Parameters::default());
    let tasks: u64 = two_phase.solver.model(100, &parameters).iter().map(|kernel| kernel.tasks).sum();
    assert_eq!(tasks, 128 * 128 * 128);
}

#[test]
fn padding_is_what_the_kernel_of_rest_tiles_is_launched_with_up_to_what_a_block_may_have() {
    let device = EmulatedDevice::open(Instruments::NONE).unwrap();
    let load = |name: &str, padding: u32, element| {
        let target = Target::on(device.info(), element);
        let set = find(name).unwrap().kernels(target, &Parameters::from([("padding-kib", padding)])).unwrap();
        assert_eq!(set.uses.last().unwrap().dynamic_shared_bytes, padding << 10);
        set.load(&device, element).map(drop).map_err(|error| error.message)
    };
    for (name, most) in [("katz-kider", 215), ("tile-in-registers", 219), ("staged-load", 226)] {
        assert_eq!(load(name, most, ElementType::F32), Ok(()), "{name}");
        let refused = load(name, most + 1, ElementType::F32).unwrap_err();
        assert!(refused.contains("a block of doubly_dependent asks for"), "{refused}");
    }
    assert_eq!(
        load("katz-kider", 216, ElementType::F32).unwrap_err(),
        "a block of doubly_dependent asks for 221184 bytes of shared memory in addition to the 12288 that it declares, and emulated CUDA \
         device has room for 220160: choose parameters by which it asks for less"
    );
    assert_eq!(load("katz-kider", 221, ElementType::U16), Ok(()));
}

#[test]
fn what_papers_state_follows_the_parameters() {
    let of = |name: &str, parameters: &[(&str, u32)]| {
        let set =
            find(name).unwrap().kernels(Target::default(), &parameters.iter().copied().collect()).unwrap();
        set.uses[2].paper.map(|paper| (paper.shared_bytes, paper.resident_blocks, paper.threads))
    };
    assert_eq!(of("katz-kider", &[]), Some((12_320, 1, 256)));
    assert_eq!(of("katz-kider-1024", &[("tile-place", 0)]), Some((8_224, 1, 1024)));
    assert_eq!(of("katz-kider-1024", &[("tile", 16)]), None);
    assert_eq!(of("staged-load", &[]), Some((1_056, 15, 64)));
}

#[test]
fn a_solve_takes_the_matrix_and_what_its_layout_adds() {
    let bytes = |name: &str, n| {
        let problem = Problem::one(n, ElementType::F32, WEIGHTS);
        find(name).unwrap().solver.cost(&problem, &Parameters::default()).bytes
    };
    assert_eq!([64, 65].map(|n| bytes("katz-kider", n)), [4 * 64 * 64, 4 * (65 * 65 + 96 * 96)]);
    assert_eq!(bytes("harish-narayanan", 65), 4 * 65 * 65);
    assert_eq!(bytes("cpu-generalized-blocked", 100), 4 * 128 * 128);
}
