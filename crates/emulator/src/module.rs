//! An emulated kernel library, loaded: entry points, shared variables, variables of the device, and lines of code.
//!
//! Also the shared memory of one block: variables of fixed size, and memory whose size the launch gives. In the kernel's
//! library both are thread-local variables; an image is one copy of them.

use crate::finding::SourceLocation;
use crate::guards::GuardedVariable;
use crate::launch::{Extent, Launch};
use crate::memory::Allocation;
use crate::options::{EmulatorError, HEADERS, Source, entry_name, plain_name};
use crate::request::Request;
use crate::shadow::{ShadowWord, WORD};
use crate::trace::Space;
use crate::{guards, request};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use object::{Object, ObjectSection, ObjectSegment, ObjectSymbol, SymbolKind};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::error::Error;
use std::ffi::c_void;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Starts one CUDA thread with the arguments that these pointers lead to.
pub type EntryFn = unsafe extern "C" fn(*mut *mut c_void);

/// A kernel's entry point, the bytes of each of its parameters, and its launch bounds, 0 where there are none.
#[derive(Clone)]
pub struct EntryPoint {
    pub start: EntryFn,
    pub parameters: Vec<usize>,
    pub most_threads: u32,
    pub cluster: Option<Extent>,
}

/// A `__shared__` variable of fixed size.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedVariable {
    pub name: String,
    /// The function of C linkage that declares it; None for others, templates for example.
    pub function: Option<String>,
    /// From the start of the library's thread-local block.
    pub offset: u64,
    pub bytes: u64,
}

/// A library and what was read from its symbols.
pub struct Module {
    library: Library,
    path: PathBuf,
    /// Offset in the thread-local block of the unused place of the built-in variables, which are in the `ThreadHeader`.
    pub indexes_offset: usize,
    /// Where dynamic shared memory begins, after everything else.
    pub dynamic_offset: usize,
    /// Flags of constructed objects, in the thread-local block.
    flags: Vec<Range<usize>>,
    /// Addresses of its code and its tables.
    pub image: Range<usize>,
    /// The addresses of each `__constant__` variable.
    constants: Vec<Range<usize>>,
    /// The sections of `__constant__` and `__device__` variables, with what lies between the variables.
    sections: Vec<Range<usize>>,
    /// `__device__` variables.
    pub variables: Vec<Arc<Allocation>>,
    /// `__shared__` variables of fixed size, by offset.
    pub shared: Vec<SharedVariable>,
    /// Functions of the kernel file that are called and not inlined.
    pub called: Vec<String>,
}

/// A kernel of a loaded file.
#[derive(Clone)]
pub struct KernelHandle {
    pub(crate) name: Rc<str>,
    pub(crate) module: Rc<Module>,
    pub(crate) entry: EntryPoint,
}

impl KernelHandle {
    /// Its name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of each of its parameters.
    pub fn parameter_bytes(&self) -> &[usize] {
        &self.entry.parameters
    }

    /// Functions of its file that are called and not inlined. What passes to them and from them by value is not seen.
    pub fn called(&self) -> &[String] {
        &self.module.called
    }
}

/// `__shared__` variables by offset, and the flags of constructed objects, both in the thread-local block.
fn variables_of_threads(elf: &object::File, dynamic_offset: u64) -> (Vec<SharedVariable>, Vec<Range<usize>>) {
    let (mut shared, mut flags) = (Vec::new(), Vec::new());
    for symbol in elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Tls && symbol.size() > 0) {
        let name = symbol.name().unwrap_or_default();
        let (offset, bytes) = (symbol.address(), symbol.size());
        if name.starts_with("_ZGV") {
            flags.push(offset as usize..(offset + bytes) as usize);
            continue;
        }
        let spelled = variable_name(name);
        if offset < dynamic_offset && name != "emulated_indexes" && !spelled.starts_with(GUARD) {
            shared.push(SharedVariable { name: spelled, function: function_name(name), offset, bytes });
        }
    }
    shared.sort_by_key(|variable| variable.offset);
    (shared, flags)
}

/// Functions that are called and not inlined, except kernels and functions of the emulator's headers.
fn called_functions(elf: &object::File, kernels: &[&str]) -> Vec<String> {
    let functions = elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.size() > 0);
    let called = functions.filter_map(|symbol| {
        let name = function_named(symbol.name().ok()?)?;
        let of = |kernel: &&str| function_named(kernel).unwrap_or(plain_name(kernel)) == name;
        let of_headers = name.starts_with("Emulat") || name.starts_with("emulat") || name == "printf";
        (!kernels.iter().any(of) && !of_headers).then(|| name.to_string())
    });
    let mut called: Vec<String> = called.collect();
    called.sort_unstable();
    called
}

