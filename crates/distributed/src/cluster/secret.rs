//! The secret of a start: what its processes know and nobody else. It comes from the environment or from a file of the user, never from
//! a command line, which every user of a host can read.

use std::fmt;
use thiserror::Error;

/// The variable that holds the secret itself.
pub const SECRET: &str = "REPRO_SECRET";
/// The variable that names a file with it.
pub const SECRET_FILE: &str = "REPRO_SECRET_FILE";

/// Whoever connects to a process learns enough to try guesses in private, so that a word would be found.
const FEWEST_BYTES: usize = 16;
const MOST_BYTES: usize = 4096;

/// The secret of a start. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(blake3::Hash);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Why there is no secret although a variable says that there is one.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum SecretError {
    #[error("{SECRET} and {SECRET_FILE} are both set: unset one of them")]
    Both,
    #[error(
        "{place} has {bytes} bytes, and a secret has {FEWEST_BYTES} to {MOST_BYTES}, so that nobody can guess it: take one from \
         `openssl rand -hex 32`"
    )]
    Length { place: String, bytes: u64 },
    #[error("{SECRET_FILE}: cannot read {path}: {error}; name a file that you alone can read")]
    Unreadable { path: String, error: String },
    #[error(
        "{SECRET_FILE}: {path} belongs to the user with the number {owner}, and this process to {own}: take a file of your own, or set \
         {SECRET}"
    )]
    Owner { path: String, owner: u32, own: u32 },
    #[error(
        "{SECRET_FILE}: other users have access to {path} (mode {mode:04o}): put a new secret into it and make it yours alone, by \
         `chmod 600 {path}`"
    )]
    Mode { path: String, mode: u32 },
}

impl Secret {
    /// Takes the secret from REPRO_SECRET, or from the file that REPRO_SECRET_FILE names. `get` returns the value of a variable. None
    /// where neither is set. Blanks and line ends around a secret are no part of it.
    ///
    /// # Errors
    /// When the file cannot be read, or other users have access to it, or the secret is too short.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, SecretError> {
        let set = |name| get(name).filter(|value| !value.trim().is_empty());
        match (set(SECRET), set(SECRET_FILE)) {
            (None, None) => Ok(None),
            (Some(_), Some(_)) => Err(SecretError::Both),
            (Some(text), None) => Self::new(text.as_bytes(), SECRET.into()).map(Some),
            (None, Some(path)) => {
                let text = of_file(&path)?;
                Self::new(&text, format!("{SECRET_FILE}: {path}")).map(Some)
            }
        }
    }

    fn new(text: &[u8], place: String) -> Result<Self, SecretError> {
        let text = text.trim_ascii();
        if !(FEWEST_BYTES..=MOST_BYTES).contains(&text.len()) {
            return Err(SecretError::Length { place, bytes: text.len() as u64 });
        }
        Ok(Self(blake3::hash(text)))
    }

    /// What keys are derived from.
    pub(crate) fn bytes(&self) -> [u8; 32] {
        *self.0.as_bytes()
    }
}

/// What the file holds, if nobody but this user has access to it. All is asked of the file that was opened, which no other can replace.
#[cfg(unix)]
fn of_file(path: &str) -> Result<Vec<u8>, SecretError> {
    use std::io::Read;
    use std::os::unix::fs::MetadataExt;
    let unreadable =
        |error: std::io::Error| SecretError::Unreadable { path: path.into(), error: error.to_string() };
    let file = repro_files::open_regular(path.as_ref()).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    let own = rustix::process::geteuid().as_raw();
    if metadata.uid() != own {
        return Err(SecretError::Owner { path: path.into(), owner: metadata.uid(), own });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(SecretError::Mode { path: path.into(), mode });
    }
    let mut text = Vec::new();
    file.take(2 * MOST_BYTES as u64).read_to_end(&mut text).map_err(unreadable)?;
    Ok(text)
}

#[cfg(not(unix))]
fn of_file(path: &str) -> Result<Vec<u8>, SecretError> {
    let error = format!("this system does not say who else can; set {SECRET} instead");
    Err(SecretError::Unreadable { path: path.into(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0123456789abcdef";

    fn secret(variables: &[(&str, &str)]) -> Result<Option<Secret>, SecretError> {
        Secret::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn a_secret_is_the_same_from_a_variable_and_from_a_file_and_is_not_printed() {
        let of_variable = secret(&[(SECRET, TEXT)]).unwrap().unwrap();
        assert_eq!(secret(&[(SECRET, &format!(" {TEXT}\n"))]), Ok(Some(of_variable.clone())));
        assert_ne!(secret(&[(SECRET, "fedcba9876543210")]), Ok(Some(of_variable.clone())));
        assert_eq!(secret(&[(SECRET, " "), (SECRET_FILE, "")]), Ok(None));
        assert_eq!(format!("{of_variable:?}"), "Secret(..)");
    }

    #[test]
    fn a_secret_that_can_be_guessed_or_is_named_twice_is_refused_and_not_repeated() {
        assert_eq!(secret(&[(SECRET, TEXT), (SECRET_FILE, "f")]), Err(SecretError::Both));
        for text in ["hunter2", &"a".repeat(MOST_BYTES + 1)] {
            let message = secret(&[(SECRET, text)]).unwrap_err().to_string();
            assert!(message.starts_with(&format!("REPRO_SECRET has {} bytes", text.len())), "{message}");
            assert!(message.contains("`openssl rand -hex 32`") && !message.contains(text), "{message}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_remedy() {
        use std::os::unix::fs::PermissionsExt;
        let folder = std::env::temp_dir().join(format!("repro-secret-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("secret");
        std::fs::write(&path, format!("{TEXT}\n")).unwrap();
        let with_mode = |mode| {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            secret(&[(SECRET_FILE, path.to_str().unwrap())])
        };
        for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
            let message = with_mode(mode).unwrap_err().to_string();
            assert!(message.contains(&format!("(mode {mode:04o})")), "{message}");
            assert!(message.contains(&format!("`chmod 600 {}`", path.display())), "{message}");
        }
        for mode in [0o600, 0o400] {
            assert_eq!(with_mode(mode), secret(&[(SECRET, TEXT)]));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_at_once() {
        let folder = std::env::temp_dir().join(format!("repro-no-secret-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for (path, words) in [(&pipe, "is no regular file"), (&folder, "directory")] {
            let message = secret(&[(SECRET_FILE, path.to_str().unwrap())]).unwrap_err().to_string();
            assert!(message.contains(words), "{message}");
        }
        let message = secret(&[(SECRET_FILE, "/none/such")]).unwrap_err().to_string();
        assert!(message.starts_with("REPRO_SECRET_FILE: cannot read /none/such: "), "{message}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
