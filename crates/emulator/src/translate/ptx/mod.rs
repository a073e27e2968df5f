//! PTX to C++: each instruction becomes a call of a function in `cuda/ptx.hpp`, each register a variable of as many bits.

mod arithmetic;
mod asynchronous;
mod convert;
mod memory;
mod names;
mod operation;
mod parse;
mod warp;

pub use operation::Operand;
pub use parse::PtxError;

use super::output::Target;
use operation::{EmitResult, InstructionError, Operation, wrong_operands};
use parse::{Argument, Item, Parser};

#[derive(Default)]
pub struct Body {
    pub declarations: String,
    /// Each with the byte of the PTX text that it came from.
    pub statements: Vec<(usize, String)>,
}

pub fn translate(ptx: &str, operands: &[Operand], number: usize, target: Target) -> Result<Body, PtxError> {
    let Parser { items, declarations, labels, .. } = Parser::read(ptx, operands, number)?;
    let mut body = Body { declarations, statements: Vec::new() };
    for Item { at, guard, opcode, arguments, scopes } in items {
        let wrong = |words: String| PtxError { at, words };
        let statement = match (opcode.as_str(), arguments.as_slice()) {
            (label, _) if label.ends_with(':') => format!("{label} "),
            ("bra" | "bra.uni", [Argument::Name(name)]) => {
                let mut found = scopes.iter().rev().filter_map(|scope| labels.get(&(*scope, name.clone())));
                let none = || wrong(format!("PTX branches to {name}, which is no label here"));
                format!("goto {}", found.next().ok_or_else(none)?)
            }
            ("bra" | "bra.uni", _) => return Err(wrong("PTX instruction bra takes one label".into())),
            _ => instruction(&opcode, &arguments, target).map_err(wrong)?,
        };
        body.statements.push(match guard {
            Some(condition) => (at, format!("if ({condition}) {{ {statement}; }}")),
            None => (at, format!("{statement};")),
        });
    }
    if body.statements.iter().any(|(_, statement)| statement.contains("emulated_carry")) {
        body.declarations += "emulated_u32 emulated_carry = 0; ";
    }
    Ok(body)
}

fn instruction(opcode: &str, arguments: &[Argument], target: Target) -> Result<String, String> {
    let mut parts = opcode.split('.');
    let name = parts.next().unwrap_or("");
    emit(opcode, Operation { name, modifiers: parts.collect(), arguments, target }).map_err(|error| match error {
        InstructionError::Operands(words) => format!("PTX instruction {opcode}: {words}"),
        InstructionError::Needs(least) => format!(
            "PTX instruction {opcode} needs compute capability {least}, and {}.{}{} is compiled for: guard it with __CUDA_ARCH__",
            target.capability.0,
            target.capability.1,
            if target.accelerated { "a" } else { "" }
        ),
        InstructionError::Unknown => format!(
            "PTX instruction {opcode} is not emulated: write it in CUDA C++ for the emulator, under `#ifdef REPRO_EMULATED`, or use one of the instructions that the documentation lists"
        ),
    })
}

/// Instructions without operands and choices: the least compute capability, and what they are in C++.
const STATEMENTS: [(&str, (u32, u32), &str); 8] = [
    ("brkpt", (0, 0), "emulated_pause()"),
    ("cp.async.bulk.commit_group", (9, 0), "emulated_bulk_commit()"),
    ("cp.async.commit_group", (8, 0), "emulated_copy_commit()"),
    ("cp.async.wait_all", (8, 0), "emulated_copy_wait(~0u)"),
    ("fence.mbarrier_init.release.cluster", (9, 0), "emulated_fence(EMULATED_RELEASE, EMULATED_OF_CLUSTER)"),
    ("griddepcontrol.launch_dependents", (9, 0), "emulated_dependents_launch()"),
    ("griddepcontrol.wait", (9, 0), "emulated_dependency_wait()"),
    ("trap", (0, 0), "emulated_misuse(EMULATED_TRAP, 0, \"trap\")"),
];

fn emit(opcode: &str, mut op: Operation) -> EmitResult {
    if let Some((_, (major, minor), statement)) = STATEMENTS.iter().find(|row| row.0 == opcode) {
        op.need(*major, *minor)?;
        op.modifiers.clear();
        return op.finish(0, 0).map(|()| statement.to_string());
    }
    let name = op.name;
    match name {
        "ld" | "ldu" => memory::load(op),
        "st" => memory::store(op),
        "atom" | "red" => memory::atomic(op),
        "prefetch" | "prefetchu" | "applypriority" | "discard" => memory::hint(op),
        "createpolicy" => op.need(8, 0).and_then(|()| Ok(format!("{}0", op.write(0)?))),
        "cvta" => memory::convert_address(op),
        "isspacep" => memory::test_space(op),
        "mapa" | "getctarank" => memory::place_in_cluster(op),
        "mbarrier" => asynchronous::emit(op),
        "cp" => asynchronous::copy(op),
        "fence" | "membar" => asynchronous::fence(op),
        "bar" | "barrier" => warp::barrier(op),
        "shfl" => warp::shuffle(op),
        "vote" => warp::vote(op),
        "match" => warp::compare(op),
        "redux" => warp::reduce(op),
        "activemask" if op.take("b32") => op.call("active_mask", 0, names::ANY),
        "elect" => warp::elect(op),
        "nanosleep" | "pmevent" => Ok("emulated_pause()".into()),
        "exit" => wrong_operands("leave the kernel with `return`"),
        "setmaxnreg" => warp::limit_registers(op),
        "ldmatrix" | "stmatrix" | "movmatrix" => warp::move_matrices(op),
        "mma" => warp::multiply(op),
        "cvt" => convert::convert(op),
        "mov" => convert::copy(op),
        "setp" | "set" => convert::compare(op),
        "selp" | "slct" => convert::select(op),
        "wgmma" => wrong_operands(
            "the matrix units of a warp group (wgmma) are not emulated: use mma.sync, or CUDA C++ under `#ifdef REPRO_EMULATED`",
        ),
        _ => arithmetic::emit(op),
    }
}
