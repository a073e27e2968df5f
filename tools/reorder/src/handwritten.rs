//! For tests: kernels written by hand, an instruction a line: `[@predicate] opcode [operands] [sN] [y] [wN] [rN] [bN,...]`, the operands
//! without blanks. Behind them the control: stall, turn to another warp, write and read barrier, barriers to wait for.

use crate::encoding::Control;
use crate::kernel::Kernel;
use serde_json::{Value, json};

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
