//! Code of a kernel that cannot go on, or does not come to an end: a signal of the processor in it, or the end of the launch's time.
//! The thread's fiber is then left, as if the kernel had returned, and what happened is known to whoever resumed it.
//! At the end of the launch's time the host threads that run it are interrupted.

use crate::stack::{BELOW, SLOT_BYTES};
use corosensei::trap::CoroutineTrapHandler;
use libc::{SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTRAP, SIGURG, c_int, c_void, siginfo_t};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// Why code did not go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapCause {
    /// An integer was divided by zero, or the least one by -1.
    Division,
    /// It ran over the end of its stack.
    Stack,
    /// It went on at this address, where there is no code.
    NoCode(usize),
    /// It touched this address, where there is no memory that it may touch so.
    Memory(usize),
    /// An instruction that the processor refuses.
    Instruction,
    /// The launch's time was over.
    Time,
}

/// What ended the code of a thread.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    pub cause: TrapCause,
    /// Addresses just after instructions of the library, the likeliest first; 0 where there is none.
    pub places: [usize; PLACES],
}

/// How many places are kept: the instruction, the return address of its function, and what lies on the stack above, where a
/// function of the emulator that a kernel called may have left more.
const PLACES: usize = 8;
/// Words of the stack that are looked through.
const WORDS: usize = 64;

/// The fiber that a host thread runs.
#[derive(Clone, Copy)]
struct RunningFiber {
    fiber: CoroutineTrapHandler<()>,
    /// The addresses of the library, from and to.
    code: (usize, usize),
    /// Whether the launch's time is over.
    overdue: *const AtomicBool,
}

thread_local! {
    static RUNNING: Cell<Option<RunningFiber>> = const { Cell::new(None) };
    static TRAPPED: Cell<Option<Trap>> = const { Cell::new(None) };
    static HAS_STACK: Cell<bool> = const { Cell::new(false) };
}

/// Signals that the processor causes, and the one that ends what takes too long: nobody else sends it, and it is ignored elsewhere.
const SIGNALS: [c_int; 6] = [SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, OVERDUE];
pub const OVERDUE: c_int = SIGURG;
/// The actions that these signals had before.
static EARLIER: [OnceLock<libc::sigaction>; SIGNALS.len()] = [const { OnceLock::new() }; SIGNALS.len()];

/// Resumes a fiber by `resume`, and returns what ended its code from outside, if something did: the fiber has then returned.
pub fn resume<R>(
    fiber: CoroutineTrapHandler<()>,
    code: &Range<usize>,
    overdue: &AtomicBool,
    resume: impl FnOnce() -> R,
) -> (R, Option<Trap>) {
    RUNNING.set(Some(RunningFiber { fiber, code: (code.start, code.end), overdue }));
    let result = resume();
    RUNNING.set(None);
    (result, TRAPPED.take())
}

/// Installs the signal handlers in this process, once, and gives this host thread a stack for them.
pub fn prepare() {
    static ONCE: OnceLock<()> = OnceLock::new();
    ONCE.get_or_init(|| SIGNALS.iter().zip(&EARLIER).for_each(|(signal, earlier)| install(*signal, earlier)));
    if !HAS_STACK.replace(true) {
        provide_stack();
    }
}

