//! The stored code is what the sources give, the model of an H200 is near what was measured and says what the pass gains, and the proof finds
//! what is planted. The tests need NVRTC and a disassembler, and take minutes.

use crate::encoding::{Control, Image};
use crate::index;
use crate::index::source;
use crate::kernel::Kernel;
use crate::model::numbers::tasks_per_s;
use crate::proof::check;
use crate::reordered_code::{ReorderedCode, Tools};
use repro_device::KernelSource;
use repro_graph::ElementType;
use repro_solvers::Target;
use repro_solvers::stored_code::targets;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

fn tools() -> Tools {
    // Where `scripts/fetch` has put them.
    std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
    Tools::find().unwrap_or_else(|error| panic!("missing tool: {error}"))
}

/// The code of a target. Tests that look at the same one share it: it takes seconds.
fn made(file: &str) -> Arc<ReorderedCode> {
    type Shared = Arc<OnceLock<Arc<ReorderedCode>>>;
    static ALL: Mutex<BTreeMap<String, Shared>> = Mutex::new(BTreeMap::new());
    let one = ALL.lock().unwrap().entry(file.to_string()).or_default().clone();
    let make = || {
        let (target, _) = targets().find(|(_, of)| of == file).unwrap();
        let index = index::read().unwrap();
        let known = index.code.iter().find(|code| code.file == file).unwrap();
        Arc::new(tools().make(&source(target), Some(&known.hash)).unwrap())
    };
    one.get_or_init(make).clone()
}

#[test]
fn the_stored_code_is_made_again_byte_by_byte() {
    tools();
    for code in &index::read().unwrap().code {
        let stored = std::fs::read(index::folder().join(&code.file)).unwrap();
        assert!(made(&code.file).image == stored, "{} comes out otherwise", code.file);
    }
}

#[test]
fn loops_in_another_order_take_hardly_more_than_their_issue_slots_by_the_model() {
    tools();
    // For large tiles, for small ones, which wait for shared memory, and for small ones of twice as many threads, which stay as compiled; of
    // 16 bits an instruction does two tasks.
    let cases = [
        ("f32", [3.2, 4.5, 5.0]),
        ("f32-shifted", [3.2, 4.5, 5.0]),
        // An instruction more.
        ("f32-rounded", [4.2, 5.3, 5.9]),
        ("i32", [3.1, 3.4, 4.1]),
        ("u16", [1.7, 2.2, 2.3]),
    ];
    for (of, most) in cases {
        let made = made(&format!("register_blocked-{of}.cubin"));
        let names = ["solve_tiles_of_128", "solve_tiles_of_64", "solve_chained_tiles_of_64"];
        for (name, most) in names.into_iter().zip(most) {
            let [was, is] = made.clocks(name).unwrap();
            assert!(is < most && is < 1.02 * was, "{name}, {of}: {was} before, {is} after");
        }
    }
}

/// Tasks a second that were measured on an H200, and the model's at its highest clock.
#[test]
fn the_model_is_near_what_was_measured() {
    let tools = tools();
    let file = &KernelSource::CEILINGS;
    let kernels = tools.kernels(&file.file, &tools.compile(file).unwrap()).unwrap();
    for (name, warps, measured) in [("f32_min3_registers", 4, 18.6e12), ("add_min_registers", 8, 15.06e12)] {
        let estimate = named(&kernels, name).task_loop().unwrap().estimate(warps).unwrap();
        let modelled = tasks_per_s(estimate.of_two_tasks(estimate.clocks), 132, 1.98e9);
        assert!((modelled / measured - 1.0).abs() < 0.02, "{name}: {modelled:e} and not {measured:e}");
    }
}

/// What the reader takes for control bits and for operand slots is what the compiler meant.
#[test]
fn the_bits_of_kept_operands_are_those_that_the_listing_marks() {
    let tools = tools();
    let (mut instructions, mut kept) = (0, 0);
    let usual = source(Target::default());
    for file in
        [&KernelSource::CEILINGS, &KernelSource::TREES, &usual, &usual.clone().for_element(ElementType::U16)]
    {
        for kernel in tools.kernels(&file.file, &tools.compile(file).unwrap()).unwrap() {
            for instruction in kernel.instructions() {
                let marked = instruction.reads().into_iter().filter(|read| read.kept);
                let marks = marked.fold(0, |marks, read| marks | 1 << read.slot);
                assert_eq!(instruction.control.reuse, marks, "{}: {instruction:?}", kernel.name());
                instructions += 1;
                kept += u64::from(marks != 0);
            }
        }
    }
    assert!(instructions > 10_000 && kept > 300, "{kept} of {instructions}");
}

#[test]
fn code_without_such_loops_is_refused_and_says_why() {
    let error = tools().make(&KernelSource::CEILINGS, None).err().unwrap().to_string();
    assert!(error.contains("cannot give the machine code of ceilings.cu another order"), "{error}");
}

fn named<'a>(kernels: &'a [Kernel], name: &str) -> &'a Kernel {
    kernels.iter().find(|kernel| kernel.name() == name).unwrap()
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

/// What is wrong, behind how many instructions, the change of one, and what is to be said of it.
type Planted<'a> = (&'a str, usize, &'a dyn Fn(&mut [u8]) -> bool, &'a str);

/// The kernel of large tiles in another order.
struct Reordered {
    tools: Tools,
    made: Arc<ReorderedCode>,
    /// Where its loop is in the file.
    place: std::ops::Range<usize>,
}

impl Reordered {
    const NAME: &str = "solve_tiles_of_128";