/// Loads a library and gives it the function by which it asks the emulator. Also returns where in memory it begins.
fn open_library(path: &Path, attach_offset: usize) -> Result<(Library, usize), Box<dyn Error>> {
    type RequestFn = unsafe extern "C" fn(*mut c_void, *const Request) -> u64;
    // SAFETY: the toolchain made this file and its hash was right; loading it runs no code but empty initializers.
    // `attach` has the signature of runtime.cpp, and copies the function, which lives forever.
    unsafe {
        let library = Library::open(Some(path), RTLD_NOW | RTLD_LOCAL)
            // The loader's message is in the error's source.
            .map_err(|error| error.source().map_or_else(|| error.to_string(), ToString::to_string))?;
        let attach: unsafe extern "C" fn(RequestFn) = *library.get(b"emulated_attach\0")?;
        attach(request::ask);
        Ok((library, (attach as usize).wrapping_sub(attach_offset)))
    }
}

/// Notes the guarded variables of a library, where it has some.
fn note_guarded(library: &Library, image: &Range<usize>) -> Result<(), Box<dyn Error>> {
    // SAFETY: runtime.cpp has it where variables are guarded, and what it names is in the library, no code of which runs.
    unsafe {
        if let Ok(guarded) = library.get::<*const (*const GuardedVariable, usize)>(b"emulated_guarded\0") {
            let (first, count) = **guarded;
            let all = if count == 0 { &[] } else { std::slice::from_raw_parts(first, count) };
            guards::note(image, all)?;
        }
    }
    Ok(())
}

/// How the translator names what it puts between shared variables.
const GUARD: &str = "emulated_guard_";

impl Module {
    /// Loads what the toolchain made of `source` for these kernels.
    ///
    /// # Errors
    /// When the file is no such library.
    pub fn load(
        path: &Path,
        source: &Source,
        kernels: &[&str],
        checked: bool,
    ) -> Result<Self, EmulatorError> {
        Self::read(path, kernels, checked).map_err(|problem| {
            EmulatorError::refused(format!(
                "the emulated kernels of {} in {} cannot be loaded ({problem}): the file was removed, try again",
                source.file,
                path.display()
            ))
        })
    }

