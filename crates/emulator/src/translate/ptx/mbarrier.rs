//! Barriers in shared memory that count arrivals and bytes.

use super::memory::barrier_pointer;
use super::operation::{EmitResult, InstructionError, Operation};
use super::parse::Argument;

/// What is done with a barrier, the emulator's name for it, and how many operands it has at least.
const ACTIONS: [(&str, &str, usize); 8] = [
    ("init", "INIT", 2),
    ("inval", "INVALIDATE", 1),
    ("arrive", "ARRIVE", 1),
    ("arrive_drop", "ARRIVE_DROP", 1),
    ("test_wait", "TEST", 3),
    ("try_wait", "TRY", 3),
    ("complete_tx", "COMPLETE", 2),
    ("expect_tx", "EXPECT", 2),
];

pub fn emit(mut op: Operation) -> EmitResult {
    op.need(8, 0)?;
    if op.take("pending_count") {
        op.take("b64");
        op.finish(2, 2)?;
        return Ok(format!("{}emulated_mbarrier_pending({})", op.write(0)?, op.read(1)?));
    }
    let action = ACTIONS.iter().find(|action| op.take(action.0));
    let &(name, kind, operands) = action.ok_or(InstructionError::Unknown)?;
    let expects = op.take("expect_tx");
    let parity = if op.take("parity") { "_PARITY" } else { "" };
    op.take("noComplete");
    let relaxed = op.take("relaxed");
    op.take_one(&["release", "acquire"]);
    let of_cluster = op.take_one(&["cta", "cluster"]) == Some("cluster");
    let space = op.take_one(&["shared", "shared::cta", "shared::cluster"]).unwrap_or("");
    let newer = matches!(name, "try_wait" | "complete_tx" | "expect_tx");
    if newer || of_cluster || space == "shared::cluster" || expects || relaxed {
        op.need(9, 0)?;
    }
    op.take("b64");
    let call = |kind: &str, at: usize, first: &str, second: &str| -> EmitResult {
        let barrier = barrier_pointer(space, &op, at)?;
        Ok(format!("emulated_mbarrier(EMULATED_MBARRIER_{kind}, {barrier}, {first}, {second})"))
    };
    match name {
        "arrive" | "arrive_drop" => {
            // The state is left away where it would be another block's.
            let has_state = !matches!(op.arguments.first(), Some(Argument::Address { .. }));
            let (at, state) = if has_state { (1, op.write(0)?) } else { (0, String::new()) };
            op.finish(at + 1, at + 2)?;
            let more = if op.arguments.len() > at + 1 { op.read(at + 1)? } else { "1".into() };
            Ok(match (name, expects) {
                (_, false) => format!("{state}{}", call(kind, at, &more, "0")?),
                ("arrive", _) => format!("{state}{}", call("ARRIVE_EXPECT", at, "1", &more)?),
                _ => format!("{}; {state}{}", call("EXPECT", at, &more, "0")?, call(kind, at, "1", "0")?),
            })
        }
        "test_wait" | "try_wait" => {
            op.finish(3, 4)?;
            let done = call(&format!("{kind}{parity}"), 1, &op.read(2)?, "0")?;
            Ok(format!("{}({done} != 0)", op.write(0)?))
        }
        _ => {
            op.finish(operands, operands)?;
            let amount = if operands > 1 { op.read(1)? } else { "0".into() };
            call(kind, 0, &amount, "0")
        }
    }
}