    fn of(file: &str) -> Self {
        let tools = tools();
        let made = made(file);
        let kernel = named(&made.after, Self::NAME);
        let range = kernel.task_loop().unwrap().range;
        let place = Image::read(&made.image).unwrap().place(&kernel.listed, range).unwrap();
        let good = Self { tools, made: made.clone(), place };
        assert_eq!(good.check(&made.image), Ok(()));
        good
    }

    /// Makes each change alone, to the first instruction that it can be made to, behind some. Each takes a while to be listed.
    fn finds(&self, planted: &[Planted]) {
        for (what, skip, change, expected) in planted {
            let mut image = self.made.image.clone();
            let codes = image[self.place.clone()].chunks_exact_mut(16).skip(*skip);
            assert!(codes.into_iter().any(change), "{what}");
            let found = self.check(&image).expect_err(what);
            assert!(found.contains(expected), "{what}: {found}");
        }
    }

    fn check(&self, image: &[u8]) -> Result<(), String> {
        let kernels = self.tools.kernels("register_blocked.cu", image).unwrap();
        check(named(&self.made.before, Self::NAME), named(&kernels, Self::NAME))
    }
}

#[test]
fn what_is_planted_in_reordered_integer_code_is_found() {
    let reordered = Reordered::of("register_blocked-i32.cubin");
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
fn what_is_planted_in_reordered_code_is_found() {
    for (of, minimum) in [("f32", MINIMUM), ("f32-rounded", MINIMUM_OF_TWO)] {
        what_is_planted_is_found(&Reordered::of(&format!("register_blocked-{of}.cubin")), minimum);
    }
}

fn what_is_planted_is_found(good: &Reordered, minimum: [u8; 2]) {
    let (addition, load) = (ADDITION, LOAD);
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
        ("a maximum", 300, &maximum, "neither a task nor"),
        ("another address", 100, &other_address, "R"),
        ("no wait", 100, &no_wait, "before its load was waited for"),
        ("no barrier", 100, &no_barrier, "sets no barrier"),
        ("no wait at all", 0, &no_wait_at_all, "begun before"),
    ]);
    if minimum == MINIMUM {
        // All else in the other loop waits for one clock.
        good.finds(&[("hasty", 0, &hasty, "was changed")]);
    }
    // A minimum right behind its later addition, everything between them later by one.
    let mut image = good.made.image.clone();
    let codes = &mut image[good.place.clone()];
    let at = (500..).find(|at| is(&codes[at * 16..], minimum)).unwrap();
    // The third is none of a minimum of two.
    let operands = &[3, 4, 8].map(|byte| codes[at * 16 + byte])[..if minimum == MINIMUM { 3 } else { 2 }];
    let makes = |from: &usize| is(&codes[from * 16..], addition) && operands.contains(&codes[from * 16 + 2]);
    let from = (0..at).rev().find(makes).unwrap();
    codes[(from + 1) * 16..(at + 1) * 16].rotate_right(16);
    assert!(good.check(&image).unwrap_err().contains("the compiler leaves"));
    // What counts the rounds before the last load, whose address it changes, and what depends on it right behind it.
    let codes: Vec<&[u8]> = good.made.image[good.place.clone()].chunks_exact(16).collect();
    let at = |what: [u8; 2]| codes.iter().rposition(|code| is(code, what)).unwrap();
    let (count, compare, last_load) = (at([0x90, 0x78]), at([0x8c, 0x78]), at(load));
    for (from, to, expected) in
        [(count, last_load, "counts rounds and is used"), (compare, count + 1, "is used sooner")]
    {
        let mut image = good.made.image.clone();
        image[good.place.clone()][to * 16..(from + 1) * 16].rotate_right(16);
        let found = good.check(&image).unwrap_err();
        assert!(found.contains(expected), "{found}");
    }
}

/// A kernel written by hand, an instruction a line: `[@predicate] opcode [operands] [sN] [y] [wN] [rN] [bN,...]`, the operands without blanks.
/// Behind them the control: stall, turn to another warp, write and read barrier, barriers to wait for.
pub fn kernel(texts: &[&str]) -> Kernel {
    let (listed, controls): (Vec<Value>, Vec<Control>) = texts.iter().map(|text| instruction(text)).unzip();
    let function = json!({
        "function-name": "kernel",
        "start": 0x100,
        "length": 16 * texts.len(),
        "sass-instructions": listed,
    });
    let listing = json!([{}, [function]]).to_string();
    Kernel { listed: repro_machine_code::read(listing.as_bytes()).unwrap().remove(0), controls }
}

fn instruction(text: &str) -> (Value, Control) {
    let mut words = text.split(' ').peekable();
    let predicate = words.next_if(|word| word.starts_with('@'));
    let opcode = words.next().unwrap_or_default();
    let is_control = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.contains('[');
    let operands = words.next_if(|word| !is_control(word)).unwrap_or_default();
    let mut control =
        Control { stall: 1, stays: true, write_barrier: None, read_barrier: None, waits: 0, reuse: 0 };
    for word in words {
        let number = || word[1..].parse().unwrap();
        match &word[..1] {
            "s" => control.stall = number(),
            "y" => control.stays = false,
            "w" => control.write_barrier = Some(number()),
            "r" => control.read_barrier = Some(number()),
            "b" => word[1..].split(',').for_each(|one| control.waits |= 1 << one.parse::<u8>().unwrap()),
            _ => panic!("{word}"),
        }
    }
    (json!({"predicate": predicate, "opcode": opcode, "operands": operands}), control)
}
