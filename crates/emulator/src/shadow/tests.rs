use super::*;
use proptest::prelude::*;

pub(super) const READ: WordAccess = WordAccess {
    mask: 15,
    reads: true,
    writes: false,
    atomic: false,
    weak: false,
    of_block: false,
    replaces: false,
    read_only: false,
    benign: None,
};
pub(super) const WRITE: WordAccess = WordAccess { reads: false, writes: true, ..READ };
pub(super) const ATOMIC: WordAccess = WordAccess { writes: true, atomic: true, ..READ };
const LOWER: WordAccess = WordAccess { benign: Some(BenignRace::Lower), ..WRITE };
const SILENT: WordAccess = WordAccess { benign: Some(BenignRace::SameBits), ..WRITE };

const SCOPE: ShadowScope = ShadowScope { serial: 1, keeps: true, listed: false, before: None, waited: false };

/// A thread after so many barriers of its block, and so many of its warp since.
pub(super) fn who(block: u32, epoch: u32, warp_epoch: u16, thread: u16) -> ThreadClock<'static> {
    let block_base = 10 * epoch;
    let time = block_base + u32::from(warp_epoch);
    ThreadClock {
        who: AccessEpoch { block, time, thread, place: 0 },
        block_base,
        warp_base: time,
        ..ThreadClock::default()
    }
}

/// Whether the last of `accesses` to a word that holds something races.
fn races(accesses: &[(ThreadClock<'static>, WordAccess)]) -> bool {
    let mut word = ShadowWord::default();
    word.fill(15);
    let faults: Vec<_> = accesses.iter().map(|(who, touch)| word.access(SCOPE, who, *touch)).collect();
    faults.last().and_then(Option::as_deref).is_some_and(|fault| matches!(fault, Violation::Race { .. }))
}

#[test]
fn atomics_after_a_barrier_do_not_race_for_plain_reads_before_it() {
    let [a, b] = [who(0, 0, 0, 0), who(0, 0, 0, 40)];
    let [later_a, later_b] = [who(0, 1, 0, 0), who(0, 1, 0, 40)];
    assert!(!races(&[(a, READ), (b, READ), (later_a, ATOMIC), (later_b, ATOMIC)]));
    assert!(races(&[(a, READ), (later_a, READ), (later_b, ATOMIC)]));
    let [c, warp_a, warp_c] = [who(0, 0, 0, 1), who(0, 0, 1, 0), who(0, 0, 1, 1)];
    assert!(!races(&[(a, READ), (c, READ), (warp_a, ATOMIC), (warp_c, ATOMIC), (warp_a, ATOMIC)]));
    assert!(races(&[(a, READ), (warp_a, ATOMIC), (b, ATOMIC)]));
    assert!(races(&[(a, READ), (later_a, ATOMIC), (who(1, 0, 0, 0), ATOMIC)]));
    assert!(races(&[(a, READ), (warp_a, ATOMIC), (warp_c, READ), (warp_a, ATOMIC)]));
}

#[test]
fn a_store_that_changes_nothing_or_lowers_may_be_read_meanwhile_and_meets_no_plain_writer() {
    let [a, b] = [who(0, 0, 0, 0), who(1, 0, 0, 0)];
    for benign in [SILENT, LOWER] {
        assert!(!races(&[(a, benign), (b, READ)]) && !races(&[(a, READ), (b, benign)]));
        assert!(races(&[(a, benign), (b, WRITE)]) && races(&[(a, WRITE), (b, benign)]));
    }
    assert!(!races(&[(a, SILENT), (b, SILENT)]) && races(&[(a, LOWER), (b, LOWER)]));
    assert!(races(&[(a, LOWER), (b, SILENT)]));
}

#[test]
fn a_plain_store_does_not_hide_behind_one_that_is_meant() {
    let [a, b, other_block] = [who(0, 0, 0, 0), who(0, 0, 0, 1), who(1, 0, 0, 0)];
    for benign in [SILENT, LOWER] {
        for late in [b, other_block] {
            assert!(races(&[(a, WRITE), (a, benign), (late, READ)]));
            assert!(races(&[(a, WRITE), (a, benign), (a, benign), (late, READ)]));
            assert!(!races(&[(a, benign), (a, benign), (late, READ)]));
        }
        // A barrier orders the plain one before the readers of its block, and not before another block's.
        let [later_a, later_b] = [who(0, 1, 0, 0), who(0, 1, 0, 1)];
        assert!(!races(&[(a, WRITE), (later_a, benign), (later_b, READ)]));
        assert!(!races(&[(b, WRITE), (later_a, benign), (later_a, benign), (later_b, READ)]));
        assert!(races(&[(a, WRITE), (later_a, benign), (other_block, READ)]));
        assert!(races(&[(a, WRITE), (later_a, benign), (later_a, benign), (other_block, READ)]));
    }
    assert!(races(&[(a, LOWER), (a, SILENT), (other_block, SILENT)]));
}

/// Accesses to a word, in the order in which one host thread runs a block: epoch after epoch.
fn accesses(
    touches: &'static [WordAccess],
    masks: &'static [u8],
) -> impl Strategy<Value = Vec<(ThreadClock<'static>, WordAccess)>> {
    let touch = (prop::sample::select(touches), prop::sample::select(masks))
        .prop_map(|(touch, mask)| WordAccess { mask, ..touch });
    let one = (0..3u32, 0..3u32, 0..3u16, 0..70u16, touch);
    prop::collection::vec(one, 1..12).prop_map(|mut accesses| {
        accesses.sort_by_key(|&(block, epoch, warp_epoch, _, _)| (block, epoch, warp_epoch));
        let access =
            |(block, epoch, warp_epoch, thread, touch)| (who(block, epoch, warp_epoch, thread), touch);
        accesses.into_iter().map(access).collect()
    })
}

/// Whether two of the accesses are unordered, by looking at all pairs, and whether a race is found.
fn unordered_and_found(accesses: &[(ThreadClock<'static>, WordAccess)]) -> (bool, bool) {
    let pairs = accesses.iter().enumerate().any(|(at, (late, touch))| {
        accesses[..at].iter().any(|(early, earlier)| {
            touch.mask & earlier.mask != 0
                && (touch.writes || earlier.writes)
                && !(touch.atomic && earlier.atomic)
                && !late.follows(&early.who)
        })
    });
    (pairs, (1..=accesses.len()).any(|end| races(&accesses[..end])))
}

proptest! {
    #[test]
    fn a_race_is_found_exactly_when_two_accesses_of_a_byte_are_unordered(
        accesses in accesses(&[READ, WRITE], &[1, 2, 4, 8, 3, 12, 6, 15]),
    ) {
        let (unordered, found) = unordered_and_found(&accesses);
        prop_assert_eq!(found, unordered);
    }

    #[test]
    fn no_race_is_found_where_all_are_ordered_or_atomic(accesses in accesses(&[READ, WRITE, ATOMIC], &[15])) {
        let (unordered, found) = unordered_and_found(&accesses);
        prop_assert!(unordered || !found);
    }
}
