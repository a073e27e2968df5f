//! The schedule of a kernel from a file: its launches are those that the script asks for, taken down before any clock runs.

use super::place::short;
use super::script::{self, Address, Asked, Memory, Problem, Script, Value};
use super::table::Formula;
use repro_device::{Argument, Buffer, DeviceError, DeviceInfo, Kernel, KernelSource, Launch};
use repro_graph::ElementType;
use repro_solvers::{
    GivenFile, KernelUse, Launcher, Layout, MOST_BLOCKS_IN_Y, Parameter, Parameters, RecordedArgument,
    RecordedBuffer, RecordedLaunch, Recording, Schedule, Solve, Target,
};

/// A number of the file with the line that it stands in.
#[derive(Clone, Debug)]
pub struct At<T> {
    pub value: T,
    pub line: usize,
}

/// An entry point.
pub struct KernelEntry {
    pub name: &'static str,
    pub threads: At<Vec<Formula>>,
    pub shared_bytes: At<Formula>,
    pub tasks_a_block: Option<At<Formula>>,
    pub cluster: At<Vec<Formula>>,
}

/// A layout whose side may depend on parameters.
pub enum GivenLayout {
    RowMajor,
    Padded(At<Formula>),
    Tiled(At<Formula>),
}

/// Everything that a file says of a kernel.
pub struct FromFile {
    pub given: GivenFile,
    pub source: KernelSource,
    pub elements: Vec<ElementType>,
    pub layout: GivenLayout,
    pub scratch_bytes: At<Formula>,
    pub requires: Option<At<String>>,
    pub parameters: &'static [Parameter],
    /// The values that each parameter may have, in the order of the parameters.
    pub values: Vec<Vec<u32>>,
    pub entries: Vec<KernelEntry>,
    pub script: Script,
    /// The line of the file in which the script begins.
    pub script_line: usize,
}

/// A launch that the script asks for: the place of its kernel, its shape, its arguments, and the line of the script.
type Wanted = (usize, Launch, Vec<Value>, usize);

/// The most threads of a block on any device.
const MOST_THREADS: i64 = 1024;
/// The most blocks of a grid in x.
const MOST_BLOCKS_IN_X: i64 = i32::MAX as i64;
/// The most blocks of a cluster.
const MOST_IN_CLUSTER: i64 = 16;
/// The largest side of a tile, or multiple of padding.
const LARGEST_SIDE: i64 = 4096;

/// A parameter's name as expressions have it.
pub fn in_expressions(name: &str) -> String {
    name.replace('-', "_")
}

impl FromFile {
    fn problem_at(&self, line: usize, problem: &str) -> String {
        format!("{}:{line}: {}", self.given.file, short(problem))
    }

    /// What is wrong with a script or an expression that stands in `line` and below.
    fn in_script(&self, problem: &Problem) -> String {
        let line = self.script_line + problem.line.max(1) - 1;
        self.problem_at(line, &format!("script: {}", problem.message))
    }

    /// Names of the parameters and of what is known in addition to them.
    fn names(&self, parameters: &Parameters, others: &[(&str, i64)]) -> Vec<(String, i64)> {
        let own =
            self.parameters.iter().map(|one| (in_expressions(one.name), i64::from(parameters.get(one))));
        own.chain(others.iter().map(|(name, value)| ((*name).to_string(), *value))).collect()
    }

    /// A number of the file, from `least` to `most`.
    fn number(
        &self,
        formula: &At<Formula>,
        (what, least, most): (&str, i64, i64),
        names: &[(String, i64)],
    ) -> Result<i64, String> {
        let value = match &formula.value {
            Formula::Number(number) => *number,
            Formula::Expression(text) => script::number(text, &borrowed(names))
                .map_err(|problem| self.problem_at(formula.line, &format!("{what}: {}", problem.message)))?,
        };
        if (least..=most).contains(&value) {
            return Ok(value);
        }
        Err(self.problem_at(formula.line, &format!("{what} is {value}: expected {least} to {most}")))
    }

