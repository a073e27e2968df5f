//! An emulated kernel library, loaded: entry points, shared variables, and lines of code.

use super::finding::Place;
use super::hooks::{self, Indexes};
use crate::{EmulatorError, Source};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// Starts one CUDA thread with the arguments that these pointers lead to.
pub(crate) type Start = unsafe extern "C" fn(*mut *mut c_void);

/// A kernel's entry point, and the bytes of each of its parameters.
#[derive(Clone)]
pub(crate) struct Entry {
    pub start: Start,
    pub parameters: Vec<usize>,
}

/// A `__shared__` variable of fixed size.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SharedVariable {
    pub name: String,
    /// The function of C linkage that declares it; None for others, templates for example.
    pub function: Option<String>,
    /// From the start of the library's thread-local block.
    pub offset: u64,
    pub bytes: u64,
}

/// A library and what its symbols say.
pub(crate) struct Module {
    library: Library,
    path: PathBuf,
    /// Where it was loaded, to turn addresses into places.
    base: usize,
    indexes_here: unsafe extern "C" fn() -> *mut Indexes,
    indexes_offset: u64,
    thread_local_bytes: u64,
    /// Addresses of its code and constants.
    image: std::ops::Range<usize>,
    /// By offset.
    pub shared: Vec<SharedVariable>,
}

/// How cuda.hpp names what it puts between shared variables.
const GUARD: &str = "emulated_guard_";

impl Module {
    /// Loads what the toolchain made of `source`.
    ///
    /// # Errors
    /// When the file is no such library.
    pub fn load(path: &Path, source: &Source) -> Result<Self, EmulatorError> {
        let broken = |problem: &dyn std::fmt::Display| {
            EmulatorError::refused(format!(
                "the emulated kernels of {} in {} cannot be loaded ({problem}): the file was removed, try again",
                source.file,
                path.display()
            ))
        };
        let bytes = std::fs::read(path).map_err(|error| broken(&error))?;
        let elf = object::File::parse(&*bytes).map_err(|error| broken(&error))?;
        let address_of = |name: &str| {
            let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(name));
            symbol.map(|symbol| symbol.address()).ok_or_else(|| broken(&format!("no symbol {name}")))
        };
        let indexes_offset = address_of("emulated_indexes")?;
        let attach_offset = address_of("emulated_attach")?;
        let thread_local = || elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Tls);
        let thread_local_bytes =
            thread_local().map(|symbol| symbol.address() + symbol.size()).max().unwrap_or(0);
        let mut shared: Vec<SharedVariable> = thread_local()
            .filter(|symbol| symbol.address() != indexes_offset)
            .map(|symbol| SharedVariable {
                name: variable_name(symbol.name().unwrap_or_default()),
                function: function_name(symbol.name().unwrap_or_default()),
                offset: symbol.address(),
                bytes: symbol.size(),
            })
            .filter(|variable| !variable.name.starts_with(GUARD))
            .collect();
        shared.sort_by_key(|variable| variable.offset);
        let end = elf.segments().map(|segment| segment.address() + segment.size()).max().unwrap_or(0);
        // SAFETY: the toolchain made this file and its hash was right; loading it runs no code but empty initializers.
        // Both functions have the signatures of runtime.cpp. `attach` copies the hooks, which live forever.
        unsafe {
            let library = Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).map_err(|error| {
                // The library's own words are in the cause.
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                broken(&cause.unwrap_or_else(|| error.to_string()))
            })?;
            let attach: unsafe extern "C" fn(*const hooks::Hooks) =
                *library.get(b"emulated_attach\0").map_err(|error| broken(&error))?;
            let indexes_here: unsafe extern "C" fn() -> *mut Indexes =
                *library.get(b"emulated_indexes_here\0").map_err(|error| broken(&error))?;
            attach(&hooks::HOOKS);
            let base = (attach as usize).wrapping_sub(attach_offset as usize);
            Ok(Self {
                library,
                path: path.to_path_buf(),
                base,
                indexes_here,
                indexes_offset,
                thread_local_bytes,
                image: base..base + end as usize,
                shared,
            })
        }
    }

    /// The entry point of `kernel`.
    ///
    /// # Errors
    /// When the library has no such kernel.
    pub fn entry(&self, kernel: &str) -> Result<Entry, EmulatorError> {
        let missing = |_| EmulatorError::refused(format!("no kernel {kernel} in {}", self.path.display()));
        // SAFETY: the signatures are those of EMULATED_ENTRY in cuda.hpp; the library stays loaded as long as `self`. The array
        // has as many numbers as the function says.
        unsafe {
            let start: Start = *self.library.get(format!("emulated_start_{kernel}\0")).map_err(missing)?;
            let parameters: unsafe extern "C" fn(*mut u64) -> i32 =
                *self.library.get(format!("emulated_parameters_{kernel}\0")).map_err(missing)?;
            let count = usize::try_from(parameters(std::ptr::null_mut())).unwrap_or(0);
            let mut bytes = vec![0; count];
            parameters(bytes.as_mut_ptr());
            Ok(Entry { start, parameters: bytes.into_iter().map(|bytes| bytes as usize).collect() })
        }
    }

    /// Whether an offset into the thread-local block is in the indexes, which are no shared memory.
    #[inline]
    pub fn is_index(&self, offset: u64) -> bool {
        offset.wrapping_sub(self.indexes_offset) < size_of::<Indexes>() as u64
    }

    /// Whether these bytes are in the library, whose tables of constants kernels may read.
    pub fn is_constant(&self, address: usize, bytes: usize) -> bool {
        self.image.contains(&address) && bytes <= self.image.end - address
    }

    /// The calling host thread's indexes, and the range of its thread-local block, which holds the shared variables.
    pub fn of_this_thread(&self) -> (*mut Indexes, std::ops::Range<usize>) {
        // SAFETY: the function takes nothing and returns the address of a thread-local variable.
        let indexes = unsafe { (self.indexes_here)() };
        let start = indexes as usize - self.indexes_offset as usize;
        (indexes, start..start + self.thread_local_bytes as usize)
    }

    /// How far into the library an address is.
    #[inline]
    pub fn place_of(&self, address: usize) -> u32 {
        // A library of 4 GiB is beyond any compiler.
        u32::try_from(address.wrapping_sub(self.base)).unwrap_or(0)
    }

    /// Bytes of the shared variables that the text of `kernel` itself declares and the compiler kept.
    pub fn shared_bytes_in(&self, kernel: &str) -> u64 {
        let own = |variable: &&SharedVariable| variable.function.as_deref() == Some(kernel);
        self.shared.iter().filter(own).map(|variable| variable.bytes).sum()
    }

    /// The index of the shared variable that holds all of these bytes.
    #[inline]
    pub fn shared_holding(&self, offset: u64, bytes: u64) -> Option<usize> {
        let index = self.shared.partition_point(|variable| variable.offset <= offset).checked_sub(1)?;
        let variable = &self.shared[index];
        (offset + bytes <= variable.offset + variable.bytes).then_some(index)
    }

    /// The shared variable that these bytes are in, or else the nearest.
    pub fn nearest_shared(&self, offset: u64, bytes: u64) -> Option<&SharedVariable> {
        let distance = |variable: &&SharedVariable| {
            let end = variable.offset + variable.bytes;
            if offset < variable.offset {
                (variable.offset - offset).saturating_sub(bytes)
            } else {
                offset.saturating_sub(end)
            }
        };
        self.shared.iter().min_by_key(distance)
    }

    /// The file and line of a place, and of the call when it is in a function that was inlined. None when the library has no
    /// line for it.
    pub fn line_of(&self, place: u32) -> Option<Place> {
        let loader = addr2line::Loader::new(&self.path).ok()?;
        // A return address is behind the call.
        let mut frames = loader.find_frames(u64::from(place).checked_sub(1)?).ok()?;
        let mut places = Vec::new();
        while let Ok(Some(frame)) = frames.next() {
            if let Some(location) = frame.location
                && let (Some(file), Some(line)) = (location.file, location.line)
            {
                let file = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
                places.push((file, line));
            }
        }
        // What cuda.hpp does, it does for whoever called it.
        places.retain(|(file, _)| file != "cuda.hpp");
        let mut places = places.into_iter();
        let (file, line) = places.next()?;
        Some(Place { file, line, called_from: places.next() })
    }
}

