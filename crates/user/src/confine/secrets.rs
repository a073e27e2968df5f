//! Files with secrets that no solver needs and that the user, root above all, could read.

use std::path::PathBuf;

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
pub(crate) fn present() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    // A path with a slash in front takes the place of the home folder.
    let all = SECRETS.concat().into_iter().map(|name| home.join(name));
    all.filter(|path| path.is_absolute() && path.exists()).collect()
}