    /// One to three extents of the file whose product is at most `most`; 1 where there are fewer.
    fn extents(
        &self,
        formulas: &At<Vec<Formula>>,
        (what, most): (&str, i64),
        names: &[(String, i64)],
    ) -> Result<(u32, u32, u32), String> {
        let mut extents = [1; 3];
        if !(1..=3).contains(&formulas.value.len()) {
            let count = formulas.value.len();
            return Err(
                self.problem_at(formulas.line, &format!("{what} has {count} numbers: expected one to three"))
            );
        }
        for (extent, formula) in extents.iter_mut().zip(&formulas.value) {
            let formula = At { value: formula.clone(), line: formulas.line };
            *extent = self.number(&formula, (what, 1, most), names)?;
        }
        let product: i64 = extents.iter().product();
        if product > most {
            return Err(
                self.problem_at(formulas.line, &format!("{what} is {product} in all: expected 1 to {most}"))
            );
        }
        let [x, y, z] = extents.map(|extent| extent as u32);
        Ok((x, y, z))
    }

    fn block(&self, entry: &KernelEntry, names: &[(String, i64)]) -> Result<(u32, u32, u32), String> {
        self.extents(&entry.threads, (&format!("kernels.{}.threads", entry.name), MOST_THREADS), names)
    }

    fn shared_bytes(&self, entry: &KernelEntry, names: &[(String, i64)]) -> Result<u32, String> {
        let what = format!("kernels.{}.shared_bytes", entry.name);
        self.number(&entry.shared_bytes, (&what, 0, 1 << 24), names).map(|bytes| bytes as u32)
    }

    /// A launch of one block.
    fn shape_of(&self, entry: &KernelEntry, names: &[(String, i64)]) -> Result<Launch, String> {
        let what = format!("kernels.{}.cluster", entry.name);
        let cluster = self.extents(&entry.cluster, (&what, MOST_IN_CLUSTER), names)?;
        Ok(Launch {
            dynamic_shared_bytes: self.shared_bytes(entry, names)?,
            cluster,
            ..Launch::of((1, 1, 1), self.block(entry, names)?)
        })
    }

    /// Names that the tables of kernels know.
    fn names_of_kernels(&self, parameters: &Parameters, element: ElementType) -> Vec<(String, i64)> {
        self.names(parameters, &[("element_bytes", element.bytes() as i64)])
    }

    fn use_of(&self, entry: &KernelEntry, names: &[(String, i64)]) -> Result<KernelUse, String> {
        let (x, y, z) = self.block(entry, names)?;
        let tasks = entry.tasks_a_block.as_ref().map(|formula| {
            let what = format!("kernels.{}.tasks_a_block", entry.name);
            self.number(formula, (&what, 1, i64::MAX), names).map(|tasks| tasks as u64)
        });
        Ok(KernelUse {
            name: entry.name,
            threads: x * y * z,
            dynamic_shared_bytes: self.shared_bytes(entry, names)?,
            tasks_a_block: tasks.transpose()?,
            paper: None,
        })
    }

    fn try_layout(&self, parameters: &Parameters) -> Result<Layout, String> {
        let names = self.names(parameters, &[]);
        let side = |formula: &At<Formula>, what: &str, least: i64| {
            self.number(formula, (what, least, LARGEST_SIDE), &names).map(|side| side as usize)
        };
        Ok(match &self.layout {
            GivenLayout::RowMajor => Layout::RowMajor,
            GivenLayout::Padded(formula) => Layout::PaddedRows(side(formula, "layout.padded", 1)?),
            // Tiles are numbered in a grid whose second dimension is short.
            GivenLayout::Tiled(formula) => Layout::Tiles(side(formula, "layout.tiled", 4)?),
        })
    }

    fn try_scratch(&self, n: usize, element: ElementType, parameters: &Parameters) -> Result<usize, String> {
        let side = self.try_layout(parameters)?.side(n);
        let names = self.names(
            parameters,
            &[("n", n as i64), ("side", side as i64), ("element_bytes", element.bytes() as i64)],
        );
        self.number(&self.scratch_bytes, ("scratch_bytes", 0, 1 << 44), &names).map(|bytes| bytes as usize)
    }

