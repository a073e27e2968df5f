//! The pass over the machine code of `register-blocked`: what it gains by the model of an H200, and that its check finds what is planted. The
//! tests need NVRTC and a disassembler.

use rayon::prelude::*;
use repro::device::KernelSource;
use repro::device::cuda::{Disassembler, Nvrtc, find_nvrtc};
use repro::graph::ElementType;
use repro::implementation::reordering::{in_both_orders, reordered};
use repro::implementation::{Parameters, Signs, Target, find};
use repro_machine_code::Kernel;
use repro_machine_code::reorder::check;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

fn source(element: ElementType, signs: Signs) -> KernelSource {
    let implementation = find("register-blocked").unwrap();
    let target = Target { element, signs, ..Target::default() };
    implementation.schedule().unwrap().source(target, &Parameters::default())
}

fn compiled(source: &KernelSource) -> Vec<u8> {
    find_nvrtc(None).and_then(|found| Nvrtc::load(&found)).unwrap().compile(source, "sm_90").unwrap().image
}

/// Before threads are started, so that a test without its tools is seen to be one.
fn require_tools() {
    let nvrtc = find_nvrtc(None).and_then(|found| Nvrtc::load(&found));
    if let Err(error) = nvrtc.and_then(|_| Disassembler::find()) {
        crate::common::missing_tool(error);
    }
}

/// Machine code as compiled, and with its loops in another order.
type BothOrders = (Vec<u8>, Vec<u8>);

/// Tests that look at the same one share it: it takes seconds.
fn both_orders(source: &KernelSource) -> Arc<BothOrders> {
    type Shared = Arc<OnceLock<Arc<BothOrders>>>;
    static ALL: Mutex<BTreeMap<String, Shared>> = Mutex::new(BTreeMap::new());
    let one = ALL.lock().unwrap().entry(format!("{source:?}")).or_default().clone();
    let made = || Arc::new(in_both_orders("register_blocked.cu", &mut || Ok(compiled(source))).unwrap());
    one.get_or_init(made).clone()
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
#[ignore = "long"]
fn loops_in_another_order_take_hardly_more_than_their_issue_slots_by_the_model() {
    require_tools();
    use ElementType::{F32, I32, U16};
    // For large tiles, for small ones, which wait for shared memory, and for small ones of twice as many threads, which stay as compiled; of
    // 16 bits an instruction does two tasks.
    let cases = [
        (F32, Signs::Positive, [3.2, 4.5, 5.0]),
        (F32, Signs::Shifted(8_388_608.0), [3.2, 4.5, 5.0]),
        // An instruction more.
        (F32, Signs::Any, [4.2, 5.3, 5.9]),
        (I32, Signs::Positive, [3.1, 3.4, 4.1]),
        (U16, Signs::Positive, [1.7, 2.2, 2.3]),
    ];
    cases.into_par_iter().for_each(|case| {
        let (element, signs, most) = case;
        let orders = both_orders(&source(element, signs));
        let (before, after) = (kernels(&orders.0), kernels(&orders.1));
        let names = ["solve_tiles_of_128", "solve_tiles_of_64", "solve_chained_tiles_of_64"];
        for (name, most) in names.into_iter().zip(most) {
            let (was, is) = (clocks(&before, name), clocks(&after, name));
            assert!(is < most && is < 1.02 * was, "{name}, {element}, {signs:?}: {was} before, {is} after");
        }
    });
}

#[test]
#[ignore = "long"]
fn the_products_of_parts_have_another_order_too() {
    require_tools();
    repro::distributed::register();
    let method = &find("distributed-blocked").unwrap().method;
    let cases = [(Signs::Positive, [3.9, 3.3]), (Signs::Shifted(8_388_608.0), [3.9, 3.35])];
    cases.into_par_iter().for_each(|(signs, most)| {
        let target = Target { signs, ..Target::default() };
        let (source, uses) = method.kernels(target, &Parameters::from([("reorder", 1)])).unwrap();
        assert!(source.pass.is_some());
        let orders = both_orders(&source);
        let (before, after) = (kernels(&orders.0), kernels(&orders.1));
        for (name, most) in uses.iter().map(|used| used.name).zip(most) {
            let (was, is) = (clocks(&before, name), clocks(&after, name));
            assert!(is < most && is < 1.02 * was, "{name}, {signs:?}: {was} before, {is} after");
        }
    });
}

const ADDITION: [u8; 2] = [0x21, 0x72];
const PRODUCT: [u8; 2] = [0x24, 0x7c];
const BOTH: [u8; 2] = [0x46, 0x72];
const MINIMUM: [u8; 2] = [0x0f, 0x72];
const MINIMUM_OF_TWO: [u8; 2] = [0x09, 0x72];
const LOAD: [u8; 2] = [0x84, 0x79];

fn is(code: &[u8], low: [u8; 2]) -> bool {
    code[..2] == low
}

/// Finds the instructions of a kernel's task loop in the compiled file.
fn place_of_loop(image: &[u8], name: &str) -> std::ops::Range<usize> {
    let kernel = kernels(image);
    let found = named(&kernel, name).task_loop().unwrap();
    let length = found.instructions.len();
    let mut minima_before = vec![0];
    for code in image.chunks_exact(16) {
        let is_minimum = is(code, MINIMUM) || is(code, MINIMUM_OF_TWO);
        minima_before.push(minima_before[minima_before.len() - 1] + usize::from(is_minimum));
    }
    // The first window of that many instructions that has most minima: it begins one before the loop, whose jump is behind its minima.
    let windows = (0..minima_before.len() - length).rev();
    let first = windows.max_by_key(|start| minima_before[start + length] - minima_before[*start]).unwrap();
    first * 16..(first + length) * 16
}

/// What is wrong, behind how many instructions, the change of one, and what is to be said of it.
type Planted<'a> = (&'a str, usize, &'a (dyn Fn(&mut [u8]) -> bool + Sync), &'a str);

