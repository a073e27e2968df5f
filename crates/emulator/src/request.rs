//! What a CUDA thread asks of the emulator: it is suspended until the scheduler has an answer, which the file that handles the request gives.

use crate::barriers::Barriers;
use crate::bulk::{BulkCopy, check_left_copies, wait_for_bulk};
use crate::copies::Transfers;
use crate::finding::FindingKind;
use crate::report::FindingDetail;
use crate::resident::{DONE, LaunchAbort, RequestOutcome, RequestResult, ResidentBlocks, Site};
use crate::trace::AccessKind;
use crate::{atomics, tensor, warps};
use std::ffi::c_void;

/// A request, laid out as runtime.cpp writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Request {
    kind: u64,
    pub numbers: [u64; 8],
    /// Where in the code, as an offset into the library.
    place: u64,
}

macro_rules! requests {
    ($($name:ident),*) => {
        /// The kinds of requests, numbered as in runtime.cpp.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum RequestKind { $($name),* }
        const ALL: &[RequestKind] = &[$(RequestKind::$name),*];
    };
}
requests!(
    NextThread,
    Locate,
    Range,
    Deliberate,
    BeyondArray,
    AtomicBegin,
    AtomicEnd,
    Fence,
    ProxyFence,
    Barrier,
    Exchange,
    ClusterArrive,
    ClusterWait,
    Pause,
    Copy,
    CopyCommit,
    CopyWait,
    CopyArrive,
    Mbarrier,
    Bulk,
    Tensor,
    BulkCommit,
    BulkWait,
    FromShared,
    MapShared,
    SpaceOf,
    DependentsLaunch,
    DependencyWait,
    Misuse,
    Clock,
    Heap,
    HeapFree,
    Print
);

impl Request {
    /// Asks for the block's next thread, when a fiber's last one has ended.
    pub const NEXT_THREAD: Self = Self { kind: 0, numbers: [0; 8], place: 0 };

    pub fn kind(&self) -> Option<RequestKind> {
        ALL.get(self.kind as usize).copied()
    }

    pub fn place(&self) -> u32 {
        self.place as u32
    }

    pub fn number(&self, at: usize) -> u32 {
        self.numbers[at] as u32
    }

    pub fn address(&self, at: usize) -> usize {
        self.numbers[at] as usize
    }
}

/// Switches from a CUDA thread to the scheduler.
pub type FiberYielder = corosensei::Yielder<u64, Request>;

/// Suspends the running CUDA thread with a request, and returns the answer. Called by kernel code on that thread's stack.
///
/// # Safety
/// `context` is the [`FiberYielder`] of the running fiber, and `request` points to a request.
pub unsafe extern "C" fn ask(context: *mut c_void, request: *const Request) -> u64 {
    // SAFETY: as the caller promises; the switch lives as long as its fiber.
    unsafe { (*context.cast::<FiberYielder>()).suspend(*request) }
}

/// The blocks that a host thread runs, with the barriers and copies of their threads.
pub struct HostBlocks<'a> {
    pub all: ResidentBlocks<'a>,
    pub barriers: Barriers,
    pub transfers: Transfers,
    pub ticks: u64,
}

