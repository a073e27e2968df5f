//! The files that a kernel file includes, read from the folders in which they may lie and nowhere else.

use repro_device::HEADERS;
use repro_emulator::{Header, has_header, inclusions};
use std::io;
use std::path::{Path, PathBuf};

/// More is sent to no kernel's process.
const MOST_BYTES: u64 = 16 << 20;

/// What was read.
#[derive(Default)]
pub struct Includes {
    /// The name of the file that includes them.
    main: String,
    /// Where files may lie, as canonical paths.
    folders: Vec<PathBuf>,
    /// Of each header.
    pub paths: Vec<PathBuf>,
    pub headers: Vec<Header>,
    /// Names in quotes of which there is no file.
    pub absent: Vec<String>,
    bytes: u64,
}

impl Includes {
    /// Of a file with this name, from these folders and what lies below.
    pub fn of(main: &str, folders: Vec<PathBuf>) -> Self {
        Self { main: main.to_string(), folders, ..Self::default() }
    }

    /// A text of a file in `folder` with other names for the files that it includes, which are read, too. Names that no file has are left.
    ///
    /// # Errors
    /// When a file cannot be read, or all are larger than 16 MiB.
    pub fn resolve(&mut self, text: &str, folder: &Path) -> io::Result<String> {
        let mut resolved = text.to_string();
        for (name, bytes) in inclusions(text).into_iter().rev() {
            match self.find(&name, folder)? {
                Some(header) => resolved.replace_range(bytes, &format!("\"{header}\"")),
                None if text[bytes].starts_with('"')
                    && !has_header(&name)
                    && !self.absent.contains(&name) =>
                {
                    self.absent.push(name);
                }
                None => {}
            }
        }
        Ok(resolved)
    }

    /// What the header is called from here on, if it is a file: beside the one that includes it; in one of the folders, also by its last
    /// name where its path leads out of them; else one of this program.
    fn find(&mut self, name: &str, folder: &Path) -> io::Result<Option<String>> {
        let is_of_cuda = has_header(name);
        let beside = [folder.join(name)];
        let last = Path::new(name).file_name().unwrap_or_default();
        let leads_out = name.split('/').any(|part| part == "..");
        let names = [Some(Path::new(name)), leads_out.then_some(Path::new(last))];
        let elsewhere =
            names.iter().flatten().flat_map(|name| self.folders.iter().map(move |at| at.join(name)));
        let mut places = beside.into_iter().chain(elsewhere.filter(|_| !is_of_cuda));
        let is_within = |path: &PathBuf| path.is_file() && self.folders.iter().any(|at| path.starts_with(at));
        let Some(path) = places.find_map(|place| place.canonicalize().ok().filter(is_within)) else {
            let own = HEADERS.iter().find(|(own, _)| *own == name && !is_of_cuda);
            return own.map(|(_, text)| self.add(Path::new(name), |_| Ok((*text).into()))).transpose();
        };
        let read = |most| repro_base::files::read_at_most(&path, most);
        self.add(&path, |most| Ok(String::from_utf8_lossy(&read(most)?).into_owned())).map(Some)
    }

    /// A header that is read where it is not known.
    fn add(&mut self, path: &Path, read: impl FnOnce(u64) -> io::Result<String>) -> io::Result<String> {
        if let Some(known) = self.paths.iter().position(|known| known == path) {
            return Ok(self.headers[known].name.clone());
        }
        let text = read(MOST_BYTES - self.bytes)?;
        self.bytes += text.len() as u64;
        let mut file = shown_name(path);
        if self.headers.iter().any(|header| header.file == file) || self.main == file {
            let above = path.parent().map_or_else(String::new, shown_name);
            file = format!("{above}/{file}");
        }
        let (number, name) = (self.headers.len(), format!("{}/{}", self.headers.len(), shown_name(path)));
        // Before it is read, so that a file that includes itself comes to an end.
        self.paths.push(path.to_path_buf());
        self.headers.push(Header { name: name.clone(), file, text: String::new() });
        self.headers[number].text = self.resolve(&text, path.parent().unwrap_or(path))?;
        Ok(name)
    }
}

/// A file's name as it may stand in a line of C++.
pub fn shown_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.replace(|c: char| c.is_control() || c == '"' || c == '\\', "_")
}