/// The kernel of large tiles as compiled and in another order.
struct Reordered {
    before: Vec<Kernel>,
    image: Vec<u8>,
    place: std::ops::Range<usize>,
}

impl Reordered {
    const NAME: &str = "solve_tiles_of_128";

    fn of(element: ElementType, signs: Signs) -> Self {
        let orders = both_orders(&source(element, signs));
        let (compiled, image) = &*orders;
        Self { before: kernels(compiled), image: image.clone(), place: place_of_loop(image, Self::NAME) }
    }

    /// What is found after `change` was made to the first instruction that it can be made to, behind some.
    fn found(&self, what: &str, change: &dyn Fn(&mut [u8]) -> bool, skip: usize) -> String {
        let mut image = self.image.clone();
        let codes = image[self.place.clone()].chunks_exact_mut(16).skip(skip);
        assert!(codes.into_iter().any(change), "{what}");
        self.check(&image).expect_err(what)
    }

    /// Makes each change alone; each takes a while to be listed.
    fn finds(&self, planted: &[Planted]) {
        planted.par_iter().for_each(|(what, skip, change, expected)| {
            let found = self.found(what, *change, *skip);
            assert!(found.contains(expected), "{what}: {found}");
        });
    }

    fn check(&self, image: &[u8]) -> Result<(), String> {
        check(named(&self.before, Self::NAME), named(&kernels(image), Self::NAME))
    }
}

#[test]
#[ignore = "long"]
fn what_is_planted_in_reordered_integer_code_is_found() {
    require_tools();
    let reordered = Reordered::of(ElementType::I32, Signs::Positive);
    assert_eq!(reordered.check(&reordered.image), Ok(()));
    let flip = |what: [u8; 2], byte: usize, bits: u8| {
        move |code: &mut [u8]| {
            is(code, what) && {
                code[byte] ^= bits;
                true
            }
        }
    };
    // The factor is the other word's: only if it is 1 is that the same.
    let exchanged = |code: &mut [u8]| {
        is(code, PRODUCT) && {
            code.swap(3, 8);
            true
        }
    };
    reordered.finds(&[
        ("another word", 300, &flip(BOTH, 4, 4), "R"),
        ("another element", 300, &flip(BOTH, 8, 4), "R"),
        ("another factor", 300, &flip(PRODUCT, 4, 1), "R"),
        ("another sum", 300, &flip(PRODUCT, 8, 4), "R"),
        ("another minimum", 300, &flip(MINIMUM, 4, 4), "R"),
        ("the other word's factor", 300, &exchanged, "R"),
    ]);
}

#[test]
#[ignore = "long"]
fn what_is_planted_in_reordered_code_is_found() {
    require_tools();
    for (signs, minimum) in [(Signs::Positive, MINIMUM), (Signs::Any, MINIMUM_OF_TWO)] {
        what_is_planted_is_found(&Reordered::of(ElementType::F32, signs), minimum);
    }
}

