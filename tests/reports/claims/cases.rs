//! What is changed in stored files, and what becomes of the claims.

use super::edits::Edit::{
    Copy, Count, Drop, Gpu, Launches, NoKernelTimes, RaiseHighest, RaiseLowest, Seconds, SinkHighest,
    Threads, Uncounted,
};
use super::edits::of;
use super::{Case, GAIOSO, LIKHODED, LUND, POGORILYY, claim};
use crate::common::stored::{
    ABLATION, DENSE, DEPTH, KAPPA, LIMITS, OCCUPANCY, PHASES, RESIDENCY, SHAPES, STRUCTURE, TABLE1, TIMERS,
    WAITS,
};
use repro::claims::Verdict::{Ambiguous, Differs, InPart, NotComparable, NotMeasured, Reproduced};

/// One line a state. Limits are those of the papers with the rounding of their last digit.
pub fn cases() -> Vec<Case> {
    let shared = |is| Count { of: "katz-kider", kernel: "doubly_dependent", column: "shared_bytes", is };
    let counted = |of, column, is| Count { of, kernel: "doubly_dependent", column, is };
    vec![
        // Columns of a table: their order.
        claim(LUND, "table1-staged-load", TABLE1)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("staged-load"), 2.0)])
            .is(Reproduced, [Seconds(of("staged-load"), 2.0), Seconds(of("optimized-blocked"), 2.0)])
            .is(InPart, [Seconds(of("staged-load").n(8192..=8192), 2.0)])
            .is(Ambiguous, [RaiseLowest(of("optimized-blocked"), 1.0)])
            .is(NotMeasured, [Drop(of("optimized-blocked"))]),
        claim(LUND, "table1-harish-narayanan", TABLE1)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("cpu-naive"), 1e-3)])
            .is(NotMeasured, [Drop(of("cpu-naive"))]),
        // Seconds and rates: shares of the copy, and themselves on the paper's GPU.
        claim(LUND, "hn-rate", TABLE1)
            .is(NotComparable, [])
            .is(Differs, [Copy(None), Gpu("NVIDIA Tesla C1060")])
            .is(
                Reproduced,
                [
                    Copy(None),
                    Gpu("NVIDIA Tesla C1060"),
                    SinkHighest(of("harish-narayanan").n(4096..=4096), 2.6e9),
                ],
            )
            .is(NotMeasured, [Drop(of("harish-narayanan").n(4096..=4096))]),
        claim(LUND, "staged-16384", TABLE1)
            .is(NotComparable, [])
            .is(Differs, [Gpu("Tesla C1060")])
            .is(Ambiguous, [Gpu("NVIDIA Tesla C1060"), RaiseHighest(of("staged-load"), 53.065)])
            .is(NotMeasured, [Drop(of("staged-load").n(16384..=16384))]),
        claim(GAIOSO, "c2075-8192", OCCUPANCY)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("two-phase"), 10.0)])
            .is(NotMeasured, [Drop(of("two-phase"))]),
        claim(LUND, "kk-flops", TABLE1)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("katz-kider"), 2.0)])
            .is(Ambiguous, [RaiseHighest(of("katz-kider").n(4096..=4096), 62.7 / 3.0 * 1.25)])
            .is(NotMeasured, [Drop(of("katz-kider"))]),
        // Ratios.
        claim(LUND, "staged-over-opt", TABLE1)
            .is(Differs, [])
            .is(Reproduced, [RaiseHighest(of("optimized-blocked"), 2.5)])
            .is(Ambiguous, [RaiseHighest(of("optimized-blocked"), 2.55)])
            .is(NotMeasured, [Drop(of("staged-load"))]),
        claim(LUND, "staged-over-cpu", TABLE1)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("staged-load"), 10.0)])
            .is(Ambiguous, [RaiseLowest(of("cpu-naive"), 150.0)]),
        claim(GAIOSO, "over-kk", PHASES)
            .is(Differs, [])
            .is(InPart, [RaiseHighest(of("katz-kider-1024"), 1.8)])
            .is(Differs, [RaiseHighest(of("katz-kider-1024"), 1.85)]),
        claim(GAIOSO, "over-hn-16384", OCCUPANCY)
            .is(Differs, [])
            .is(Reproduced, [RaiseHighest(of("harish-narayanan"), 4.0)])
            .is(NotMeasured, [Drop(of("harish-narayanan").n(16384..=16384))]),
        claim(POGORILYY, "gpu-over-cpu", TIMERS)
            .is(Ambiguous, [])
            .is(NotMeasured, [Drop(of("cpu-naive"))])
            .is(NotMeasured, [Drop(of("global-memory"))]),
        // Bytes a second.
        claim(LUND, "hn-bandwidth", TABLE1)
            .is(NotComparable, [])
            .is(Differs, [Gpu("Tesla C1060")])
            .is(Ambiguous, [Gpu("Tesla C1060"), SinkHighest(of("harish-narayanan").n(4096..=4096), 42.5)])
            .is(NotMeasured, [Drop(of("harish-narayanan"))]),
        claim(LUND, "memcpy", TABLE1)
            .is(NotComparable, [])
            .is(Differs, [Gpu("Tesla C1060")])
            .is(Reproduced, [Gpu("Tesla C1060"), Copy(Some(77.2))]),
        // What the papers calculate from other figures.
        claim(LUND, "hn-rate-limit", TABLE1)
            .is(InPart, [])
            .is(Reproduced, [SinkHighest(of("harish-narayanan"), 99.0)])
            .is(Ambiguous, [SinkHighest(of("harish-narayanan"), 100.0)])
            .is(NotMeasured, [Copy(None)]),
        // What is counted, which is known exactly and so is never within the noise.
        claim(LUND, "smem-kk", STRUCTURE)
            .is(Reproduced, [])
            .is(Differs, [shared(12289)])
            .is(Reproduced, [shared(12289), shared(12288)])
            .is(NotMeasured, [Uncounted("katz-kider")]),
        claim(LUND, "blocks-kk", STRUCTURE).is(Reproduced, []).is(Differs, [shared(4096)]),
        claim(LUND, "smem-cut", STRUCTURE).is(Reproduced, []).is(InPart, [shared(24576)]),
        claim(LUND, "hn-bytes", STRUCTURE)
            .is(Reproduced, [])
            .is(
                Differs,
                [Count {
                    of: "harish-narayanan",
                    kernel: "harish_narayanan",
                    column: "global_load_bytes",
                    is: 25165828,
                }],
            )
            .is(NotMeasured, [Uncounted("harish-narayanan")]),
        claim(LUND, "blocked-traffic", STRUCTURE)
            .is(Reproduced, [])
            .is(NotMeasured, [Uncounted("harish-narayanan")]),
        claim(LUND, "bank-tiled", STRUCTURE)
            .is(Reproduced, [])
            .is(Differs, [counted("staged-plain-order", "shared_load_worst_16", 3)]),
        claim(LUND, "tiled-coalesced", STRUCTURE)
            .is(Reproduced, [])
            .is(Differs, [counted("staged-load", "global_load_sectors", 1_000_000)]),
        claim(GAIOSO, "occupancy", OCCUPANCY)
            .is(Reproduced, [])
            .is(Differs, [Threads("two-phase", Some(512))])
            .is(NotMeasured, [Threads("two-phase", None)]),
        claim(LIKHODED, "kappa-q-degenerate", KAPPA)
            .is(Reproduced, [])
            .is(InPart, [Launches { params: "kappa=512", kernel: "rest_blocks", are: 1 }])
            .is(Reproduced, [Launches { params: "kappa=512", kernel: "rest_blocks", are: 0 }])
            .is(NotMeasured, [NoKernelTimes]),
        claim(LIKHODED, "kappa-one-is-classic", KAPPA)
            .is(Reproduced, [])
            .is(
                InPart,
                [Count {
                    of: "generalized-blocked",
                    kernel: "lead_row_and_column",
                    column: "launches",
                    is: 3,
                }],
            )
            .is(NotMeasured, [Uncounted("generalized-blocked")]),
        claim(LIKHODED, "kappa-writes", KAPPA).is(Reproduced, []).is(
            InPart,
            [Count {
                of: "generalized-blocked",
                kernel: "rest_blocks",
                column: "global_store_bytes",
                is: 65536,
            }],
        ),
        claim(LIKHODED, "threads-a-block", KAPPA).is(Reproduced, []).is(
            InPart,
            [Count { of: "generalized-blocked", kernel: "lead_block", column: "threads", is: 256 }],
        ),
        // Directions.
        claim(LUND, "register-alone", ABLATION)
            .is(Differs, [])
            .is(Reproduced, [SinkHighest(of("tile-in-registers-256"), 1.0)])
            .is(Ambiguous, [SinkHighest(of("tile-in-registers-256"), 1.05)])
            .is(NotMeasured, [Drop(of("tile-in-registers-256"))]),
        claim(GAIOSO, "density-flat", OCCUPANCY)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("two-phase").on("m=600n"), 1.2)])
            .is(
                NotMeasured,
                [Drop(of("two-phase")), Drop(of("katz-kider-1024")), Drop(of("harish-narayanan"))],
            ),
        claim(GAIOSO, "loses-from-2048", OCCUPANCY)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("two-phase").n(8192..=8192), 3.0)])
            .is(Reproduced, [Seconds(of("two-phase").n(1024..=2048), 30.0)])
            .is(Ambiguous, [RaiseLowest(of("katz-kider-1024"), 1.0)]),
        claim(GAIOSO, "hn-best-block", SHAPES)
            .is(InPart, [])
            .is(Reproduced, [Seconds(of("harish-narayanan").with("block-x=16;block-y=16"), 0.5)])
            .is(NotMeasured, [Drop(of("harish-narayanan").with("block-x=16;block-y=16"))]),
        claim(LIKHODED, "kappa-beats-classic", KAPPA)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("generalized-blocked").with("kappa=1").n(8192..=8192), 0.5)]),
        claim(LIKHODED, "lead-block-minor", KAPPA)
            .is(InPart, [])
            .is(Reproduced, [SinkHighest(of("generalized-blocked").with("spread-lead=1"), 1.0)])
            .is(Ambiguous, [SinkHighest(of("generalized-blocked").with("spread-lead=1"), 1.05)]),
        claim(POGORILYY, "unsynced-is-wrong", TIMERS)
            .is(Ambiguous, [])
            .is(InPart, [Seconds(of("global-memory").under("host-unsynced"), 2.5)])
            .is(InPart, [Seconds(of("global-memory").under("copy-out-unsynced"), 0.1)]),
        claim(POGORILYY, "timers-agree", TIMERS)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("global-memory").under("host-synced"), 1.2)]),
        claim(POGORILYY, "shared-as-buffer", TIMERS)
            .is(Reproduced, [])
            .is(Reproduced, [Seconds(of("shared-buffer"), 2.0)])
            .is(Differs, [Seconds(of("shared-buffer"), 0.5)]),
        claim(POGORILYY, "step-128", DENSE)
            .is(Differs, [])
            .is(Reproduced, [RaiseHighest(of("global-memory").n(4240..=4240), 1.2)])
            .is(Ambiguous, [RaiseHighest(of("global-memory").n(4240..=4240), 1.0152)]),
        claim(POGORILYY, "not-linear", TIMERS)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("global-memory").under("total").n(8192..=8192), 0.2)]),
        claim(POGORILYY, "unsynced-flat", TIMERS)
            .is(Differs, [])
            .is(NotMeasured, [Drop(of("global-memory"))]),
        // "Nobody will get much more": refuted by somebody who did, proven by nobody who did not.
        claim(LUND, "headroom", ABLATION)
            .is(NotComparable, [])
            .is(Differs, [Seconds(of("staged-load-256"), 0.3)])
            .is(Ambiguous, [Seconds(of("staged-load-256"), 0.3), RaiseHighest(of("staged-load"), 1.5)])
            .is(NotMeasured, [Drop(of("staged-load"))]),
        claim(LUND, "kk-rate", TABLE1).is(NotComparable, []).is(NotMeasured, [Drop(of("katz-kider"))]),
        // What was forced, halved or varied on purpose.
        claim(LUND, "blocks-hide-latency", RESIDENCY)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("katz-kider").with("padding-kib=215"), 0.1)]),
        claim(LUND, "staged-over-opt-as-resident", RESIDENCY)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("optimized-blocked").with("padding-kib=215"), 2.0)])
            .is(Reproduced, [Seconds(of("optimized-blocked").with("padding-kib=0"), 9.0)])
            .is(NotMeasured, [Drop(of("optimized-blocked").with("padding-kib=215"))]),
        claim(LUND, "hn-limited-by-memory", LIMITS)
            .is(Differs, [])
            .is(Reproduced, [Seconds(of("harish-narayanan").on("u16"), 0.5)])
            .is(NotMeasured, [Drop(of("harish-narayanan"))]),
        claim(LUND, "kk-limited-by-calculation", LIMITS)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("katz-kider").on("u16"), 0.5)])
            .is(InPart, [Seconds(of("katz-kider-shifts"), 2.0)]),
        claim(GAIOSO, "fewer-launches-faster", PHASES)
            .is(Reproduced, [])
            .is(InPart, [Seconds(of("two-phase").n(8192..=8192), 3.0)])
            .is(Differs, [Seconds(of("two-phase"), 2.0)]),
        claim(GAIOSO, "kk-best-block", PHASES).is(Reproduced, []).is(
            NotMeasured,
            [
                Drop(of("katz-kider-1024").with("tile=16;unrolled=0")),
                Drop(of("katz-kider-1024").with("tile=16;unrolled=1")),
            ],
        ),
        claim(LIKHODED, "fewer-writes-faster", KAPPA).is(Reproduced, []).is(NotMeasured, [NoKernelTimes]),
        claim(LIKHODED, "stages-help", DEPTH)
            .is(Differs, [])
            .is(NotMeasured, [Drop(of("generalized-blocked"))]),
        claim(POGORILYY, "synchronization-costs", WAITS)
            .is(Ambiguous, [])
            .is(Differs, [Seconds(of("global-memory").with("synchronize=1").under("host-synced"), 0.2)]),
        claim(POGORILYY, "unsynced-load", WAITS)
            .is(Reproduced, [])
            .is(Differs, [Seconds(of("global-memory").under("copy-out-unsynced-loaded"), 0.001)]),
    ]
}
