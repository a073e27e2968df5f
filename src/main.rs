use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything starts a thread.
    repro::device::cuda::nccl::set_nccl_defaults();
    repro::cli::main()
}
