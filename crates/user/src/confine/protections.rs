//! What this system keeps a program from.
//!
//! Files with secrets that no solver needs and that the user, root above all, could read.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What no system keeps a program from, as the end of the sentence "it could".
pub const NOT_HELD: &str = "read what else the user may read, see the names and arguments of other processes, leave a trace in the times at which \
                            files were last read, for itself or another that solves the same graph, keep deleted files that it maps or sends to itself, and load \
                            processors, caches and memory";

/// What of the network a program is kept from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// No socket can be made, but within this host by a program that uses a GPU.
    Denied,
    /// TCP alone is refused.
    TcpDenied,
    #[default]
    Open,
}

/// What this system keeps a program from, found when it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protections {
    /// The version of landlock's interface; 0 where the kernel has none.
    pub landlock: u32,
    /// Whether it can write in its folder alone, read no secrets and nothing else that it must not, and reach no memory of other processes.
    pub files: bool,
    /// Whether it can send no signals to other processes.
    pub signals: bool,
    pub network: Network,
    /// Whether calls are refused that change the clock, other processes, the system or what is known of files, or that go around limits.
    pub system_calls: bool,
    /// Whether it has no privileges of root but reading, and cannot gain any.
    pub privileges: bool,
    /// Whether the kernel turned on a defence against speculation because of the filter of system calls, which slows programs down. Kernels
    /// before 5.16 do.
    pub slowed: bool,
}

impl Protections {
    /// What a program is not kept from, each as the end of the sentence "it could".
    pub fn lacks(&self) -> Vec<String> {
        let lacks = [
            (
                !self.files,
                "write outside of its folder, read secrets of the user, and reach the memory of other processes",
            ),
            (!self.signals, "send signals to other processes"),
            (self.network == Network::TcpDenied, "use the network, but for TCP"),
            (self.network == Network::Open, "use the network"),
            (
                !self.system_calls,
                "change the clock, the settings of other processes, and the modes and times of files",
            ),
            (!self.privileges, "use privileges of root"),
        ];
        lacks.into_iter().filter(|(lacks, _)| *lacks).map(|(_, what)| what.to_string()).collect()
    }
}

/// Below the home folder where they do not begin with a slash.
const SECRETS: &[&[&str]] = &[
    // Passwords of the system, and who may become root.
    &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d"],
    // Its keys, and what it does for others.
    &["/etc/ssh", "/etc/ssl/private", "/etc/krb5.keytab", "/run/secrets", "/var/spool/cron"],
    // Keys and passwords of the user.
    &[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".netrc", ".pgpass", ".my.cnf"],
    // Accounts at who computes and stores for others.
    &[".aws", ".azure", ".kube", ".docker", ".config/gcloud", ".config/rclone"],
    // Tokens of registries and of who keeps code and models.
    &[".pypirc", ".npmrc", ".cargo/credentials", ".cargo/credentials.toml"],
    &[".git-credentials", ".config/git/credentials", ".config/gh", ".kaggle", ".cache/huggingface/token"],
    // What browsers keep, and what was typed.
    &[".mozilla", ".config/chromium", ".config/google-chrome", ".bash_history", ".zsh_history"],
];

/// Those that are there.
pub(crate) fn secrets_present() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    // A path with a slash in front takes the place of the home folder.
    let all = SECRETS.concat().into_iter().map(|name| home.join(name));
    all.filter(|path| path.is_absolute() && path.exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_that_can_do_all_lacks_nothing() {
        let all = Protections {
            landlock: 6,
            files: true,
            signals: true,
            network: Network::Denied,
            system_calls: true,
            privileges: true,
            slowed: false,
        };
        assert!(all.lacks().is_empty());
        assert_eq!(Protections { signals: false, ..all }.lacks(), ["send signals to other processes"]);
        assert_eq!(Protections::default().lacks().len(), 5);
    }
}
