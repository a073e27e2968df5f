//! For tests: instructions written by hand, `[@predicate] opcode [operands]`, the operands without blanks.

use crate::instruction::Instruction;
use crate::operand::Operand;

pub(crate) fn instruction(text: &str) -> Instruction {
    let mut words = text.split(' ').peekable();
    let predicate = words.next_if(|word| word.starts_with('@')).map(str::to_string);
    let opcode = words.next().unwrap_or_default().to_string();
    let operands = words.next().unwrap_or_default();
    let operands = operands.split(',').filter(|one| !one.is_empty()).map(Operand::new).collect();
    Instruction { predicate, opcode, operands }
}

pub(crate) fn instructions(texts: &[&str]) -> Vec<Instruction> {
    texts.iter().map(|text| instruction(text)).collect()
}
