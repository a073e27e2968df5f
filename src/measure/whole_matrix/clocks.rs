//! Clocks other than the usual ones, each in a solve of its own, and solves without the host between them.

use super::{HostMemory, VariantSession};
use crate::device::telemetry::EnergyCounter;
use crate::device::{DeviceError, HostBuffer};
use crate::implementation::{Clock, NoClock, PreparedSolve, require_device};
use crate::measure::hardware::opener_like;
use crate::plan::RepeatRule;
use crate::protocol::Result;
use crate::store::RepeatTimes;
use crate::timing::{BackgroundLoad, ExtraClocks, HostClock, Scope, Seconds, SolveClock};
use std::time::Instant;

impl VariantSession<'_> {
    /// Solves once for each of these clocks, and verifies: no clock disturbs another. Those that mean nothing for the variant are not read.
    pub(super) fn read_other_clocks(&mut self, clocks: ExtraClocks) -> Result<Seconds> {
        let scopes = self.capabilities.scopes.clone();
        let mut seconds = Seconds::default();
        if clocks.cuda_graph && scopes.contains(&Scope::CudaGraph) {
            let mut clock = SolveClock::of_graph(&require_device(&self.on.devices)?)?;
            self.solve_verified(HostMemory::PageLocked, &mut clock)?;
            seconds.extend([(Scope::CudaGraph, clock.read()?.0)]);
        }
        for (scope, mut clock) in [
            (Scope::HostUnsynced, HostClock::unsynchronized()),
            (Scope::HostSynced, HostClock::synchronized()),
        ] {
            if clocks.host && scopes.contains(&scope) {
                self.solve_verified(HostMemory::Pageable, &mut clock)?;
                seconds.extend(clock.read().iter());
            }
        }
        if clocks.everything && scopes.contains(&Scope::Everything) {
            seconds.extend([(Scope::Everything, self.solve_with_everything()?)]);
        }
        if clocks.loaded && scopes.contains(&Scope::CopyOutUnsyncedLoaded) {
            let mut clock = HostClock::unsynchronized();
            self.solve_under_load(&mut clock)?;
            let copy = clock.read().get(Scope::CopyOutUnsynced);
            seconds.extend(copy.map(|copy| (Scope::CopyOutUnsyncedLoaded, copy)));
        }
        Ok(seconds)
    }

    /// Solves and verifies while the device that times it does other work, too. That load is opened once; after a failure, anew.
    fn solve_under_load(&mut self, clock: &mut dyn Clock) -> Result<()> {
        let mut load = match self.on.load.take() {
            Some(load) => load,
            None => {
                let device = require_device(&self.on.devices)?;
                BackgroundLoad::open(opener_like(&*device, device.info().ordinal))?
            }
        };
        load.during(|| self.solve(HostMemory::Pageable, clock))??;
        self.on.load = Some(load);
        self.matrix.graph.verify().map(drop)
    }

    /// Solves and verifies in device memory that is allocated and freed for this solve alone.
    fn solve_with_everything(&mut self) -> Result<f64> {
        let (graph, prepared) = self.matrix.ready(self.on, self.variant)?;
        let time = |weights: &_, distances: &mut _| time_everything(prepared, weights, distances);
        // A solve that fails half-way is left without its memory, and is not used again.
        let seconds = graph.solve(HostMemory::Pageable, time).inspect_err(|_| self.forget())?;
        self.matrix.graph.verify()?;
        Ok(seconds)
    }

    /// Solves again and again on the device, after one solve of the same kind whose result the host verifies. None where the
    /// implementation cannot do it.
    pub(super) fn repeat(&mut self, rule: RepeatRule) -> Result<Option<RepeatTimes>> {
        let (graph, prepared) = self.matrix.ready(self.on, self.variant)?;
        let counter =
            self.on.devices.first().and_then(|device| EnergyCounter::open(&device.info().uuid).ok());
        let Some(mut repeating) = prepared.repeating(&graph.input)? else { return Ok(None) };
        repeating.queue(1)?;
        let right = repeating.result_digests()?;
        graph.solve(HostMemory::PageLocked, |_, distances| repeating.download(distances))?;
        graph.verify()?;
        let joules = || counter.as_ref().and_then(|counter| counter.joules().ok());
        let mut repeated = RepeatTimes { joules: joules(), ..RepeatTimes::default() };
        self.on.start_telemetry();
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
        Ok(Some(repeated.watched(self.on.telemetry())))
    }
}