    /// Everything that can be known without a device: every number of the file with these parameters, and the launches of a small solve.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn try_out(&self, parameters: &Parameters) -> Result<(), String> {
        /// Of the small solves: no multiple of a tile, and one of most.
        const SIZES: [usize; 2] = [100, 256];
        for &element in &self.elements {
            let names = self.names_of_kernels(parameters, element);
            for entry in &self.entries {
                self.use_of(entry, &names)?;
                self.shape_of(entry, &names)?;
            }
            for n in SIZES {
                self.try_scratch(n, element, parameters)?;
                if self.is_for(n, parameters)? {
                    let resident = vec![1; self.entries.len()];
                    self.asked(n, element, parameters, 1, &resident)?;
                }
            }
        }
        Ok(())
    }

    /// Whether n vertices can be solved.
    fn is_for(&self, n: usize, parameters: &Parameters) -> Result<bool, String> {
        let Some(requires) = &self.requires else { return Ok(true) };
        let names = self.names(parameters, &[("n", n as i64)]);
        script::condition(&requires.value, &borrowed(&names))
            .map_err(|problem| self.problem_at(requires.line, &format!("requires: {}", problem.message)))
    }

    /// What the script asks for.
    fn asked(
        &self,
        n: usize,
        element: ElementType,
        parameters: &Parameters,
        multiprocessors: u32,
        resident: &[u32],
    ) -> Result<Vec<Wanted>, String> {
        let side = self.try_layout(parameters)?.side(n);
        let names = self.names(
            parameters,
            &[
                ("n", n as i64),
                ("side", side as i64),
                // Of the matrix that kernels work on. That of the copies is another one where it is padded.
                ("pitch", side as i64),
                ("element_bytes", element.bytes() as i64),
                ("multiprocessors", multiprocessors.into()),
            ],
        );
        let resident: Vec<(&str, u32)> =
            self.entries.iter().map(|entry| entry.name).zip(resident.iter().copied()).collect();
        let asked = self.script.launches(&borrowed(&names), &resident);
        let asked = asked.map_err(|problem| self.in_script(&problem))?;
        let names = self.names_of_kernels(parameters, element);
        let shapes = self.entries.iter().map(|entry| self.shape_of(entry, &names));
        let shapes = shapes.collect::<Result<Vec<_>, String>>()?;
        asked.into_iter().map(|one| self.launch_of(one, &shapes)).collect()
    }

    fn launch_of(&self, asked: Asked, shapes: &[Launch]) -> Result<Wanted, String> {
        let refused = |message: String| self.in_script(&Problem { line: asked.line, message });
        let kernel = &asked.kernel;
        let at = self.entries.iter().position(|entry| entry.name == kernel).ok_or_else(|| {
            let known: Vec<&str> = self.entries.iter().map(|entry| entry.name).collect();
            refused(format!("there is no [kernels.{kernel}]: expected {}", known.join(", ")))
        })?;
        if !(1..=3).contains(&asked.grid.len()) {
            return Err(refused(format!(
                "the grid of {kernel} has {} numbers: expected one to three",
                asked.grid.len()
            )));
        }
        let most = [MOST_BLOCKS_IN_X, MOST_BLOCKS_IN_Y as i64, MOST_BLOCKS_IN_Y as i64];
        let mut grid = [1_u32; 3];
        for ((extent, &blocks), most) in grid.iter_mut().zip(&asked.grid).zip(most) {
            if !(1..=most).contains(&blocks) {
                return Err(refused(format!("a grid of {blocks} blocks for {kernel}: expected 1 to {most}")));
            }
            *extent = blocks as u32;
        }
        let [x, y, z] = grid;
        let (cx, cy, cz) = shapes[at].cluster;
        if x % cx != 0 || y % cy != 0 || z % cz != 0 {
            return Err(refused(format!(
                "a grid of {x} x {y} x {z} blocks for {kernel} is no multiple of its cluster"
            )));
        }
        Ok((at, Launch { grid: (x, y, z), ..shapes[at] }, asked.arguments, asked.line))
    }

    /// Checks the arguments of a launch against the kernel's parameters, and gives them their types.
    fn typed(
        &self,
        (values, line): (&[Value], usize),
        kernel: &Kernel,
        room: [usize; 2],
    ) -> Result<Vec<RecordedArgument>, String> {
        let refused = |message: String| self.in_script(&Problem { line, message });
        let name = &kernel.name;
        let Some(parameters) = &kernel.parameter_bytes else {
            return Err(refused(format!(
                "{name}: the driver does not tell what parameters a kernel has, so that arguments cannot be checked: install one \
                 for CUDA 12.4 or newer"
            )));
        };
        if values.len() != parameters.len() {
            let (given, takes) = (values.len(), parameters.len());
            return Err(refused(format!("{name} has {takes} parameters, and the launch gives it {given}")));
        }
        let typed = |(at, (value, &bytes)): (usize, (&Value, &usize))| {
            let wrong = |expected: &str| {
                refused(format!(
                    "argument {} of {name} is {expected}, and its parameter has {bytes} bytes",
                    at + 1
                ))
            };
            match *value {
                Value::Address(Address { memory, offset }) => {
                    let of = match memory {
                        Memory::Matrix => RecordedBuffer::Matrix,
                        Memory::Scratch => RecordedBuffer::Scratch,
                    };
                    let (room, what) = match memory {
                        Memory::Matrix => (room[0], "the matrix"),
                        Memory::Scratch => (room[1], "scratch"),
                    };
                    let inside = usize::try_from(offset).ok().filter(|offset| *offset < room);
                    let Some(offset) = inside else {
                        return Err(refused(format!(
                            "argument {} of {name} is byte {offset} of {what}, which has {room} bytes",
                            at + 1
                        )));
                    };
                    if bytes == 8 {
                        Ok(RecordedArgument::Address(of, offset))
                    } else {
                        Err(wrong("an address of 8 bytes"))
                    }
                }
                Value::Whole(number) => match bytes {
                    8 => Ok(RecordedArgument::Long(number)),
                    4 => i32::try_from(number)
                        .or_else(|_| u32::try_from(number).map(u32::cast_signed))
                        .map(RecordedArgument::Int)
                        .map_err(|_| wrong(&format!("{number}"))),
                    _ => Err(wrong("a whole number of 4 or 8 bytes")),
                },
                Value::Fraction(number) => match bytes {
                    8 => Ok(RecordedArgument::Double(number)),
                    4 => Ok(RecordedArgument::Float(number as f32)),
                    _ => Err(wrong("a number of 4 or 8 bytes")),
                },
            }
        };
        values.iter().zip(parameters.iter()).enumerate().map(typed).collect()
    }
}

