//! Ending a process whose device may be stuck.

use std::thread;
use std::time::Duration;

/// What a process may take to free its devices once another is lost.
const LIMIT: Duration = Duration::from_secs(5);

/// Ends this process with `code` after `release`, in order if that takes no longer than a few seconds: NCCL and drivers may hang where a
/// process or a device is lost. After that it ends without them.
pub fn exit_within(code: i32, release: impl FnOnce()) -> ! {
    let armed = thread::Builder::new().spawn(move || {
        thread::sleep(LIMIT);
        end_now(code)
    });
    if armed.is_err() {
        end_now(code);
    }
    release();
    std::process::exit(code)
}

/// Ends this process without what libraries and drivers registered for the end.
fn end_now(code: i32) -> ! {
    #[cfg(unix)]
    {
        unsafe extern "C" {
            safe fn _exit(code: i32) -> !;
        }
        _exit(code)
    }
    #[cfg(not(unix))]
    {
        let _ = code;
        std::process::abort()
    }
}
