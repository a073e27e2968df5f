//! Files with secrets that no solver needs and that the user, root above all, could read.

use std::path::{Path, PathBuf};

/// Of the system.
const OF_SYSTEM: [&str; 11] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssh",
    "/etc/ssl/private",
    "/etc/krb5.keytab",
    "/run/secrets",
    "/var/spool/cron",
];

/// Below the home folder: keys, tokens, and what was typed.
const OF_USER: [&str; 27] = [
    ".ssh",
    ".gnupg",
    ".password-store",
    ".local/share/keyrings",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".kaggle",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".pypirc",
    ".npmrc",
    ".git-credentials",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".cache/huggingface/token",
    ".config/gcloud",
    ".config/gh",
    ".config/git/credentials",
    ".config/rclone",
    ".config/chromium",
    ".config/google-chrome",
    ".mozilla",
    ".bash_history",
    ".zsh_history",
];

/// Those that are there.
pub(crate) fn present() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let of_user = OF_USER.iter().filter_map(|name| Some(home.as_ref()?.join(name)));
    let all = OF_SYSTEM.iter().map(PathBuf::from).chain(of_user);
    all.filter(|path| Path::exists(path)).collect()
}