fn borrowed(names: &[(String, i64)]) -> Vec<(&str, i64)> {
    names.iter().map(|(name, value)| (&**name, *value)).collect()
}

/// Bytes of a buffer that may be missing.
fn bytes_of(buffer: Option<&Buffer>) -> usize {
    buffer.map_or(0, Buffer::bytes)
}

// SAFETY: every launch has as many arguments as its kernel has parameters, of their sizes, which `record` checks; addresses begin inside of
// the matrix and the scratch memory. Whether the kernel stays inside is its author's to promise: the emulated device checks it,
// and on a GPU nothing but the run's own process is at stake.
unsafe impl Schedule for FromFile {
    fn source(&self, target: Target, parameters: &Parameters) -> KernelSource {
        let mut source = self.source.clone().for_element(target.element);
        for parameter in self.parameters {
            let name = in_expressions(parameter.name).to_uppercase();
            source = source.with_define(&name, &parameters.get(parameter).to_string());
        }
        source
    }

    fn given(&self) -> Option<&GivenFile> {
        Some(&self.given)
    }

    fn elements(&self) -> &[ElementType] {
        &self.elements
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Vec<KernelUse> {
        let names = self.names_of_kernels(parameters, target.element);
        // What is wrong with a number was found when the file was read, or by `check`.
        self.entries.iter().filter_map(|entry| self.use_of(entry, &names).ok()).collect()
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        for (parameter, values) in self.parameters.iter().zip(&self.values) {
            let value = parameters.get(parameter);
            if !values.contains(&value) {
                let known: Vec<String> = values.iter().map(ToString::to_string).collect();
                return Err(format!(
                    "{} has no parameter {} = {value}: it takes {}",
                    self.given.name,
                    parameter.name,
                    known.join(", ")
                ));
            }
        }
        self.try_out(parameters)
    }

    fn values(&self, parameter: &Parameter) -> Option<Vec<u32>> {
        let at = self.parameters.iter().position(|known| known.name == parameter.name)?;
        self.values.get(at).cloned()
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        if self.is_for(n, parameters)? {
            return Ok(());
        }
        let requires = self.requires.as_ref().map_or("nothing", |requires| &requires.value);
        Err(short(format!("n = {n} is not for {}: it requires {requires}", self.given.name)))
    }

    fn fits_on(&self, device: &DeviceInfo, target: Target, parameters: &Parameters) -> Result<(), String> {
        let most = device.shared_bytes_per_block;
        let names = self.names_of_kernels(parameters, target.element);
        for entry in &self.entries {
            let bytes = self.shared_bytes(entry, &names)?;
            if u64::from(bytes) > most {
                let problem = format!(
                    "kernels.{}.shared_bytes is {bytes}: expected 0 to {most} on {}; try a smaller tile or fewer buffers",
                    entry.name, device.name
                );
                return Err(self.problem_at(entry.shared_bytes.line, &problem));
            }
        }
        Ok(())
    }

    fn layout(&self, parameters: &Parameters) -> Layout {
        // As in `kernels`.
        self.try_layout(parameters).unwrap_or(Layout::RowMajor)
    }

    fn scratch_bytes(&self, n: usize, target: Target, parameters: &Parameters) -> usize {
        // As in `kernels`.
        self.try_scratch(n, target.element, parameters).unwrap_or(0)
    }

    fn also_checked(&self) -> Vec<Parameters> {
        let others = |(parameter, values): (&Parameter, &Vec<u32>)| -> Vec<Parameters> {
            let other = values.iter().filter(|value| **value != parameter.default);
            other.map(|&value| Parameters::from([(parameter.name, value)])).collect()
        };
        let all = self.parameters.iter().zip(&self.values).flat_map(others);
        all.filter(|parameters| self.check(parameters).is_ok()).collect()
    }

    fn record(&self, on: &Solve, kernels: &[Kernel]) -> Result<Recording, DeviceError> {
        self.try_scratch(on.n, on.target.element, on.parameters).map_err(DeviceError::other)?;
        let asked =
            self.asked(on.n, on.target.element, on.parameters, on.multiprocessors, on.resident_blocks);
        let room = [on.data.bytes(), bytes_of(on.scratch)];
        let recorded = |(kernel, launch, values, line): Wanted| {
            let arguments = self.typed((&values, line), &kernels[kernel], room)?;
            Ok(RecordedLaunch { kernel, launch, arguments })
        };
        let launches = asked.and_then(|all| all.into_iter().map(recorded).collect::<Result<_, String>>());
        launches.map(Recording::of).map_err(DeviceError::other)
    }

    fn solve(&self, on: &Solve, launch: &mut Launcher) -> Result<(), DeviceError> {
        let mut arguments: Vec<Argument> = Vec::new();
        for recorded in on.recording.launches() {
            arguments.clear();
            for argument in &recorded.arguments {
                arguments.push(argument.on(on)?);
            }
            launch(recorded.kernel, recorded.launch, &arguments)?;
        }
        Ok(())
    }
}