    fn read(path: &Path, kernels: &[&str], checked: bool) -> Result<Self, Box<dyn Error>> {
        let bytes = std::fs::read(path)?;
        let elf = object::File::parse(&*bytes)?;
        let address_of = |name: &str| {
            let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(name));
            symbol.map(|symbol| symbol.address()).ok_or_else(|| format!("no symbol {name}"))
        };
        let indexes_offset = address_of("emulated_indexes")? as usize;
        let dynamic_offset = address_of("emulated_dynamic")?;
        let attach_offset = address_of("emulated_attach")?;
        let (shared, flags) = variables_of_threads(&elf, dynamic_offset);
        let (library, base) = open_library(path, attach_offset as usize)?;
        let ends = elf.segments().map(|segment| segment.address() + segment.size());
        let image = base..base + ends.max().unwrap_or(0) as usize;
        note_guarded(&library, &image)?;
        let section = |name: &str| {
            let section = elf.section_by_name(name)?;
            let start = base + section.address() as usize;
            Some(start..start + section.size() as usize)
        };
        let objects = |sections: &[Range<usize>]| -> Vec<(String, Range<usize>)> {
            let data = elf.symbols().filter(|symbol| symbol.kind() == SymbolKind::Data && symbol.size() > 0);
            let object = |symbol: object::Symbol| {
                let start = base + symbol.address() as usize;
                let is_inside = sections.iter().any(|section| section.contains(&start));
                let name = || variable_name(symbol.name().unwrap_or_default());
                is_inside.then(|| (name(), start..start + symbol.size() as usize))
            };
            data.filter_map(object).collect()
        };
        let found = |names: [&str; 2]| names.into_iter().filter_map(section).collect::<Vec<_>>();
        let constant = found([".emulated_constant", ".emulated_constant_const"]);
        let device = found([".emulated_device", ".emulated_device_const"]);
        let variable = |(name, range): (String, Range<usize>)| {
            // SAFETY: an object of the library, which lives as long as the module.
            Arc::new(unsafe { Allocation::variable(name, range.start, range.len(), checked) })
        };
        Ok(Self {
            library,
            path: path.to_path_buf(),
            indexes_offset,
            dynamic_offset: dynamic_offset as usize,
            flags,
            image,
            constants: objects(&constant).into_iter().map(|(_, range)| range).collect(),
            variables: objects(&device).into_iter().map(variable).collect(),
            sections: [constant, device].concat(),
            shared,
            called: called_functions(&elf, kernels),
        })
    }

    /// The entry point of `kernel`.
    ///
    /// # Errors
    /// When the library has no such kernel.
    pub fn entry(&self, kernel: &str) -> Result<EntryPoint, EmulatorError> {
        let (entry, plain) = (entry_name(kernel), plain_name(kernel));
        let missing = |_| EmulatorError::refused(format!("no kernel {kernel} in {}", self.path.display()));
        // SAFETY: the signatures are those of EMULATED_ENTRY in entry.hpp, and the arrays have three numbers; the library stays
        // loaded as long as `self`. The array of sizes has as many numbers as the function says.
        unsafe {
            let start: EntryFn = *self.library.get(format!("emulated_start_{entry}\0")).map_err(missing)?;
            let parameters: unsafe extern "C" fn(*mut u64) -> i32 =
                *self.library.get(format!("emulated_parameters_{entry}\0")).map_err(missing)?;
            let count = usize::try_from(parameters(std::ptr::null_mut())).unwrap_or(0);
            let mut bytes = vec![0; count];
            parameters(bytes.as_mut_ptr());
            let exported = |what: &str| -> Option<[u32; 3]> {
                let symbol =
                    self.library.get::<*const [u32; 3]>(format!("emulated_{what}_{plain}\0")).ok()?;
                Some(**symbol)
            };
            Ok(EntryPoint {
                start,
                parameters: bytes.into_iter().map(|bytes| bytes as usize).collect(),
                most_threads: exported("bounds").map_or(0, |bounds| bounds[0]),
                cluster: exported("cluster").map(|[x, y, z]| (x, y, z)),
            })
        }
    }

    /// Bytes of the thread-local block with `dynamic` bytes of dynamic shared memory.
    pub fn image_bytes(&self, dynamic: usize) -> usize {
        self.dynamic_offset + dynamic
    }

    /// Resets an image for a block of which nothing has run.
    pub fn begin_block(&self, image: &mut SharedMemoryImage, launch: &Launch) {
        image.reset(0..self.image_bytes(launch.dynamic_shared_bytes as usize));
        for flags in &self.flags {
            // Nothing is constructed yet.
            flags.clone().for_each(|at| image.put(at, 0u8));
        }
    }

    /// Whether this is the byte of a flag that the host's compiler reads and writes by itself, before arrays of a class are used.
    #[inline]
    pub fn is_flag(&self, offset: usize, bytes: usize) -> bool {
        bytes == 1 && self.flags.iter().any(|flag| flag.start == offset)
    }

    /// Whether kernels may read these bytes of the library: within one `__constant__` variable, or in a compiler's table of constants.
    pub fn is_constant(&self, address: usize, bytes: usize) -> bool {
        let holds = |range: &Range<usize>| range.contains(&address) && bytes <= range.end - address;
        if self.sections.iter().any(|section| section.contains(&address)) {
            return self.constants.iter().any(holds);
        }
        holds(&self.image)
    }

    /// Bytes of the shared variables that the text of `kernel` itself declares and the compiler kept.
    pub fn shared_bytes_in(&self, kernel: &str) -> u64 {
        let own = |variable: &&SharedVariable| variable.function.as_deref() == Some(kernel);
        self.shared.iter().filter(own).map(|variable| variable.bytes).sum()
    }

    /// The space in a block's shared memory, of which `dynamic` bytes are dynamic, that holds all of these bytes, and its range of offsets.
    pub fn shared_at(&self, offset: usize, bytes: usize, dynamic: usize) -> Option<(Space, Range<usize>)> {
        let holds = |range: &Range<usize>| range.contains(&offset) && bytes <= range.end - offset;
        let dynamic = self.dynamic_offset..self.image_bytes(dynamic);
        if holds(&dynamic) {
            return Some((Space::Dynamic, dynamic));
        }
        let behind = self.shared.partition_point(|variable| variable.offset <= offset as u64);
        let index = behind.checked_sub(1)?;
        let start = self.shared[index].offset as usize;
        let range = start..start + self.shared[index].bytes as usize;
        holds(&range).then_some((Space::Shared(index as u16), range))
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

    /// Where a kernel is defined.
    pub fn line_of_kernel(&self, kernel: &str) -> Option<SourceLocation> {
        let bytes = std::fs::read(&self.path).ok()?;
        let elf = object::File::parse(&*bytes).ok()?;
        let symbol = elf.symbols().find(|symbol| symbol.name() == Ok(kernel))?;
        self.line_of(u32::try_from(symbol.address()).ok()? + 1)
    }

    /// The file and line of a place, and of the call when it is in a function that was inlined. None when the library has no
    /// line for it.
    pub fn line_of(&self, place: u32) -> Option<SourceLocation> {
        let loader = addr2line::Loader::new(&self.path).ok()?;
        // A return address is that of the instruction after the call.
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
        // What the headers do, they do for whoever called them.
        places.retain(|(file, _)| !is_own_header(file));
        let mut places = places.into_iter();
        let (file, line) = places.next()?;
        Some(SourceLocation { file, line, called_from: places.next() })
    }
}

