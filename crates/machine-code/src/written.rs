//! For tests: instructions written by hand, `[@predicate] opcode [operands] [sN] [y] [wN] [rN] [bN,...]`, the operands without
//! blanks. Behind them the control: stall, turn to another warp, write and read barrier, barriers to wait for.

use crate::control::Control;
use crate::instruction::Instruction;
use crate::operand::Operand;

pub(crate) fn instruction(text: &str) -> Instruction {
    let mut words = text.split(' ').peekable();
    let predicate = words.next_if(|word| word.starts_with('@')).map(str::to_string);
    let opcode = words.next().unwrap_or_default().to_string();
    let is_control = |word: &&str| word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.contains('[');
    let operands = words.next_if(|word| !is_control(word)).unwrap_or_default();
    let operands = operands.split(',').filter(|one| !one.is_empty()).map(Operand::new).collect();
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
    Instruction { predicate, opcode, operands, control: Some(control) }
}

pub(crate) fn instructions(texts: &[&str]) -> Vec<Instruction> {
    texts.iter().map(|text| instruction(text)).collect()
}