/// Solves in memory that is allocated for this solve and freed after it, and takes its time: pogorilyy-cuda counts
/// the allocation of device memory, the copies, the creation of threads and synchronization by the CPU among what a solve costs.
/// Returns the seconds of [`Scope::Everything`](crate::implementation::Scope). `prepared` has memory again afterwards.
///
/// # Errors
/// When its memory cannot be given back or had again, and what the solver reports.
fn time_everything(
    prepared: &mut dyn PreparedSolve,
    graph: &HostBuffer,
    distances: &mut HostBuffer,
) -> Result<f64, DeviceError> {
    prepared.free()?;
    let start = Instant::now();
    prepared.allocate()?;
    prepared.run(graph, distances, &mut NoClock)?;
    prepared.collect()?;
    prepared.free()?;
    let seconds = start.elapsed().as_secs_f64();
    prepared.allocate()?;
    Ok(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Selection;
    use crate::device::emulated::Instruments;
    use crate::graph::{ElementType, RandomGraph};
    use crate::implementation::{ImplementationRef, Parameters};
    use crate::measure::hardware::Hardware;
    use crate::measure::whole_matrix::WholeMatrix;
    use crate::measure::whole_matrix::graph::tests::request;
    use crate::plan::Variant;
    use std::thread::sleep;
    use std::time::Duration;

    /// Takes 2 ms for each call, and keeps their names.
    struct Slow(Vec<&'static str>);

    impl Slow {
        fn called(&mut self, name: &'static str) -> Result<(), DeviceError> {
            sleep(Duration::from_millis(2));
            self.0.push(name);
            Ok(())
        }
    }

    impl PreparedSolve for Slow {
        fn run(&mut self, _: &HostBuffer, _: &mut HostBuffer, _: &mut dyn Clock) -> Result<(), DeviceError> {
            self.called("run")
        }

        fn collect(&mut self) -> Result<(), DeviceError> {
            self.called("collect")
        }

        fn free(&mut self) -> Result<(), DeviceError> {
            self.called("free")
        }

        fn allocate(&mut self) -> Result<(), DeviceError> {
            self.called("allocate")
        }
    }

    #[test]
    fn everything_is_from_allocating_to_freeing() {
        let mut slow = Slow(Vec::new());
        let [graph, mut distances] = [(); 2].map(|()| HostBuffer::pageable(8).unwrap());
        let seconds = time_everything(&mut slow, &graph, &mut distances).unwrap();
        assert!((8e-3..1.0).contains(&seconds), "{seconds}");
        assert_eq!(slow.0, ["free", "allocate", "run", "collect", "free", "allocate"]);
    }

    fn variant(name: &str) -> Variant {
        Variant { implementation: ImplementationRef::find(name), parameters: Parameters::default() }
    }

    fn solver<'a>(
        matrix: &'a mut WholeMatrix,
        on: &'a mut Hardware,
        variant: &'a Variant,
    ) -> VariantSession<'a> {
        let capabilities = variant.known().unwrap().capabilities(&variant.parameters);
        VariantSession { matrix, on, variant, capabilities }
    }

    /// A graph on the emulated device.
    fn loaded() -> (WholeMatrix, Hardware) {
        let mut on = Hardware::default();
        on.open_device(Selection::Emulated(None), Instruments::NONE, 0);
        let random = RandomGraph { density: 0.5, max_weight: 9, ..RandomGraph::complete(1) };
        (WholeMatrix::load(&on, &request(random, ElementType::F32, 20)).unwrap(), on)
    }

    #[test]
    fn a_solve_in_memory_of_its_own_or_beside_other_work_is_right_and_so_are_those_after_it() {
        let (mut matrix, mut on) = loaded();
        // On plain rows, and in a layout of its own.
        for name in ["global-memory", "staged-load"] {
            let variant = variant(name);
            for _ in 0..2 {
                let seconds = solver(&mut matrix, &mut on, &variant).solve_with_everything().unwrap();
                assert!(seconds > 0.0);
                solver(&mut matrix, &mut on, &variant)
                    .solve_verified(HostMemory::PageLocked, &mut NoClock)
                    .unwrap();
            }
        }
        assert_eq!(matrix.solves.len(), 2);
        // So is one beside other work, and the copy after it is timed.
        let variant = variant("global-memory");
        let mut launches = 0;
        for _ in 0..2 {
            let clocks = ExtraClocks { loaded: true, ..ExtraClocks::default() };
            let seconds = solver(&mut matrix, &mut on, &variant).read_other_clocks(clocks).unwrap();
            let scopes: Vec<Scope> = seconds.iter().map(|(scope, _)| scope).collect();
            assert_eq!(scopes, [Scope::CopyOutUnsyncedLoaded]);
            // The same thread goes on.
            let more = on.load.as_ref().unwrap().launches();
            assert!(more >= launches + 2, "{launches} {more}");
            launches = more;
        }
        solver(&mut matrix, &mut on, &variant).solve_verified(HostMemory::PageLocked, &mut NoClock).unwrap();
    }

    #[test]
    fn what_cannot_give_back_its_memory_is_prepared_again() {
        let (mut matrix, mut on) = loaded();
        let variant = variant("cpu-naive");
        let failure = solver(&mut matrix, &mut on, &variant).solve_with_everything().unwrap_err();
        assert!(failure.message.contains("cannot give back its memory"), "{}", failure.message);
        assert!(matrix.solves.is_empty());
        // Nor is it asked to where scopes say so.
        let clocks = ExtraClocks { everything: true, loaded: true, ..ExtraClocks::default() };
        assert_eq!(
            solver(&mut matrix, &mut on, &variant).read_other_clocks(clocks).unwrap(),
            Seconds::default()
        );
        solver(&mut matrix, &mut on, &variant).solve_verified(HostMemory::PageLocked, &mut NoClock).unwrap();
    }
}
