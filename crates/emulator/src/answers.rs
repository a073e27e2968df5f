//! What each request of a CUDA thread comes to.

use crate::block::{PolledRead, Status};
use crate::finding::FindingKind;
use crate::launch::Raw;
use crate::request::{Request, What};
use crate::worker::{Next, Worker};

impl Worker<'_> {
    /// Answers a request of `thread` of block `at`, or returns what it has to wait for.
    pub fn answer(&mut self, at: usize, thread: u32, request: &Request) -> Next {
        self.settle(at, thread);
        if self.job.instruments.bounds {
            // A variable that is read by its name is not seen: whoever meets others may meanwhile wait for more.
            self.polled_reads += 1;
        }
        if request.place() != 0 {
            self.blocks[at].threads[thread as usize].last_place = request.place();
        }
        let (numbers, place) = (&request.numbers, request.place());
        let Some(what) = request.what() else { return Next::Stop };
        match what {
            What::NextThread => return Next::Ended,
            What::Locate => return self.access(at, thread, request),
            What::Range => return self.access_range(at, thread, request),
            What::Deliberate => {
                self.blocks[at].expect_store(request.address(0), request.number(1));
            }
            What::BeyondArray => {
                return self.stop(at, thread, FindingKind::OutOfBounds, place, Raw::BeyondArray);
            }
            What::AtomicBegin => return self.begin_atomic(at, thread, request),
            What::AtomicEnd => return self.end_atomic(at, thread, request),
            What::Fence => self.fence(at, thread, request),
            What::ProxyFence => self.proxy_fence(at, thread),
            What::Barrier => return self.arrive_at_barrier(at, thread, request),
            What::Exchange => return self.begin_exchange(at, thread, request),
            What::ClusterArrive => return self.arrive_at_cluster(at, thread, request),
            What::ClusterWait => return self.wait_for_cluster(at, thread, place),
            What::Pause => return self.poll(at, thread, place, 0),
            What::Copy => return self.copy_async(at, thread, request),
            What::CopyCommit => self.commit_copies(at, thread),
            What::CopyWait => self.wait_for_copies(at, thread, request.number(0)),
            What::CopyArrive => return self.arrive_with_copies(at, thread, request),
            What::Mbarrier => return self.use_mbarrier(at, thread, request),
            What::Bulk => return self.copy_bulk(at, thread, request),
            What::Tensor => return self.copy_tensor(at, thread, request),
            What::BulkCommit => self.commit_bulk(at, thread),
            What::BulkWait => self.wait_for_bulk(at, thread, request.number(0), numbers[1] != 0),
            What::FromShared => return Next::Answer(self.shared_place(at, request.number(0)) as u64),
            What::MapShared => return self.map_shared(at, request),
            What::SpaceOf => return Next::Answer(self.space_of(at, request.address(0))),
            // Whoever depends on this launch runs behind it.
            What::DependentsLaunch => {}
            What::DependencyWait => {
                self.blocks[at].threads[thread as usize].stamp.waited = true;
                self.blocks[at].begin_segment(thread);
            }
            What::Misuse => return self.misuse(at, thread, request),
            What::Clock => {
                self.ticks += 1;
                return Next::Answer(self.ticks);
            }
            What::Heap => return Next::Answer(self.job.heap_allocate(request.address(0)) as u64),
            What::HeapFree => {
                if !self.job.heap_free(request.address(0)) {
                    let raw = Raw::Words("frees what malloc did not give, or what was freed".to_string());
                    return self.stop(at, thread, FindingKind::OutOfBounds, place, raw);
                }
                self.blocks.iter_mut().for_each(|block| block.recorder.forget());
            }
            What::Print => {
                // SAFETY: runtime.cpp gives text of its own of this length, on the stack of the suspended thread.
                let text = unsafe {
                    std::slice::from_raw_parts(request.address(0) as *const u8, request.address(1))
                };
                (self.job.print)(text);
            }
        }
        Next::Answer(0)
    }

    /// Reports what lets the launch not go on.
    pub fn stop(&mut self, at: usize, thread: u32, kind: FindingKind, place: u32, raw: Raw) -> Next {
        self.report(at, thread, kind, place, raw);
        Next::Stop
    }

    pub fn report(&mut self, at: usize, thread: u32, kind: FindingKind, place: u32, raw: Raw) {
        if self.job.instruments.check || kind.stops() {
            self.tally.report(kind, self.blocks[at].number, thread, place, raw);
        }
    }

    /// The thread looked at memory that others may change: they have their turn now and then.
    pub fn poll(&mut self, at: usize, thread: u32, place: u32, address: usize) -> Next {
        const AT_ONCE: u32 = 32;
        let it = &mut self.blocks[at].threads[thread as usize];
        it.polls += 1;
        self.polled_reads += 1;
        self.moves += u64::from(it.polled.address != address);
        it.polled = PolledRead { place, address, count: self.polled_reads };
        if address != 0 && !it.polls.is_multiple_of(AT_ONCE) {
            return Next::Answer(0);
        }
        Next::Wait(Status::Polls { place, address })
    }

    /// What kernel headers and the text of PTX found wrong.
    fn misuse(&mut self, at: usize, thread: u32, request: &Request) -> Next {
        let words = text_at(request.address(2));
        let place = request.place();
        match request.number(0) {
            0 => {
                let raw = Raw::LaneOutside { lane: request.number(1) };
                let place = self.blocks[at].threads[thread as usize].exchanged;
                self.report(at, thread, FindingKind::WarpOperation, place, raw);
                Next::Answer(0)
            }
            1 | 2 => self.stop(at, thread, FindingKind::Trap, place, Raw::Words(words)),
            3 => self.stop(at, thread, FindingKind::Misaligned, place, Raw::Words(words)),
            _ => self.stop(at, thread, FindingKind::WarpOperation, place, Raw::Words(words)),
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