fn install(signal: c_int, earlier: &OnceLock<libc::sigaction>) {
    // SAFETY: the structures are plain data, of which zero is a value; the handler has the signature that SA_SIGINFO asks for, and
    // does only what a handler may: it reads and writes cells of its thread, the context that it was given, and the fiber's stack.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let mut before: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        libc::sigemptyset(&raw mut action.sa_mask);
        // Stored before the handler can need it.
        if libc::sigaction(signal, std::ptr::null(), &raw mut before) == 0 {
            let _ = earlier.set(before);
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

/// Gives the host thread an alternate signal stack, if it has none: the fiber's own stack may be what is used up.
fn provide_stack() {
    const BYTES: usize = 64 << 10;
    // SAFETY: plain data, as above; the memory is never freed, so it outlives the thread.
    unsafe {
        let mut known: libc::stack_t = std::mem::zeroed();
        let asked = libc::sigaltstack(std::ptr::null(), &raw mut known);
        if asked == 0 && known.ss_flags & libc::SS_DISABLE != 0 {
            let memory = Box::leak(vec![0u8; BYTES].into_boxed_slice());
            let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: BYTES };
            libc::sigaltstack(&raw const stack, std::ptr::null_mut());
        }
    }
}

extern "C" fn on_signal(signal: c_int, info: *mut siginfo_t, context: *mut c_void) {
    // SAFETY: the system gives a handler the signal's own data.
    let address = unsafe { (*info).si_addr() } as usize;
    let trap = RUNNING.get().and_then(|running| Some((running, trap(&running, signal, address, context)?)));
    if let Some((running, trap)) = trap {
        RUNNING.set(None);
        TRAPPED.set(Some(trap));
        // SAFETY: the fiber is suspended inside of its code, by this signal, and its stack pointer was found to be within its
        // stack. What is left there owns nothing: kernels and what passes their requests on have nothing to drop.
        unsafe { registers::go_on_at(context, running.fiber.setup_trap_handler(|| ())) };
    } else if signal != OVERDUE {
        // Not a kernel's: the signal comes again at once, and finds the earlier action.
        let at = SIGNALS.iter().position(|known| *known == signal);
        if let Some(before) = at.and_then(|at| EARLIER[at].get()) {
            // SAFETY: what sigaction gave earlier.
            unsafe { libc::sigaction(signal, before, std::ptr::null_mut()) };
        }
    }
}

/// What a signal means for the fiber that runs; None where it is none of the kernel's, or comes where the code cannot be left.
fn trap(running: &RunningFiber, signal: c_int, address: usize, context: *mut c_void) -> Option<Trap> {
    // SAFETY: the kernel gives a handler the context of what it interrupted, and nobody else has it meanwhile.
    let (at, stack) = unsafe { registers::read(context) };
    if !running.fiber.stack_ptr_in_bounds(stack) {
        return None;
    }
    let in_code = |address: usize| address > running.code.0 && address < running.code.1;
    let slot = stack & !(SLOT_BYTES - 1);
    let cause = match signal {
        OVERDUE => {
            // SAFETY: the launch outlives the fiber.
            let is_overdue = unsafe { (*running.overdue).load(Ordering::Relaxed) };
            // What a kernel calls in the host may hold a lock.
            return (is_overdue && in_code(at))
                .then(|| Trap { cause: TrapCause::Time, places: first([at + 1].into_iter()) });
        }
        SIGFPE => TrapCause::Division,
        SIGILL | SIGTRAP => TrapCause::Instruction,
        _ if (slot..slot + BELOW).contains(&address) => TrapCause::Stack,
        _ if address == at => TrapCause::NoCode(address),
        _ => TrapCause::Memory(address),
    };
    // SAFETY: as above.
    let caller = unsafe { registers::caller(context) };
    let readable = stack.next_multiple_of(size_of::<usize>()).max(slot + BELOW)..slot + SLOT_BYTES;
    // SAFETY: the stack pointer is within the fiber's stack, of which this is the part above the guard.
    let words =
        readable.step_by(size_of::<usize>()).take(WORDS).map(|word| unsafe { *(word as *const usize) });
    let places = first([at + 1, caller].into_iter().chain(words).filter(|place| in_code(*place)));
    Some(Trap { cause, places })
}

/// The first [`PLACES`] of them, filled up with zeros.
fn first(places: impl Iterator<Item = usize>) -> [usize; PLACES] {
    let mut kept = [0; PLACES];
    kept.iter_mut().zip(places).for_each(|(to, place)| *to = place);
    kept
}

/// The registers of what a signal interrupted.
#[cfg(target_arch = "x86_64")]
mod registers {
    use corosensei::trap::TrapHandlerRegs;
    use libc::{REG_RBP, REG_RDI, REG_RIP, REG_RSI, REG_RSP, c_void, ucontext_t};

    /// The instruction pointer and the stack pointer.
    ///
    /// # Safety
    /// The context is what a handler was given, and is used by nobody else.
    pub unsafe fn read(context: *mut c_void) -> (usize, usize) {
        // SAFETY: as the caller promises.
        let registers = unsafe { (*context.cast::<ucontext_t>()).uc_mcontext.gregs };
        (registers[REG_RIP as usize] as usize, registers[REG_RSP as usize] as usize)
    }

    /// The return address of a function that was just called, if it is in a register and not on the stack; else 0.
    ///
    /// # Safety
    /// None.
    pub unsafe fn caller(_: *mut c_void) -> usize {
        0
    }

    /// # Safety
    /// As for [`read`]; the values are those that the fiber asks for.
    pub unsafe fn go_on_at(context: *mut c_void, to: TrapHandlerRegs) {
        // SAFETY: as the caller promises.
        let registers = unsafe { &mut (*context.cast::<ucontext_t>()).uc_mcontext.gregs };
        let TrapHandlerRegs { rip, rsp, rbp, rdi, rsi } = to;
        for (register, value) in
            [(REG_RIP, rip), (REG_RSP, rsp), (REG_RBP, rbp), (REG_RDI, rdi), (REG_RSI, rsi)]
        {
            registers[register as usize] = value.cast_signed();
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod registers {
    use corosensei::trap::TrapHandlerRegs;
    use libc::{c_void, ucontext_t};

    /// The instruction pointer and the stack pointer.
    ///
    /// # Safety
    /// The context is what a handler was given, and is used by nobody else.
    pub unsafe fn read(context: *mut c_void) -> (usize, usize) {
        // SAFETY: as the caller promises.
        let context = unsafe { &(*context.cast::<ucontext_t>()).uc_mcontext };
        (context.pc as usize, context.sp as usize)
    }

    /// The return address of a function that was just called, if it is in a register and not on the stack; else 0.
    ///
    /// # Safety
    /// As for [`read`].
    pub unsafe fn caller(context: *mut c_void) -> usize {
        // SAFETY: as the caller promises.
        unsafe { (*context.cast::<ucontext_t>()).uc_mcontext.regs[30] as usize }
    }

    /// # Safety
    /// As for [`read`]; the values are those that the fiber asks for.
    pub unsafe fn go_on_at(context: *mut c_void, to: TrapHandlerRegs) {
        let TrapHandlerRegs { pc, sp, x0, x1, x29, lr } = to;
        // SAFETY: as the caller promises.
        let context = unsafe { &mut (*context.cast::<ucontext_t>()).uc_mcontext };
        (context.pc, context.sp) = (pc, sp);
        (context.regs[0], context.regs[1], context.regs[29], context.regs[30]) = (x0, x1, x29, lr);
    }
}

/// How long after an interrupt the next follows: a kernel that is in code of the host when it comes is not stopped by it.
const AGAIN: Duration = Duration::from_millis(10);

/// How long a launch may take, by the clock on the wall.
#[derive(Default)]
pub struct WallClockLimit {
    pub time: Option<Duration>,
    /// Whether the time is over.
    pub is_over: AtomicBool,
    /// The host threads that run the launch, as the system names them.
    threads: Mutex<Vec<libc::pthread_t>>,
}

impl WallClockLimit {
    pub fn of(time: Option<Duration>) -> Self {
        Self { time, ..Self::default() }
    }

    #[inline]
    pub fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Does `work` on this host thread, which is interrupted when the time ends.
    pub fn interrupting(&self, work: impl FnOnce()) {
        prepare();
        // SAFETY: the calling thread's own name.
        let own = unsafe { libc::pthread_self() };
        let threads = || self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads().push(own);
        work();
        threads().retain(|thread| *thread != own);
    }

    /// Does `work`, and interrupts the threads that are at it when the time is over.
    pub fn watch(&self, work: impl FnOnce()) {
        let Some(time) = self.time else { return work() };
        std::thread::scope(|scope| {
            let (done, is_done) = channel::<()>();
            let watch = move || {
                let mut pause = time;
                while is_done.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                    self.is_over.store(true, Ordering::Relaxed);
                    pause = AGAIN;
                    for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                        // SAFETY: it runs: it takes its name off this list, which is locked, before it ends.
                        unsafe { libc::pthread_kill(*thread, OVERDUE) };
                    }
                }
            };
            // If the thread cannot be started, the launch has no limit.
            let _ = std::thread::Builder::new().name("launch limit".into()).spawn_scoped(scope, watch);
            work();
            drop(done);
        });
    }
}
