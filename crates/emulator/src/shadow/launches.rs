//! Launches and copies that touch a word, on streams that wait for each other.

use super::tests::{ATOMIC, READ, WRITE, who};
use super::*;
use crate::history::QueuePosition;
use crate::pending_work::{self, StreamClock};
use proptest::prelude::*;

const ATOMIC_READ: WordAccess = WordAccess { writes: false, ..ATOMIC };

/// Streams whose launches use one word.
struct Streams {
    known: [StreamClock; 3],
    /// What each event stands for.
    events: [StreamClock; 3],
    serial: u32,
    word: ShadowWord,
}

/// What a launch races with: the number of the other, as its kernel is called, and whether that one writes.
type Race = Option<(u32, bool)>;

impl Streams {
    fn new() -> Self {
        let mut word = ShadowWord::default();
        word.fill(15);
        Self { known: Default::default(), events: Default::default(), serial: 0, word }
    }

    /// Queues a launch on a stream; it uses the word once or more often.
    fn launch(&mut self, stream: usize, touches: &[WordAccess]) -> Race {
        let place = self.place(stream);
        self.run(&place, false, touches)
    }

    fn place(&mut self, stream: usize) -> QueuePosition {
        self.serial += 1;
        let place =
            pending_work::place(self.serial, stream as u32, &self.known[stream], &self.serial.to_string());
        self.known[stream].insert(stream as u32, self.serial);
        place
    }

    fn run(&mut self, place: &QueuePosition, waited: bool, touches: &[WordAccess]) -> Race {
        let before = HappensBefore::of(place);
        let scope =
            ShadowScope { serial: place.serial, keeps: true, listed: false, before: Some(&before), waited };
        let thread = who(0, 0, 0, 0);
        let faults: Vec<_> =
            touches.iter().filter_map(|touch| self.word.access(scope, &thread, *touch)).collect();
        faults.into_iter().find_map(|fault| match *fault {
            Violation::Launches { kernel, other_writes, .. } => {
                Some((place.histories.kernel(kernel?).parse().unwrap(), other_writes))
            }
            _ => None,
        })
    }

    /// What is queued on a stream from here on comes after what was queued on another.
    fn wait(&mut self, stream: usize, other: usize) {
        self.record(other, 0);
        self.wait_for(stream, 0);
    }

    fn record(&mut self, stream: usize, event: usize) {
        pending_work::end_epoch(stream as u32);
        self.events[event] = self.known[stream].clone();
    }

    fn wait_for(&mut self, stream: usize, event: usize) {
        for (of, last) in self.events[event].clone() {
            let own = self.known[stream].entry(of).or_default();
            *own = last.max(*own);
        }
    }

    fn host_waits(&self, stream: usize) {
        pending_work::host_waits(&self.known[stream]);
    }
}

#[test]
fn of_launches_in_order_only_the_last_is_kept() {
    let mut streams = Streams::new();
    streams.launch(0, &[WRITE]);
    streams.wait(1, 0);
    streams.launch(1, &[WRITE]);
    streams.wait(2, 1);
    let known = |streams: &mut Streams| {
        let place = streams.place(2);
        place
            .histories
            .accesses(streams.word.0.history)
            .iter()
            .map(|access| access.kernel)
            .collect::<Vec<_>>()
    };
    assert_eq!(known(&mut streams), [1], "the kernel that came second");
    streams.launch(2, &[READ]);
    streams.wait(1, 2);
    streams.launch(1, &[READ]);
    assert_eq!(known(&mut streams).len(), 2, "the writer and the last reader");
    // Of readers without order, all.
    streams.launch(0, &[READ]);
    assert_eq!(known(&mut streams).len(), 3);
}

#[test]
fn a_launch_that_may_overlap_the_one_in_front_waits_for_it_first() {
    for (waited, race) in [(false, Some((1, true))), (true, None)] {
        let mut streams = Streams::new();
        streams.launch(0, &[WRITE]);
        let place = streams.place(0);
        let place = QueuePosition { overlapped: Some(1), ..place };
        assert_eq!(streams.run(&place, waited, &[READ]), race);
        // Others come after it either way.
        streams.wait(1, 0);
        assert_eq!(streams.launch(1, &[WRITE]), None);
    }
}

