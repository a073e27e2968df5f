//! Which instructions a value may come from, in a loop whose body is taken as one straight line.

use crate::instruction::Instruction;
use crate::instruction::Operand;
use std::collections::BTreeMap;

/// A register that an instruction wrote: its index and the register.
pub(crate) type Definition = (usize, u8);

type Writers = BTreeMap<u8, Vec<Definition>>;

/// The origins of each source of each instruction: outer lists by instruction, inner ones by source. Values of the iteration before
/// come from its end; those from before the loop have no origin. Instructions that only cut a value to 16 bits pass on its origin.
pub(crate) fn reaching_definitions(body: &[Instruction]) -> Vec<Vec<Vec<Definition>>> {
    let mut writers = Writers::new();
    body.iter().enumerate().for_each(|(at, instruction)| note(&mut writers, at, instruction));
    let each = body.iter().enumerate().map(|(at, instruction)| {
        let origins = instruction.sources().map(|source| of_source(&writers, source)).collect();
        note(&mut writers, at, instruction);
        origins
    });
    each.collect()
}

fn of_source(writers: &Writers, source: &Operand) -> Vec<Definition> {
    let of_register = |register: u8| writers.get(&register).into_iter().flatten().copied();
    source.registers().into_iter().flat_map(of_register).collect()
}

/// Notes what an instruction writes. Under a predicate it may not write: then the value before may still be there.
fn note(writers: &mut Writers, at: usize, instruction: &Instruction) {
    let passed = cut(instruction).map(|source| of_source(writers, source)).unwrap_or_default();
    for register in instruction.written() {
        let origins = if passed.is_empty() { vec![(at, register)] } else { passed.clone() };
        let known = writers.entry(register).or_default();
        if instruction.predicate.is_none() {
            known.clear();
        }
        known.retain(|origin| !origins.contains(origin));
        known.extend(origins);
    }
}

/// The only register that an instruction reads, if the instruction (PRMT, LOP3) just picks bytes or bits of it.
fn cut(instruction: &Instruction) -> Option<&Operand> {
    let mut registers = instruction.sources().filter(|source| source.register().is_some());
    let first = registers.next().filter(|_| matches!(instruction.name(), "PRMT" | "LOP3"))?;
    registers.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::tests::instructions;

    #[test]
    fn values_come_from_the_last_that_wrote_them_this_round_or_the_one_before() {
        let body = instructions(&["FADD R0,R1,R2", "FMNMX R3,R3,R0,PT", "FADD R0,R4,R3"]);
        let origins = reaching_definitions(&body);
        assert_eq!(origins[1], [vec![(1, 3)], vec![(0, 0)]]);
        assert_eq!(origins[0], [vec![], vec![]]);
        assert_eq!(origins[2][1], [(1, 3)]);
    }

    #[test]
    fn what_is_written_under_a_predicate_does_not_hide_what_was_there() {
        let body = instructions(&["FADD R0,R1,R2", "@P0 MOV R0,R7", "FMNMX R3,R3,R0,PT"]);
        assert_eq!(reaching_definitions(&body)[2][1], [(0, 0), (1, 0)]);
    }

    #[test]
    fn a_value_that_is_cut_to_16_bits_is_from_where_it_was() {
        let body = instructions(&[
            "VIADD R0,R1,R2",
            "LOP3.LUT R5,R0,0xffff,RZ,0xc0,!PT",
            "ISETP.GE.AND P0,PT,R5,R6,PT",
        ]);
        assert_eq!(reaching_definitions(&body)[2][0], [(0, 0)]);
        let body =
            instructions(&["VIADD R0,R1,R2", "LOP3.LUT R5,R0,R3,RZ,0xc0,!PT", "ISETP.GE.AND P0,PT,R5,R6,PT"]);
        assert_eq!(reaching_definitions(&body)[2][0], [(1, 5)]);
    }
}
