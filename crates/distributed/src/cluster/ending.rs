//! Ending a process whose threads may be stuck.

use std::io::Write;
use std::thread;
use std::time::Duration;

/// Ends this process with `code`, in order if that takes no longer than `limit`: handlers that libraries and drivers registered for the
/// end are called, and may hang when a device is lost. After the limit it ends without them.
pub fn exit_within(code: i32, limit: Duration) -> ! {
    arm(code, limit);
    std::process::exit(code)
}

/// Ends this process at once when it still lives after `limit`.
pub fn arm(code: i32, limit: Duration) {
    let armed = thread::Builder::new().name("end".into()).spawn(move || {
        thread::sleep(limit);
        end_now(code)
    });
    if armed.is_err() {
        end_now(code);
    }
}

/// Ends this process with `code`, without what libraries and drivers registered for the end. A driver that ends in order makes calls of
/// other threads fail, which would write lines of their own, or it hangs.
pub fn end_now(code: i32) -> ! {
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

/// Writes one line to standard error. Names in it may hold line ends. A reader that left is no reason to stop.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "error: {}", line.replace(char::is_control, " "));
}
