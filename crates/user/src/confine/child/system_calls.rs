//! System calls that a program is refused, by seccomp. It gets "operation not permitted".

use super::refused_calls::{FIRST_NEW, REFUSED, REFUSED_WITHOUT_GPU, Refused};
use crate::confine::limits::Limits;
use crate::confine::protections::{Network, Protections};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;
use std::fs;

/// Restricts this thread, the only one, and so the program, and adds what it is kept from by that.
///
/// # Errors
/// When the system has no filters.
pub(super) fn restrict(limits: &Limits, found: &mut Protections) -> seccompiler::Result<()> {
    let before = speculation();
    let of_gpu = if limits.gpu { &[] } else { REFUSED_WITHOUT_GPU };
    seccompiler::apply_filter(&filter(&[REFUSED, of_gpu].concat())?)?;
    (found.system_calls, found.network, found.slowed) = (true, Network::Denied, speculation() != before);
    Ok(())
}

/// Refuses this process, all threads and whatever they start, to execute programs from here on, where the system can.
pub fn refuse_programs() {
    let filter = filter(&[(&[libc::SYS_execve, libc::SYS_execveat], &[])]);
    let _ = filter.map(|filter| seccompiler::apply_filter_all_threads(&filter));
}

/// Refuses these calls, and all new ones. Those, and the one that starts a process with its flags in memory, where no filter sees them, are said not to
/// be there, since libraries then do with older ones.
fn filter(refused: &[Refused]) -> Result<BpfProgram, BackendError> {
    let mut rules = BTreeMap::new();
    for (calls, conditions) in refused {
        let conditions = conditions.iter().map(|(argument, comparison, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, comparison.clone(), *value)
        });
        let any: Vec<SeccompRule> =
            conditions.map(|condition| SeccompRule::new(vec![condition?])).collect::<Result<_, _>>()?;
        rules.extend(calls.iter().map(|call| (*call, any.clone())));
    }
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    let not_permitted = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let by_rules = SeccompFilter::new(rules, SeccompAction::Allow, not_permitted, architecture)?;
    let instruction = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let mut program = vec![
        // The number of the call is what a filter reads first.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, libc::SYS_clone3 as u32),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, FIRST_NEW),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs()),
    ];
    program.extend(BpfProgram::try_from(by_rules)?);
    Ok(program)
}

/// What the kernel has of speculation for this process.
fn speculation() -> Vec<String> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    status.lines().filter(|line| line.starts_with("Speculation")).map(str::to_string).collect()
}
