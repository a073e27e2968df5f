//! One observer for two lanes: whose line it is, and how far both are together.

use super::Both;
use crate::measure::event::{Doing, Event, RunObserver};
use crate::store::{Derived, Journal, Side};
use repro_base::CellId;
use std::cell::RefCell;

/// What both lanes show.
pub struct SharedProgress<'a> {
    pub observer: &'a mut dyn RunObserver,
    pub latest: Both<Latest>,
}

/// How far a lane was when it last reported.
#[derive(Clone, Copy, Default)]
pub struct Latest {
    done: usize,
    of: usize,
    remaining_s: Option<f64>,
}

/// The observer of one lane.
pub struct SideObserver<'s, 'a> {
    pub side: Side,
    pub progress: &'s RefCell<SharedProgress<'a>>,
}

impl RunObserver for SideObserver<'_, '_> {
    fn event(&mut self, event: Event) {
        self.progress.borrow_mut().observer.event(Event::Of(self.side, &event));
    }

    fn doing(&mut self, doing: Doing, done: usize, of: usize, remaining_s: Option<f64>) {
        let mut progress = self.progress.borrow_mut();
        *progress.latest.get_mut(self.side) = Latest { done, of, remaining_s };
        let Both { base, new } = progress.latest;
        let remaining_s = base.remaining_s.zip(new.remaining_s).map(|(base, new)| base + new);
        let doing = Doing::Of(self.side, &doing);
        progress.observer.doing(doing, base.done + new.done, base.of + new.of, remaining_s);
    }

    fn derived(&self, journal: &Journal, cells: &[CellId]) -> Derived {
        self.progress.borrow().observer.derived(journal, cells)
    }
}