/// Whether a file is one of the emulator's headers, by its name.
fn is_own_header(file: &str) -> bool {
    HEADERS
        .files()
        .chain(HEADERS.dirs().flat_map(include_dir::Dir::files))
        .any(|header| header.path().file_name().is_some_and(|name| name == file))
}

/// The first name in the rest of a mangled name, which has its length before it, and what follows.
fn split_mangled(rest: &str) -> Option<(&str, &str)> {
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    rest[digits..].split_at_checked(rest[..digits].parse().ok()?)
}

/// The name of a function without its namespaces, from how C++ compilers spell it.
fn function_named(symbol: &str) -> Option<&str> {
    let (mut name, mut rest) = split_mangled(symbol.strip_prefix("_Z")?.trim_start_matches(['L', 'N', 'K']))?;
    while let Some((inner, after)) = split_mangled(rest) {
        (name, rest) = (inner, after);
    }
    Some(name)
}

/// The name of a variable in a function, from how C++ compilers spell it: `_ZZ11independentE1c` is `c`.
fn variable_name(symbol: &str) -> String {
    let whole = |rest| split_mangled(rest).filter(|(_, after)| after.is_empty() || after.starts_with('_'));
    let outside = symbol.strip_prefix("_ZL").and_then(whole);
    let inside =
        || symbol.strip_prefix("_ZZ")?.rmatch_indices('E').find_map(|(at, _)| whole(&symbol[at + 4..]));
    outside.or_else(inside).map_or(symbol, |(name, _)| name).to_string()
}

/// The function that a variable is in, if the function is not mangled: `_ZZ11independentE1c` is in `independent`.
fn function_name(symbol: &str) -> Option<String> {
    let (name, after) = split_mangled(symbol.strip_prefix("_ZZ")?)?;
    after.starts_with('E').then(|| name.to_string())
}

/// The alignment that swizzled copies need. With it, offsets are aligned as the addresses are.
const ALIGNMENT: usize = 1024;
/// What fresh shared memory is filled with: not a number, so that using it shows in any result.
const FRESH: u8 = 0xff;

/// Shared memory, and what is known of its words.
pub struct SharedMemoryImage {
    start: *mut u8,
    bytes: usize,
    pub shadow: Vec<ShadowWord>,
}

impl SharedMemoryImage {
    /// None when the host has not as much memory.
    pub fn new(bytes: usize, shadowed: bool) -> Option<Self> {
        let bytes = bytes.max(1).next_multiple_of(ALIGNMENT);
        let layout = Layout::from_size_align(bytes, ALIGNMENT).ok()?;
        // SAFETY: the layout has at least one byte.
        let start = unsafe { alloc_zeroed(layout) };
        let words = if shadowed { bytes / WORD } else { 0 };
        (!start.is_null()).then(|| Self {
            start,
            bytes,
            shadow: std::iter::repeat_with(ShadowWord::default).take(words).collect(),
        })
    }

    pub fn address(&self) -> usize {
        self.start as usize
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it has enough bytes for a block and, if `shadowed`, a shadow for the checker.
    pub fn serves(&self, bytes: usize, shadowed: bool) -> bool {
        self.bytes >= bytes && (!shadowed || !self.shadow.is_empty())
    }

    /// Whether it has all of these bytes.
    pub fn holds(&self, address: usize, bytes: usize) -> bool {
        let offset = address.wrapping_sub(self.address());
        offset < self.bytes && bytes <= self.bytes - offset
    }

    /// Fills these bytes as fresh memory, which nothing wrote.
    pub fn reset(&mut self, bytes: Range<usize>) {
        assert!(bytes.start <= bytes.end && bytes.end <= self.bytes);
        // SAFETY: in bounds; no kernel runs meanwhile.
        unsafe { self.start.add(bytes.start).write_bytes(FRESH, bytes.len()) };
    }

    /// Writes `value` at this offset, where nothing else is.
    pub fn put<T: Copy>(&mut self, at: usize, value: T) {
        assert!(at + size_of::<T>() <= self.bytes);
        // SAFETY: in bounds; no reference to the image's bytes exists.
        unsafe { self.start.add(at).cast::<T>().write_unaligned(value) };
    }
}

impl Drop for SharedMemoryImage {
    fn drop(&mut self) {
        if let Ok(layout) = Layout::from_size_align(self.bytes, ALIGNMENT) {
            // SAFETY: allocated with this very layout and freed once.
            unsafe { dealloc(self.start, layout) };
        }
    }
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
