//! Solves again and again on the device, without the host.

use super::{Memory, Solver};
use crate::device::telemetry::{EnergyCounter, Monitor};
use crate::plan::RepeatRule;
use crate::protocol::Result;
use crate::store::Repeated;
use std::time::Instant;

impl Solver<'_> {
    /// Solves again and again on the device, after one solve of the same kind whose result the host verifies. None where the
    /// implementation cannot do it.
    pub(super) fn repeat(&mut self, rule: RepeatRule) -> Result<Option<Repeated>> {
        self.make_ready()?;
        let (graph, prepared) = self.matrix.last()?;
        let counter = self.on.first().and_then(|device| EnergyCounter::open(&device.info().uuid).ok());
        let Some(mut repeating) = prepared.repeating(graph.input())? else { return Ok(None) };
        repeating.queue(1)?;
        let right = repeating.result_digests()?;
        graph.take(Memory::PageLocked, |_, distances| repeating.download(distances))?;
        graph.verify()?;
        let joules = || counter.as_ref().and_then(|counter| counter.joules().ok());
        let mut repeated = Repeated { joules: joules(), ..Repeated::default() };
        if let Some(monitor) = &self.on.monitor {
            monitor.start();
        }
        let start = Instant::now();
        // What is queued at once takes a tenth of a second or so.
        let mut at_once = 1;
        while repeated.solves < rule.solves.max(1) || repeated.seconds < rule.seconds {
            repeating.queue(at_once)?;
            let names = repeating.result_digests()?;
            repeated.solves += names.len() as u64;
            repeated.different += names.iter().filter(|name| !right.contains(name)).count() as u64;
            repeated.seconds = start.elapsed().as_secs_f64();
            at_once = (0.1 * repeated.solves as f64 / repeated.seconds.max(1e-6)).clamp(1.0, 64.0) as usize;
        }
        repeated.joules = joules().zip(repeated.joules).map(|(after, before)| after - before);
        Ok(Some(repeated.watched(self.on.monitor.as_ref().and_then(Monitor::stop))))
    }
}
