//! RequestKind each request of a CUDA thread comes to.

use crate::block::{PolledRead, ThreadState};
use crate::finding::FindingKind;
use crate::launch::FindingDetail;
use crate::request::{Request, RequestKind};
use crate::worker::{RequestOutcome, Worker};

impl Worker<'_> {
    /// Answers a request of `thread` of block `at`, or returns what it has to wait for.
    pub fn answer(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        self.complete_volatile_read(at, thread);
        if self.job.instruments.bounds {
            // A variable that is read by its name is not seen: whoever meets others may meanwhile wait for more.
            self.polled_reads += 1;
        }
        if request.place() != 0 {
            self.blocks[at].threads[thread as usize].last_place = request.place();
        }
        let (numbers, place) = (&request.numbers, request.place());
        let Some(what) = request.what() else { return RequestOutcome::Stop };
        match what {
            RequestKind::NextThread => return RequestOutcome::Ended,
            RequestKind::Locate => return self.access(at, thread, request),
            RequestKind::Range => return self.access_range(at, thread, request),
            RequestKind::Deliberate => {
                self.blocks[at].allow_benign_store(request.address(0), request.number(1));
            }
            RequestKind::BeyondArray => {
                return self.stop(at, thread, FindingKind::OutOfBounds, place, FindingDetail::BeyondArray);
            }
            RequestKind::AtomicBegin => return self.begin_atomic(at, thread, request),
            RequestKind::AtomicEnd => return self.end_atomic(at, thread, request),
            RequestKind::Fence => self.fence(at, thread, request),
            RequestKind::ProxyFence => self.proxy_fence(at, thread),
            RequestKind::Barrier => return self.arrive_at_barrier(at, thread, request),
            RequestKind::Exchange => return self.begin_exchange(at, thread, request),
            RequestKind::ClusterArrive => return self.arrive_at_cluster(at, thread, request),
            RequestKind::ClusterWait => return self.wait_for_cluster(at, thread, place),
            RequestKind::Pause => return self.poll(at, thread, place, 0),
            RequestKind::Copy => return self.copy_async(at, thread, request),
            RequestKind::CopyCommit => self.commit_copies(at, thread),
            RequestKind::CopyWait => self.wait_for_copies(at, thread, request.number(0)),
            RequestKind::CopyArrive => return self.arrive_with_copies(at, thread, request),
            RequestKind::Mbarrier => return self.use_mbarrier(at, thread, request),
            RequestKind::Bulk => return self.copy_bulk(at, thread, request),
            RequestKind::Tensor => return self.copy_tensor(at, thread, request),
            RequestKind::BulkCommit => self.commit_bulk(at, thread),
            RequestKind::BulkWait => self.wait_for_bulk(at, thread, request.number(0), numbers[1] != 0),
            RequestKind::FromShared => {
                return RequestOutcome::Answer(self.shared_place(at, request.number(0)) as u64);
            }
            RequestKind::MapShared => return self.map_shared(at, request),
            RequestKind::SpaceOf => return RequestOutcome::Answer(self.space_of(at, request.address(0))),
            // Whoever depends on this launch runs behind it.
            RequestKind::DependentsLaunch => {}
            RequestKind::DependencyWait => {
                self.blocks[at].threads[thread as usize].stamp.waited = true;
                self.blocks[at].begin_segment(thread);
            }
            RequestKind::Misuse => return self.misuse(at, thread, request),
            RequestKind::Clock => {
                self.ticks += 1;
                return RequestOutcome::Answer(self.ticks);
            }
            RequestKind::Heap => {
                return RequestOutcome::Answer(self.job.heap_allocate(request.address(0)) as u64);
            }
            RequestKind::HeapFree => {
                if !self.job.heap_free(request.address(0)) {
                    let raw =
                        FindingDetail::Words("frees what malloc did not give, or what was freed".to_string());
                    return self.stop(at, thread, FindingKind::OutOfBounds, place, raw);
                }
                self.blocks.iter_mut().for_each(|block| block.recorder.forget());
            }
            RequestKind::Print => {
                // SAFETY: runtime.cpp gives text of its own of this length, on the stack of the suspended thread.
                let text = unsafe {
                    std::slice::from_raw_parts(request.address(0) as *const u8, request.address(1))
                };
                (self.job.print)(text);
            }
        }
        RequestOutcome::Answer(0)
    }

    /// Reports what lets the launch not go on.
    pub fn stop(
        &mut self,
        at: usize,
        thread: u32,
        kind: FindingKind,
        place: u32,
        raw: FindingDetail,
    ) -> RequestOutcome {
        self.report(at, thread, kind, place, raw);
        RequestOutcome::Stop
    }

    pub fn report(&mut self, at: usize, thread: u32, kind: FindingKind, place: u32, raw: FindingDetail) {
        if self.job.instruments.check || kind.stops() {
            self.tally.report(kind, self.blocks[at].number, thread, place, raw);
        }
    }

    /// The thread looked at memory that others may change: they have their turn now and then.
    pub fn poll(&mut self, at: usize, thread: u32, place: u32, address: usize) -> RequestOutcome {
        const AT_ONCE: u32 = 32;
        let it = &mut self.blocks[at].threads[thread as usize];
        it.polls += 1;
        self.polled_reads += 1;
        self.moves += u64::from(it.polled.address != address);
        it.polled = PolledRead { place, address, count: self.polled_reads };
        if address != 0 && !it.polls.is_multiple_of(AT_ONCE) {
            return RequestOutcome::Answer(0);
        }
        RequestOutcome::Wait(ThreadState::Polls { place, address })
    }

    /// RequestKind kernel headers and the text of PTX found wrong.
    fn misuse(&mut self, at: usize, thread: u32, request: &Request) -> RequestOutcome {
        let words = text_at(request.address(2));
        let place = request.place();
        match request.number(0) {
            0 => {
                let raw = FindingDetail::LaneOutside { lane: request.number(1) };
                let place = self.blocks[at].threads[thread as usize].exchanged;
                self.report(at, thread, FindingKind::WarpOperation, place, raw);
                RequestOutcome::Answer(0)
            }
            1 | 2 => self.stop(at, thread, FindingKind::Trap, place, FindingDetail::Words(words)),
            3 => self.stop(at, thread, FindingKind::Misaligned, place, FindingDetail::Words(words)),
            _ => self.stop(at, thread, FindingKind::WarpOperation, place, FindingDetail::Words(words)),
        }
    }
}

/// The text at an address that a kernel gave; nothing at null.
fn text_at(address: usize) -> String {
    if address == 0 {
        return String::new();
    }
    // SAFETY: string literals of the headers and of kernels, which end in 0.
    let text = unsafe { std::ffi::CStr::from_ptr(address as *const std::ffi::c_char) };
    text.to_string_lossy().into_owned()
}
