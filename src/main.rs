#[cfg(feature = "fault-injection")]
#[path = "../tests/common/faults.rs"]
mod faults;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = repro::external::serve_if_asked() {
        return code;
    }
    repro_solve::name_program("repro");
    repro::distributed::register();
    #[cfg(feature = "fault-injection")]
    faults::register();
    repro_base::files::report_size_limit();
    // Before anything starts a thread.
    repro::distributed::nccl::set_nccl_defaults();
    repro::cli::main()
}