impl HostBlocks<'_> {
    /// Answers a request of `thread` of block `at`, or returns what it has to wait for.
    pub fn answer(&mut self, at: usize, thread: u32, request: &Request) -> RequestResult {
        let Self { all, barriers, transfers, ticks } = self;
        let site = Site { at, thread, place: request.place() };
        note_place(all, site);
        match request.kind().ok_or(LaunchAbort)? {
            RequestKind::NextThread => {
                check_left_copies(all, transfers, site);
                return Ok(RequestOutcome::Ended);
            }
            RequestKind::Locate => return atomics::access(all, site, request),
            RequestKind::Range => {
                let kind = AccessKind::from_number(request.numbers[2]);
                all.record_range(site, request.address(0), request.address(1), kind)?;
            }
            RequestKind::Deliberate => {
                all.block(site).allow_benign_store(request.address(0), request.number(1));
            }
            RequestKind::BeyondArray => {
                return all.stop(site, FindingKind::OutOfBounds, FindingDetail::BeyondArray);
            }
            RequestKind::AtomicBegin => return atomics::begin_atomic(all, site, request),
            RequestKind::AtomicEnd => return atomics::end_atomic(all, site, request),
            RequestKind::Fence => atomics::fence(all, site, request.number(1) == 0),
            RequestKind::ProxyFence => atomics::proxy_fence(all, site),
            RequestKind::Barrier => return barriers.arrive(all, site, request),
            RequestKind::Exchange => return warps::begin_exchange(all, site, request),
            RequestKind::ClusterArrive => {
                return barriers.cluster_arrive(all, site, request.number(0) == 0);
            }
            RequestKind::ClusterWait => return barriers.cluster_wait(all, site),
            RequestKind::Pause => return Ok(all.poll(site, 0)),
            RequestKind::Copy => return transfers.copy_async(all, site, request),
            RequestKind::CopyCommit => all.thread(site).copies.commit(),
            RequestKind::CopyWait => wait_for_copies(all, transfers, site, request),
            RequestKind::CopyArrive => return transfers.arrive(all, site, request),
            RequestKind::Mbarrier => return transfers.mbarriers.serve(all, site, request),
            RequestKind::Bulk | RequestKind::Tensor => return begin_bulk(all, transfers, site, request),
            RequestKind::BulkCommit => all.thread(site).bulk_copies.commit(),
            RequestKind::BulkWait => wait_for_bulk(all, transfers, site, request),
            RequestKind::FromShared => return answer(all.shared_place(at, request.number(0)) as u64),
            RequestKind::MapShared => return answer(u64::from(all.map_shared(at, request))),
            RequestKind::SpaceOf => return answer(all.space_of(at, request.address(0))),
            // Launches run one after another, so dependent ones start later anyway.
            RequestKind::DependentsLaunch => {}
            RequestKind::DependencyWait => {
                all.thread(site).clock.waited = true;
                all.block(site).begin_segment(thread);
            }
            RequestKind::Misuse => return misuse(all, site, request),
            RequestKind::Clock => {
                *ticks += 1;
                return answer(*ticks);
            }
            RequestKind::Heap => return answer(all.launch.heap_allocate(request.address(0)) as u64),
            RequestKind::HeapFree => return free(all, site, request.address(0)),
            RequestKind::Print => print(all, request),
        }
        DONE
    }
}

/// Completes the thread's pending volatile read, and notes where the thread is.
fn note_place(all: &mut ResidentBlocks, site: Site) {
    atomics::complete_volatile_read(all, site);
    if all.launch.spec.instruments.bounds {
        // Reads of variables by name are not seen here, so any request may be part of a loop that polls.
        all.progress.polled_reads += 1;
    }
    if site.place != 0 {
        all.thread(site).places.any = site.place;
    }
}

fn wait_for_copies(all: &mut ResidentBlocks, transfers: &mut Transfers, site: Site, request: &Request) {
    let landed = transfers.wait(all, site, |it| &mut it.copies, request.number(0));
    all.thread(site).clock.own_landed = landed;
    all.block(site).begin_segment(site.thread);
}

/// Begins a bulk or tensor copy; a prefetch begins none.
fn begin_bulk(
    all: &mut ResidentBlocks,
    transfers: &mut Transfers,
    site: Site,
    request: &Request,
) -> RequestResult {
    let is_bulk = request.kind() == Some(RequestKind::Bulk);
    let read = if is_bulk { BulkCopy::read } else { tensor::read_copy };
    read(all, site, request)?.map_or(DONE, |copy| copy.begin(all, transfers, site))
}

fn free(all: &mut ResidentBlocks, site: Site, address: usize) -> RequestResult {
    if !all.launch.heap_free(address) {
        let words = "frees what malloc did not give, or what was freed".to_string();
        return all.stop(site, FindingKind::OutOfBounds, FindingDetail::Words(words));
    }
    all.blocks.iter_mut().for_each(|block| block.recorder.forget());
    DONE
}

fn print(all: &ResidentBlocks, request: &Request) {
    // SAFETY: runtime.cpp gives text of its own of this length, on the stack of the suspended thread.
    let text = unsafe { std::slice::from_raw_parts(request.address(0) as *const u8, request.address(1)) };
    (all.launch.spec.print)(text);
}

fn answer(number: u64) -> RequestResult {
    Ok(RequestOutcome::Answer(number))
}

/// Reports a mistake that kernel headers or translated PTX found.
fn misuse(all: &mut ResidentBlocks, site: Site, request: &Request) -> RequestResult {
    let kind = match request.number(0) {
        0 => {
            let detail = FindingDetail::LaneOutside(request.number(1));
            let place = all.thread(site).places.exchange;
            all.report(Site { place, ..site }, FindingKind::WarpOperation, detail);
            return DONE;
        }
        1 | 2 => FindingKind::Trap,
        3 => FindingKind::Misaligned,
        _ => FindingKind::WarpOperation,
    };
    all.stop(site, kind, FindingDetail::Words(text_at(request.address(2))))
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
