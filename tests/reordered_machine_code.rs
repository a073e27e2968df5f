//! The pass over the machine code of `register-blocked`: what it gains by the model of an H200, and that its check finds what is planted. The
//! tests need NVRTC and a disassembler.

use repro::device::KernelSource;
use repro::device::cuda::{Disassembler, Nvrtc, find_nvrtc, reordered};
use repro::graph::ElementType;
use repro::implementation::{Parameters, Signs, Target, find};
use repro_machine_code::Kernel;
use repro_machine_code::reorder::check;

fn source(element: ElementType, signs: Signs) -> KernelSource {
    let implementation = find("register-blocked").unwrap();
    let target = Target { element, signs, ..Target::default() };
    implementation.schedule().unwrap().source(target, &Parameters::default())
}

fn compiled(source: &KernelSource) -> Vec<u8> {
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
    nvrtc
        .unwrap_or_else(|error| panic!("{error}; scripts/fetch-nvrtc gets it"))
        .compile(source, "sm_90")
        .unwrap()
        .image
}

fn kernels(image: &[u8]) -> Vec<Kernel> {
    Disassembler::find().unwrap().kernels("register_blocked.cu", image).unwrap()
}

fn named<'a>(kernels: &'a [Kernel], name: &str) -> &'a Kernel {
    kernels.iter().find(|kernel| kernel.name == name).unwrap()
}

/// Clocks for two tasks with as many warps a scheduler as two blocks of 128 threads have.
fn clocks(kernels: &[Kernel], name: &str) -> f64 {
    let estimate = named(kernels, name).task_loop().unwrap().estimate(2).unwrap();
    estimate.of_two_tasks(estimate.clocks)
}

#[test]
fn loops_in_another_order_take_hardly_more_than_their_issue_slots_by_the_model() {
    use ElementType::{F32, I32, U16};
    // For large tiles and for small ones, which wait for shared memory; of 16 bits an instruction does two tasks.
    for (element, signs, most) in [
        (F32, Signs::Positive, [3.3, 3.9]),
        (F32, Signs::Shifted(8_388_608.0), [3.3, 3.9]),
        (I32, Signs::Positive, [3.2, 4.1]),
        (U16, Signs::Positive, [1.75, 2.45]),
    ] {
        let before = compiled(&source(element, signs));
        let after = kernels(&reordered("register_blocked.cu", &before).unwrap());
        let before = kernels(&before);
        for (name, most) in ["solve_tiles_of_128", "solve_tiles_of_64"].into_iter().zip(most) {
            let (was, is) = (clocks(&before, name), clocks(&after, name));
            assert!(is < most && is < 1.02 * was, "{name}, {element}, {signs:?}: {was} before, {is} after");
        }
    }
}

/// Finds the instructions of a kernel's task loop in the compiled file.
fn place_of_loop(image: &[u8], name: &str) -> std::ops::Range<usize> {
    let kernel = kernels(image);
    let found = named(&kernel, name).task_loop().unwrap();
    let additions =
        |code: &[u8]| code.chunks_exact(16).filter(|code| code[0] == 0x21 && code[1] == 0x72).count();
    let length = found.instructions.len() * 16;
    // The window of that many instructions that ends with the loop's jump and has most additions.
    let last = (0..image.len() - length)
        .step_by(16)
        .max_by_key(|start| additions(&image[*start..start + length]))
        .unwrap();
    last..last + length
}

#[test]
fn what_is_planted_in_reordered_code_is_found() {
    let image = compiled(&source(ElementType::F32, Signs::Positive));
    let before = kernels(&image);
    let good = reordered("register_blocked.cu", &image).unwrap();
    let name = "solve_tiles_of_128";
    let place = place_of_loop(&good, name);
    let found = |change: &dyn Fn(&mut [u8]) -> bool, skip: usize| {
        let mut image = good.clone();
        let codes = image[place.clone()].chunks_exact_mut(16).skip(skip);
        let changed = codes.into_iter().any(change);
        assert!(changed);
        let after = kernels(&image);
        check(named(&before, name), named(&after, name)).unwrap_err()
    };
    let is = |code: &[u8], low: [u8; 2]| code[..2] == low;
    let (addition, minimum, load) = ([0x21, 0x72], [0x0f, 0x72], [0x84, 0x79]);
    // An addition takes another register, a minimum has another result, a load another address.
    let other_operand = |code: &mut [u8]| {
        is(code, addition) && {
            code[4] ^= 4;
            true
        }
    };
    assert!(found(&other_operand, 300).contains("R"));
    let other_result = |code: &mut [u8]| {
        is(code, minimum) && {
            code[2] ^= 4;
            true
        }
    };
    assert!(found(&other_result, 300).contains("R"));
    let other_address = |code: &mut [u8]| {
        is(code, load) && {
            code[6] ^= 1;
            true
        }
    };
    assert!(found(&other_address, 100).contains("R"));
    // Nobody waits for a load: bits 116 to 121.
    let no_wait = |code: &mut [u8]| {
        is(code, addition) && (code[14] & 0xf0 != 0 || code[15] & 3 != 0) && {
            code[14] &= 0x0f;
            code[15] &= !3;
            true
        }
    };
    assert!(found(&no_wait, 100).contains("before its load was waited for"));
    // A load that nothing tells of: bits 110 to 112.
    let no_barrier = |code: &mut [u8]| {
        is(code, load) && {
            code[13] |= 0xc0;
            code[14] |= 1;
            true
        }
    };
    assert!(found(&no_barrier, 100).contains("sets no barrier"));
    // A minimum right behind its additions.
    let mut image = good.clone();
    let codes = &mut image[place];
    let at =
        (100..).find(|at| is(&codes[at * 16..], minimum) && is(&codes[(at - 1) * 16..], addition)).unwrap();
    let sum = codes[(at - 1) * 16 + 2];
    codes[at * 16 + 4] = sum;
    let after = kernels(&image);
    assert!(check(named(&before, name), named(&after, name)).is_err());
}

#[test]
fn code_without_such_loops_is_refused_and_says_why() {
    let source = KernelSource::CEILINGS;
    let error = reordered("ceilings.cu", &compiled(&source)).unwrap_err().to_string();
    assert!(error.contains("cannot give the machine code of ceilings.cu another order"), "{error}");
}