fn what_is_planted_is_found(good: &Reordered, minimum: [u8; 2]) {
    let (addition, load) = (ADDITION, LOAD);
    assert_eq!(good.check(&good.image), Ok(()));
    // An addition takes another register, a minimum has another result, a load another address.
    let other_operand = |code: &mut [u8]| {
        is(code, addition) && {
            code[4] ^= 4;
            true
        }
    };
    let other_result = |code: &mut [u8]| {
        is(code, minimum) && {
            code[2] ^= 4;
            true
        }
    };
    // Where a predicate is false it is a maximum: bit 90.
    let maximum = |code: &mut [u8]| {
        is(code, minimum) && {
            code[11] ^= 4;
            true
        }
    };
    let other_address = |code: &mut [u8]| {
        is(code, load) && {
            code[6] ^= 1;
            true
        }
    };
    // Nobody waits for a load: bits 116 to 121.
    let no_wait = |code: &mut [u8]| {
        is(code, addition) && (code[14] & 0xf0 != 0 || code[15] & 3 != 0) && {
            code[14] &= 0x0f;
            code[15] &= !3;
            true
        }
    };
    // A load that nothing tells of: bits 110 to 112.
    let no_barrier = |code: &mut [u8]| {
        is(code, load) && {
            code[13] |= 0xc0;
            code[14] |= 1;
            true
        }
    };
    // The first load does not wait for what was begun before the loop.
    let no_wait_at_all = |code: &mut [u8]| {
        is(code, load) && {
            code[14] &= 0x0f;
            code[15] &= !3;
            true
        }
    };
    // What does no task is told to wait less: bits 105 to 108.
    let hasty = |code: &mut [u8]| {
        let stall = code[13] >> 1 & 0xf;
        ![addition, minimum, load].iter().any(|task| is(code, *task)) && stall > 1 && {
            code[13] = code[13] & !0x1e | 0x02;
            true
        }
    };
    good.finds(&[
        ("another operand", 300, &other_operand, "R"),
        ("another result", 300, &other_result, "R"),
        ("a maximum", 300, &maximum, "comes between tasks"),
        ("another address", 100, &other_address, "R"),
        ("no wait", 100, &no_wait, "before its load was waited for"),
        ("no barrier", 100, &no_barrier, "sets no barrier"),
        ("no wait at all", 1, &no_wait_at_all, "begun before"),
    ]);
    if minimum == MINIMUM {
        // All else in the other loop waits for one clock.
        good.finds(&[("hasty", 1, &hasty, "do no task")]);
    }
    // A minimum right behind its later addition, everything between them later by one.
    let mut image = good.image.clone();
    let codes = &mut image[good.place.clone()];
    let at = (500..).find(|at| is(&codes[at * 16..], minimum)).unwrap();
    // The third is none of a minimum of two.
    let operands = &[3, 4, 8].map(|byte| codes[at * 16 + byte])[..if minimum == MINIMUM { 3 } else { 2 }];
    let makes = |from: &usize| is(&codes[from * 16..], addition) && operands.contains(&codes[from * 16 + 2]);
    let from = (0..at).rev().find(makes).unwrap();
    codes[(from + 1) * 16..(at + 1) * 16].rotate_right(16);
    assert!(good.check(&image).unwrap_err().contains("the compiler leaves"));
    // What counts the rounds before the last load, whose address it changes, and what depends on it right behind it.
    let codes: Vec<&[u8]> = good.image[good.place.clone()].chunks_exact(16).collect();
    let at = |what: [u8; 2]| codes.iter().rposition(|code| is(code, what)).unwrap();
    let (count, compare, last_load) = (at([0x90, 0x78]), at([0x8c, 0x78]), at(load));
    for (from, to, expected) in
        [(count, last_load, "counts rounds and is used"), (compare, count + 1, "has less time")]
    {
        let mut image = good.image.clone();
        image[good.place.clone()][to * 16..(from + 1) * 16].rotate_right(16);
        let found = good.check(&image).unwrap_err();
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
#[ignore = "long"]
fn code_without_such_loops_is_refused_and_says_why() {
    require_tools();
    let source = KernelSource::CEILINGS;
    let error = reordered("ceilings.cu", &compiled(&source)).unwrap_err().to_string();
    assert!(error.contains("cannot give the machine code of ceilings.cu another order"), "{error}");
}