#[test]
fn where_the_host_never_waits_the_oldest_launches_are_forgotten() {
    let mut streams = Streams::new();
    streams.launch(0, &[WRITE]);
    let end_epochs = |count: usize, streams: &mut Streams| {
        for _ in 0..count {
            streams.place(1);
            streams.record(1, 0);
        }
    };
    end_epochs(4_000, &mut streams);
    assert_eq!(streams.launch(2, &[READ]), Some((1, true)));
    end_epochs(1_000, &mut streams);
    assert_eq!(streams.launch(2, &[READ]), None);
    // What the first stream does from here on is not forgotten with what it did then.
    let again = streams.serial + 1;
    assert_eq!(streams.launch(0, &[WRITE]), Some((4_002, false)));
    assert_eq!(streams.launch(1, &[READ]), Some((again, true)));
}

/// What happens on streams.
#[derive(Clone, Debug)]
enum StreamEvent {
    Launch(usize, Vec<WordAccess>),
    Record(usize, usize),
    WaitFor(usize, usize),
    HostWaits(usize),
}

fn happenings() -> impl Strategy<Value = Vec<StreamEvent>> {
    let touch = prop::sample::select(vec![READ, WRITE, ATOMIC, ATOMIC_READ]);
    let masked = (touch, prop::sample::select(vec![15u8, 15, 15, 1, 12]))
        .prop_map(|(touch, mask)| WordAccess { mask, ..touch });
    let touches = prop::collection::vec(masked, 1..3);
    let one = prop_oneof![
        6 => (0..3usize, touches).prop_map(|(stream, touches)| StreamEvent::Launch(stream, touches)),
        3 => (0..3usize, 0..3usize).prop_map(|(stream, event)| StreamEvent::Record(stream, event)),
        3 => (0..3usize, 0..3usize).prop_map(|(stream, event)| StreamEvent::WaitFor(stream, event)),
        1 => (0..3usize).prop_map(StreamEvent::HostWaits),
    ];
    prop::collection::vec(one, 1..32)
}

fn collide(one: &WordAccess, other: &WordAccess) -> bool {
    one.mask & other.mask != 0 && (one.writes || other.writes) && !(one.atomic && other.atomic)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Compared with all earlier launches, one by one. Atomic reads and plain writes collide as reads and writes do.
    #[test]
    fn a_race_is_found_exactly_when_an_earlier_launch_is_unordered(happenings in happenings()) {
        // What another case left is not known any more.
        (0..3).for_each(|stream| pending_work::host_waits(&[(stream, u32::MAX)].into_iter().collect()));
        let mut streams = Streams::new();
        // The launches that each stream, and the host, comes after.
        let mut before: [Vec<bool>; 3] = Default::default();
        let mut events: [Vec<bool>; 3] = Default::default();
        let mut host: Vec<bool> = Vec::new();
        let mut launches: Vec<Vec<WordAccess>> = Vec::new();
        for happening in happenings {
            match happening {
                StreamEvent::Launch(stream, touches) => {
                    let raced = (0..launches.len()).any(|at| {
                        !before[stream][at] && !host[at]
                            && launches[at].iter().any(|one| touches.iter().any(|other| collide(one, other)))
                    });
                    prop_assert_eq!(streams.launch(stream, &touches).is_some(), raced);
                    launches.push(touches);
                    (0..3).for_each(|of| before[of].push(of == stream));
                    host.push(false);
                }
                StreamEvent::Record(stream, event) => {
                    streams.record(stream, event);
                    events[event].clone_from(&before[stream]);
                }
                StreamEvent::WaitFor(stream, event) => {
                    streams.wait_for(stream, event);
                    before[stream].iter_mut().zip(&events[event]).for_each(|(own, other)| *own |= *other);
                }
                StreamEvent::HostWaits(stream) => {
                    streams.host_waits(stream);
                    host.iter_mut().zip(&before[stream]).for_each(|(host, known)| *host |= *known);
                }
            }
        }
    }
}
