//! Members that live but do not go on.

use crate::cluster::state::Peer;
use std::time::{Duration, Instant};

/// A member that has worked for longer than `limit` without progress while another waits, be it in the same work or after its end: nobody
/// needs what is done in a last step, but all wait for the answer. When all work and all wait for so long, it is
/// the one that did the fewest steps: the others wait for what it should have done.
pub fn stalled(peers: &[Peer], limit: Duration, now: Instant) -> Option<(usize, String)> {
    let works = |peer: &Peer| peer.doing.work.is_some();
    let stands = |peer: &Peer| now.duration_since(peer.changed) > limit;
    let waiting = peers.iter().position(|peer| peer.doing.waits)?;
    let standing = peers.iter().position(|peer| works(peer) && !peer.doing.waits && stands(peer));
    if let Some(rank) = standing {
        let since = now.duration_since(peers[rank].changed).as_secs_f64();
        return Some((rank, format!("it made no progress for {since:.1} s, while rank {waiting} waited")));
    }
    if !peers.iter().all(|peer| works(peer) && peer.doing.waits && stands(peer)) {
        return None;
    }
    let (rank, _) = peers.iter().enumerate().min_by_key(|(_, peer)| peer.doing.steps)?;
    let limit = limit.as_secs_f64();
    Some((
        rank,
        format!("all members have waited for each other for over {limit} s, and it did the fewest steps"),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::messages::Doing;

    const LIMIT: Duration = Duration::from_secs(20);

    /// Members of (steps, waits, works, seconds since the last change).
    fn lost(members: &[(u64, bool, bool, u64)]) -> Option<usize> {
        let start = Instant::now();
        let now = start + Duration::from_secs(1000);
        let peer = |&(steps, waits, works, seconds): &(u64, bool, bool, u64)| {
            let mut peer = Peer::new(now);
            let work = works.then(|| "w".to_string());
            peer.does(Doing { steps, waits, work }, now - Duration::from_secs(seconds));
            peer.changed = now - Duration::from_secs(seconds);
            peer
        };
        stalled(&members.iter().map(peer).collect::<Vec<_>>(), LIMIT, now).map(|(rank, _)| rank)
    }

    #[test]
    fn a_member_that_stands_while_another_waits_is_lost() {
        assert_eq!(lost(&[(5, true, true, 3), (4, false, true, 21)]), Some(1));
        assert_eq!(lost(&[(4, false, true, 21), (5, true, true, 3)]), Some(0));
        assert_eq!(lost(&[(5, true, true, 3), (4, false, true, 19)]), None);
    }

    #[test]
    fn a_member_that_stands_in_its_last_step_is_lost_to_those_who_are_done() {
        assert_eq!(lost(&[(5, true, false, 3), (4, false, true, 21)]), Some(1));
        assert_eq!(lost(&[(5, true, false, 3), (4, false, true, 19)]), None);
    }

    #[test]
    fn a_member_that_stands_while_nobody_waits_is_not() {
        assert_eq!(lost(&[(5, false, true, 3), (4, false, true, 900)]), None);
    }

    #[test]
    fn who_waits_is_not_to_blame() {
        assert_eq!(lost(&[(5, true, true, 900), (4, false, true, 3)]), None);
    }

    #[test]
    fn nobody_is_watched_between_two_works() {
        assert_eq!(lost(&[(5, true, true, 900), (4, false, false, 900)]), None);
        assert_eq!(lost(&[(5, true, false, 900), (4, false, false, 900)]), None);
        assert_eq!(lost(&[(5, true, true, 900), (4, true, false, 900)]), None);
    }

    #[test]
    fn of_members_that_all_wait_the_one_furthest_behind_is_lost() {
        assert_eq!(lost(&[(5, true, true, 21), (4, true, true, 22), (4, true, true, 23)]), Some(1));
        assert_eq!(lost(&[(5, true, true, 21), (4, true, true, 19)]), None);
    }
}