/// The name of a variable in a function, from how C++ compilers spell it: `_ZZ11independentE1c` is `c`.
fn variable_name(symbol: &str) -> String {
    let spelled = |rest: &str| -> Option<String> {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let length: usize = rest[..digits].parse().ok()?;
        let (name, after) = rest[digits..].split_at_checked(length)?;
        (after.is_empty() || after.starts_with('_')).then(|| name.to_string())
    };
    if let Some(name) = symbol.strip_prefix("_ZL").and_then(spelled) {
        return name;
    }
    symbol
        .strip_prefix("_ZZ")
        .and_then(|inner| inner.rmatch_indices('E').find_map(|(at, _)| spelled(&inner[at + 1..])))
        .unwrap_or_else(|| symbol.to_string())
}

/// A variable of a compiled kernel file that lasts from launch to launch and can be written.
pub(crate) fn device_variable(object: &[u8]) -> Option<String> {
    let elf = object::File::parse(object).ok()?;
    elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0).find_map(|symbol| {
        let section = elf.section_by_index(symbol.section_index()?).ok()?;
        let section = section.name().ok()?;
        let constant = section.starts_with(".data.rel.ro");
        let written = !constant && (section.starts_with(".data") || section.starts_with(".bss"));
        written.then(|| variable_name(symbol.name().unwrap_or_default()))
    })
}

/// The function that a variable is in, where it is spelled as it is named: `_ZZ11independentE1c` is in `independent`.
fn function_name(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("_ZZ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    let (name, after) = rest[digits..].split_at_checked(length)?;
    after.starts_with('E').then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_in_functions_are_read() {
        assert_eq!(variable_name("_ZZ11independentE1c"), "c");
        assert_eq!(variable_name("_ZZ16doubly_dependentE4from_0"), "from");
        assert_eq!(variable_name("_ZZN5thingIiE3runEvE5tiles"), "tiles");
        assert_eq!(variable_name("plain"), "plain");
        assert_eq!(variable_name("_ZL5table"), "table");
        assert_eq!(function_name("_ZZ11independentE1c").as_deref(), Some("independent"));
        assert_eq!(function_name("_ZZL4tileILi8EEPfiE1t"), None);
        assert_eq!(function_name("plain"), None);
    }
}
