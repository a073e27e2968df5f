//! Barriers in shared memory that count arrivals and bytes.

use super::memory::pointer;
use super::parse::Argument;
use super::{Emitted, Op, Refused};

pub fn emit(mut op: Op) -> Emitted {
    op.need("8.0")?;
    if op.take("pending_count") {
        op.take("b64");
        op.nothing_left()?;
        op.count(2, 2)?;
        return Ok(format!("{}emulated_mbarrier_pending({})", op.write(0)?, op.read(1)?));
    }
    let Some(what) = op.take_one(&[
        "init",
        "inval",
        "arrive",
        "arrive_drop",
        "test_wait",
        "try_wait",
        "complete_tx",
        "expect_tx",
    ]) else {
        return Err(Refused::Unknown);
    };
    let expects = what != "expect_tx" && op.take("expect_tx");
    let parity = op.take("parity");
    op.take("noComplete");
    let relaxed = op.take("relaxed");
    op.take_one(&["release", "acquire"]);
    let scope = op.take_one(&["cta", "cluster"]);
    let space = op.take_one(&["shared", "shared::cta", "shared::cluster"]).unwrap_or("");
    if scope == Some("cluster")
        || space == "shared::cluster"
        || expects
        || relaxed
        || matches!(what, "try_wait" | "complete_tx" | "expect_tx")
    {
        op.need("9.0")?;
    }
    op.take("b64");
    op.nothing_left()?;
    let barrier = |at| -> Emitted { Ok(format!("emulated_ptx::barrier_at({})", pointer(space, &op, at)?)) };
    let call = |kind: &str, barrier: String, a: &str, b: &str| {
        format!("emulated_mbarrier(EMULATED_MBARRIER_{kind}, {barrier}, {a}, {b})")
    };
    match what {
        "init" => {
            op.count(2, 2)?;
            Ok(call("INIT", barrier(0)?, op.read(1)?, "0"))
        }
        "inval" => {
            op.count(1, 1)?;
            Ok(call("INVALIDATE", barrier(0)?, "0", "0"))
        }
        "expect_tx" | "complete_tx" => {
            op.count(2, 2)?;
            Ok(call(if what == "expect_tx" { "EXPECT" } else { "COMPLETE" }, barrier(0)?, op.read(1)?, "0"))
        }
        "arrive" | "arrive_drop" => {
            // The state is left away where it would be another block's.
            let has_state = !matches!(op.arguments.first(), Some(Argument::Address { .. }));
            let first = usize::from(has_state);
            op.count(first + 1, first + 2)?;
            let state = if has_state { op.write(0)? } else { String::new() };
            let more = if op.arguments.len() > first + 1 { op.read(first + 1)? } else { "1" };
            let barrier = barrier(first)?;
            Ok(match (what, expects) {
                ("arrive", true) => format!("{state}{}", call("ARRIVE_EXPECT", barrier, "1", more)),
                ("arrive", false) => format!("{state}{}", call("ARRIVE", barrier, more, "0")),
                (_, false) => format!("{state}{}", call("ARRIVE_DROP", barrier, more, "0")),
                _ => format!(
                    "{}; {state}{}",
                    call("EXPECT", barrier.clone(), more, "0"),
                    call("ARRIVE_DROP", barrier, "1", "0")
                ),
            })
        }
        _ => {
            op.count(3, 4)?;
            let kind = match (what, parity) {
                ("test_wait", false) => "TEST",
                ("test_wait", true) => "TEST_PARITY",
                (_, false) => "TRY",
                _ => "TRY_PARITY",
            };
            Ok(format!("{}({} != 0)", op.write(0)?, call(kind, barrier(1)?, op.read(2)?, "0")))
        }
    }
}
