//! The numbers of a kernel file, and its launches: those that the script asks for, found before any clock runs.

use super::in_order;
use super::script::{self, Script, ScriptError, ScriptedLaunch};
use super::table::{
    EntryTable, Formula, KernelTable, LaunchExtent, LayoutKind, LayoutValue, SourceText, TrafficTable, short,
};
use crate::kernels::{Address, LaunchArgument, LaunchList, LaunchSite, Memory, PlannedLaunch};
use crate::{
    BatchMode, Capabilities, KernelSet, KernelTraffic, KernelUse, Layout, MOST_BLOCKS_IN_Y, PaperFigures,
    Parameter, Parameters, Scope, Solver, Target, Traffic,
};
use repro_device::{DeviceError, Kernel, KernelSource, Launch};
use repro_graph::ElementType;
use std::num::NonZeroU32;
use toml::Spanned;

/// The solver that a kernel file describes.
pub struct FileSolver {
    /// The name of the file, for messages.
    pub file: String,
    pub text: String,
    pub source: KernelSource,
    pub elements: Vec<ElementType>,
    pub parameters: &'static [Parameter],
    /// The kernels by name, in the order of the file.
    pub kernels: Vec<(&'static str, EntryTable)>,
    pub script: Script,
    /// Whether the file is a user's: its numbers are tried out before they are used.
    pub is_foreign: bool,
    /// The rest of the file.
    pub table: KernelTable,
}

/// A launch that the script asks for, and the place of its kernel.
type ResolvedLaunch = (usize, Launch, ScriptedLaunch);

/// The most threads of a block on any device.
const MOST_THREADS: i64 = 1024;
/// The most blocks of a grid in x.
const MOST_BLOCKS_IN_X: i64 = i32::MAX as i64;
/// The most blocks of a cluster.
const MOST_IN_CLUSTER: i64 = 16;
/// The largest side of a tile, or multiple of padding.
const LARGEST_SIDE: i64 = 4096;
/// The most shared memory that a file may ask for a block.
const MOST_SHARED_BYTES: i64 = 1 << 24;
/// Multiprocessors of the GPU of the reference runs, for which models are made.
const USUAL_MULTIPROCESSORS: u32 = 132;

/// A parameter's name as expressions write it, with underscores for dashes.
pub fn in_expressions(name: &str) -> String {
    name.replace('-', "_")
}

/// The name of a number for messages, its least and its greatest value.
type Bounds<'a> = (&'a str, i64, i64);

/// A number that is within its bounds.
fn within(value: i64, (what, least, most): Bounds) -> Result<i64, String> {
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(format!("{what} is {value}: expected {least} to {most}"))
}

/// One to three extents, each from 1 to its `most`; missing ones are 1.
fn extents(what: &str, numbers: &[i64], most: [i64; 3]) -> Result<(u32, u32, u32), String> {
    if !(1..=3).contains(&numbers.len()) {
        return Err(format!("{what} has {} numbers: expected one to three", numbers.len()));
    }
    let mut extents = [1; 3];
    for ((extent, &number), most) in extents.iter_mut().zip(numbers).zip(most) {
        *extent = within(number, (what, 1, most))? as u32;
    }
    Ok(extents.into())
}

/// A file, and the names that its expressions know with their values.
struct Evaluation<'a> {
    file: &'a FileSolver,
    names: Vec<(String, i64)>,
}

impl Evaluation<'_> {
    /// The number at this place of the file.
    fn value<T>(&self, formula: &Formula, at: &Spanned<T>, what: &str) -> Result<i64, String> {
        match formula {
            Formula::Number(number) => Ok(*number),
            Formula::Expression(text) => self.placed(script::number(text, &self.names), at, what),
        }
    }

    /// [`Self::value`], which has to be within its bounds.
    fn number<T>(
        &self,
        formula: &Formula,
        at: &Spanned<T>,
        (what, least, most): Bounds,
    ) -> Result<i64, String> {
        let value = self.value(formula, at, what)?;
        within(value, (what, least, most)).map_err(|problem| self.file.problem_at(at, &problem))
    }

    /// A number that is 0 where the file has none.
    fn optional(&self, formula: Option<&Spanned<Formula>>, bounds: Bounds) -> Result<u32, String> {
        formula.map_or(Ok(0), |formula| {
            self.number(formula.get_ref(), formula, bounds).map(|number| number as u32)
        })
    }

    fn condition(&self, text: &Spanned<String>, key: &str) -> Result<bool, String> {
        self.placed(script::condition(text.get_ref(), &self.names), text, key)
    }

    fn placed<V, T>(&self, found: Result<V, ScriptError>, at: &Spanned<T>, what: &str) -> Result<V, String> {
        found.map_err(|problem| self.file.problem_at(at, &format!("{what}: {}", problem.message)))
    }

    /// One to three extents whose product is at most `most`; missing ones are 1.
    fn extents(
        &self,
        shape: &Spanned<LaunchExtent>,
        what: &str,
        most: i64,
    ) -> Result<(u32, u32, u32), String> {
        let numbers = shape.get_ref().formulas().iter().map(|formula| self.value(formula, shape, what));
        let numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
        let product = |(x, y, z): (u32, u32, u32)| {
            let product = i64::from(x) * i64::from(y) * i64::from(z);
            within(product, (&format!("{what} in all"), 1, most)).map(|_| (x, y, z))
        };
        let extents = extents(what, &numbers, [most; 3]).and_then(product);
        extents.map_err(|problem| self.file.problem_at(shape, &problem))
    }

    /// A kernel, and its launch with one block.
    fn kernel(&self, (name, entry): &(&'static str, EntryTable)) -> Result<(KernelUse, Launch), String> {
        let key = |key: &str| format!("kernels.{name}.{key}");
        let bytes = |formula, of| self.optional(formula, (&key(of), 0, MOST_SHARED_BYTES));
        let cluster = entry.cluster.as_ref();
        let cluster = cluster.map(|shape| self.extents(shape, &key("cluster"), MOST_IN_CLUSTER));
        let tasks = entry.tasks_a_block.as_ref();
        let tasks = tasks
            .map(|formula| self.number(formula.get_ref(), formula, (&key("tasks_a_block"), 1, i64::MAX)));
        let paper = entry.paper.as_ref().map(|paper| {
            let shared_bytes = bytes(Some(&paper.shared_bytes), "paper.shared_bytes")?;
            let (resident_blocks, threads) = (paper.resident_blocks, paper.threads);
            Ok::<_, String>(PaperFigures { shared_bytes, resident_blocks, threads })
        });
        let threads = self.extents(&entry.threads, &key("threads"), MOST_THREADS)?;
        let one = Launch {
            dynamic_shared_bytes: bytes(entry.shared_bytes.as_ref(), "shared_bytes")?,
            cluster: cluster.transpose()?.unwrap_or((1, 1, 1)),
            ..Launch::new((1, 1, 1), threads)
        };
        let used = KernelUse {
            dynamic_shared_bytes: one.dynamic_shared_bytes,
            declared_shared_bytes: bytes(entry.declared_shared_bytes.as_ref(), "declared_shared_bytes")?,
            tasks_a_block: tasks.transpose()?.map(|tasks| tasks as u64),
            paper: paper.transpose()?.filter(|paper| paper.shared_bytes > 0),
            ..KernelUse::new(name, threads.0 * threads.1 * threads.2)
        };
        Ok((used, one))
    }
}

impl FileSolver {
    fn place(&self) -> SourceText<'_> {
        SourceText { file: &self.file, text: &self.text }
    }

    fn problem_at<T>(&self, at: &Spanned<T>, problem: &str) -> String {
        self.place().error(&at.span(), problem).to_string()
    }

    /// What is wrong with the script.
    fn in_script(&self, problem: &ScriptError) -> String {
        problem.placed(self.place(), &self.table.solve.script).to_string()
    }

    /// The file with the values of its parameters and the `others` that expressions know.
    fn with(&self, parameters: &Parameters, others: &[(&str, i64)]) -> Evaluation<'_> {
        let own =
            self.parameters.iter().map(|one| (in_expressions(one.name), i64::from(one.value_in(parameters))));
        let names = own.chain(others.iter().map(|(name, value)| ((*name).to_string(), *value))).collect();
        Evaluation { file: self, names }
    }

    /// The kernels, and a launch of one block of each.
    fn try_kernels(
        &self,
        element: ElementType,
        parameters: &Parameters,
    ) -> Result<Vec<(KernelUse, Launch)>, String> {
        let on = self.with(parameters, &[("element_bytes", element.bytes() as i64)]);
        self.kernels.iter().map(|kernel| on.kernel(kernel)).collect()
    }

    fn try_layout(&self, parameters: &Parameters) -> Result<Layout, String> {
        let Some(value) = &self.table.layout else { return Ok(Layout::RowMajor) };
        let on = self.with(parameters, &[]);
        let side = |formula: &Formula, what: &str, least: i64| {
            on.number(formula, value, (what, least, LARGEST_SIDE)).map(|side| side as usize)
        };
        let LayoutValue::Kind(kind) = value.get_ref();
        Ok(match kind {
            LayoutKind::RowMajor => Layout::RowMajor,
            LayoutKind::DoublyTiled => Layout::DoublyTiled,
            LayoutKind::Padded(multiple) => Layout::PaddedRows(side(multiple, "layout.padded", 1)?),
            // Tiles are numbered in a grid whose second dimension is short.
            LayoutKind::Tiled(tile) => Layout::Tiles(side(tile, "layout.tiled", 4)?),
        })
    }

    fn try_scratch(&self, n: usize, element: ElementType, parameters: &Parameters) -> Result<usize, String> {
        let Some(bytes) = &self.table.scratch_bytes else { return Ok(0) };
        let side = self.try_layout(parameters)?.side(n);
        let known = [("n", n as i64), ("side", side as i64), ("element_bytes", element.bytes() as i64)];
        let on = self.with(parameters, &known);
        on.number(bytes.get_ref(), bytes, ("scratch_bytes", 0, 1 << 44)).map(|bytes| bytes as usize)
    }

    /// Whether parameters go together.
    pub(super) fn try_rules(&self, parameters: &Parameters) -> Result<(), String> {
        for rule in &self.table.rules {
            if !self.with(parameters, &[]).condition(rule, "rules")? {
                let (name, named) = (&self.table.name.0, self.named_in(rule.get_ref(), parameters));
                return Err(short(format!("{name} requires {}, not {named}", rule.get_ref())));
            }
        }
        Ok(())
    }

    /// Every number of the file that does not depend on n.
    fn try_numbers(&self, parameters: &Parameters) -> Result<(), String> {
        self.try_rules(parameters)?;
        for &element in &self.elements {
            self.try_kernels(element, parameters)?;
            self.try_macros(element, parameters)?;
        }
        self.try_layout(parameters)?;
        self.try_waits(parameters)?;
        self.try_traffic(parameters).map(drop)
    }

    /// Everything that can be known without a device: every number of the file with these parameters, and the launches of a small solve.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn try_out(&self, parameters: &Parameters) -> Result<(), String> {
        /// Vertices of the small solves: no multiple of a tile's side, and a multiple of most.
        const SIZES: [usize; 2] = [100, 256];
        self.try_numbers(parameters)?;
        for &element in &self.elements {
            for n in SIZES {
                self.try_scratch(n, element, parameters)?;
                if self.is_for(n, parameters)? {
                    let resident = vec![1; self.kernels.len()];
                    self.wanted(n, element, parameters, 1, &resident)?;
                }
            }
        }
        Ok(())
    }

    /// Whether n vertices can be solved.
    fn is_for(&self, n: usize, parameters: &Parameters) -> Result<bool, String> {
        let Some(requires) = &self.table.requires else { return Ok(true) };
        let n = i64::try_from(n).unwrap_or(i64::MAX);
        self.with(parameters, &[("n", n)]).condition(requires, "requires")
    }

    /// The values of the parameters that a condition names, for messages.
    fn named_in(&self, condition: &str, parameters: &Parameters) -> String {
        let named = self.parameters.iter().filter(|one| condition.contains(&in_expressions(one.name)));
        let values: Vec<String> =
            named.map(|one| format!("{} = {}", one.name, one.value_in(parameters))).collect();
        values.join(", ")
    }

    fn try_traffic(&self, parameters: &Parameters) -> Result<Traffic, String> {
        let Some(table) = &self.table.traffic else { return Ok(Traffic::EVERY_TASK) };
        let on = self.with(parameters, &[]);
        let counted = |table: &TrafficTable| -> Result<(f64, String), String> {
            let [words, tasks] = [("traffic.words", &table.words), ("traffic.tasks", &table.tasks)]
                .map(|(key, formula)| on.number(formula.get_ref(), formula, (key, 1, 1 << 40)));
            let model = script::filled_in(&table.model.get_ref().0, &on.names);
            let model = on.placed(model, &table.model, "traffic.model")?;
            Ok((words? as f64 / tasks? as f64 * size_of::<f32>() as f64, model))
        };
        let (bytes_per_task, model) = counted(table)?;
        let paper = table.paper.as_deref().map(counted).transpose()?;
        Ok(Traffic { bytes_per_task, model: model.into(), paper })
    }

    /// The macros that the source is compiled with.
    fn try_macros(
        &self,
        element: ElementType,
        parameters: &Parameters,
    ) -> Result<Vec<(String, i64)>, String> {
        let Some(macros) = &self.table.macros else {
            let own = self.with(parameters, &[]).names;
            return Ok(own.into_iter().map(|(name, value)| (name.to_uppercase(), value)).collect());
        };
        let on = self.with(parameters, &[("element_bytes", element.bytes() as i64)]);
        let defined = |(name, formula): (Spanned<String>, &Spanned<Formula>)| {
            let value = match formula.get_ref() {
                Formula::Number(number) => Ok(Some(*number)),
                Formula::Expression(text) => script::optional_number(text, &on.names),
            };
            let value = on.placed(value, formula, &format!("macros.{}", name.get_ref()));
            value.map(|value| Some((name.into_inner(), value?))).transpose()
        };
        in_order(macros).into_iter().filter_map(defined).collect()
    }

    /// The launches that the script asks for.
    fn wanted(
        &self,
        n: usize,
        element: ElementType,
        parameters: &Parameters,
        multiprocessors: u32,
        resident: &[u32],
    ) -> Result<Vec<ResolvedLaunch>, String> {
        let side = self.try_layout(parameters)?.side(n) as i64;
        let known = [
            ("n", n as i64),
            ("side", side),
            // The pitch of the matrix that kernels work on. The copies' matrix has another pitch where the layout is padded.
            ("pitch", side),
            ("element_bytes", element.bytes() as i64),
            ("multiprocessors", multiprocessors.into()),
        ];
        let resident: Vec<(&str, u32)> =
            self.kernels.iter().map(|(name, _)| *name).zip(resident.iter().copied()).collect();
        let asked = self.script.launches(&self.with(parameters, &known).names, &resident);
        let asked = asked.map_err(|problem| self.in_script(&problem))?;
        let kernels = self.try_kernels(element, parameters)?;
        asked.into_iter().map(|one| self.launch_of(one, &kernels)).collect()
    }

    /// The launch that the script asks for, made from the kernel's launch of one block.
    fn launch_of(
        &self,
        asked: ScriptedLaunch,
        kernels: &[(KernelUse, Launch)],
    ) -> Result<ResolvedLaunch, String> {
        let refused = |message: String| self.in_script(&ScriptError { line: asked.line, message });
        let kernel = &asked.kernel;
        let at = kernels.iter().position(|(used, _)| used.name == *kernel).ok_or_else(|| {
            let known: Vec<&str> = kernels.iter().map(|(used, _)| used.name).collect();
            refused(format!("there is no [kernels.{kernel}]: expected {}", known.join(", ")))
        })?;
        let most = [MOST_BLOCKS_IN_X, MOST_BLOCKS_IN_Y as i64, MOST_BLOCKS_IN_Y as i64];
        let (x, y, z) = extents(&format!("the grid of {kernel}"), &asked.grid, most).map_err(refused)?;
        let one = kernels[at].1;
        let (cx, cy, cz) = one.cluster;
        if x % cx != 0 || y % cy != 0 || z % cz != 0 {
            return Err(refused(format!(
                "a grid of {x} x {y} x {z} blocks for {kernel} is no multiple of its cluster"
            )));
        }
        Ok((at, Launch { grid: (x, y, z), ..one }, asked))
    }

    /// Checks the arguments of a launch against the kernel's parameters, and gives them their types.
    fn typed(
        &self,
        asked: &ScriptedLaunch,
        kernel: &Kernel,
        bytes_of: impl Fn(Memory) -> usize,
    ) -> Result<Vec<LaunchArgument>, String> {
        let refused = |message: String| self.in_script(&ScriptError { line: asked.line, message });
        let name = &kernel.name;
        // Where the driver does not tell the bytes of parameters, this program's own kernels are taken to have addresses and whole numbers
        // of 4 bytes. Tests on the emulated device compare that with the kernels.
        let own_bytes = |value: &LaunchArgument| if matches!(value, LaunchArgument::Long(_)) { 4 } else { 8 };
        let own = || asked.arguments.iter().map(own_bytes).collect();
        let known = kernel.parameter_bytes.clone().or_else(|| (!self.is_foreign).then(own));
        let Some(parameters) = known else {
            return Err(refused(format!(
                "{name}: the driver does not tell what parameters a kernel has, so that arguments cannot be checked: install one \
                 for CUDA 12.4 or newer"
            )));
        };
        let (given, takes) = (asked.arguments.len(), parameters.len());
        if given != takes {
            return Err(refused(format!("{name} has {takes} parameters, and the launch gives it {given}")));
        }
        let typed = |(at, (value, &bytes)): (usize, (&LaunchArgument, &usize))| {
            let argument = format!("argument {} of {name} is", at + 1);
            let wrong = |is: &str| refused(format!("{argument} {is}, and its parameter has {bytes} bytes"));
            match (value, bytes) {
                (LaunchArgument::Address(Address { memory, offset }), _) => {
                    let room = bytes_of(*memory);
                    if *offset >= room {
                        let what = if *memory == Memory::Matrix { "the matrix" } else { "scratch" };
                        let is = format!("byte {offset} of {what}, which has {room} bytes");
                        return Err(refused(format!("{argument} {is}")));
                    }
                    if bytes == 8 { Ok(value.clone()) } else { Err(wrong("an address of 8 bytes")) }
                }
                (LaunchArgument::Long(number), 4) => i32::try_from(*number)
                    .or_else(|_| u32::try_from(*number).map(u32::cast_signed))
                    .map(LaunchArgument::Int)
                    .map_err(|_| wrong(&format!("{number}"))),
                (LaunchArgument::Double(number), 4) => Ok(LaunchArgument::Float(*number as f32)),
                (LaunchArgument::Long(_) | LaunchArgument::Double(_), 8) => Ok(value.clone()),
                _ => Err(wrong("a number of 4 or 8 bytes")),
            }
        };
        asked.arguments.iter().zip(parameters.iter()).enumerate().map(typed).collect()
    }

    /// After how many launches the host waits.
    fn try_waits(&self, parameters: &Parameters) -> Result<Option<NonZeroU32>, String> {
        let bounds = ("launches_per_sync", 0, u32::MAX.into());
        let every = self.table.launches_per_sync.as_ref();
        self.with(parameters, &[]).optional(every, bounds).map(NonZeroU32::new)
    }
}

impl Solver for FileSolver {
    fn capabilities(&self, parameters: &Parameters) -> Capabilities {
        let mut capabilities = Capabilities::of_launches();
        if self.try_waits(parameters).is_ok_and(|every| every.is_some()) {
            capabilities.scopes.to_mut().retain(|scope| *scope != Scope::CudaGraph);
        }
        Capabilities { elements: self.elements.clone().into(), ..capabilities }
    }

    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        // Tests have tried out the rest of this program's own files.
        if self.is_foreign { self.try_out(parameters) } else { self.try_rules(parameters) }
    }

    fn fits(&self, n: usize, parameters: &Parameters) -> Result<(), String> {
        self.try_layout(parameters)?.fits(n)?;
        if self.is_for(n, parameters)? {
            return Ok(());
        }
        let requires = self.table.requires.as_ref().map_or("nothing", |requires| requires.get_ref());
        let remedy = self.table.remedy.as_ref().map(|remedy| {
            let known = self.with(parameters, &[("n", n as i64)]);
            let filled = script::filled_in(remedy.get_ref(), &known.names);
            known.placed(filled, remedy, "remedy").map(|remedy| format!(": {remedy}"))
        });
        let remedy = remedy.transpose()?.unwrap_or_default();
        Err(short(format!("n = {n} is not for {}: it requires {requires}{remedy}", self.table.name.0)))
    }

    fn traffic(&self, parameters: &Parameters) -> Traffic {
        // What is wrong with a number was found when the file was read, or by `check`.
        self.try_traffic(parameters).unwrap_or(Traffic::EVERY_TASK)
    }

    fn cost(&self, problem: &crate::Problem, parameters: &Parameters) -> crate::Cost {
        let layout = self.try_layout(parameters).unwrap_or(Layout::RowMajor);
        let scratch = self.try_scratch(problem.n, problem.element, parameters).unwrap_or(0);
        crate::Cost::new(problem, layout.device_bytes(problem) + scratch as u64)
    }

    fn kernels(&self, target: Target, parameters: &Parameters) -> Option<KernelSet> {
        let mut source = self.source.clone().for_element(target.element);
        for (name, value) in self.try_macros(target.element, parameters).unwrap_or_default() {
            source = source.with_define(&name, &value.to_string());
        }
        let kernels = self.try_kernels(target.element, parameters).unwrap_or_default();
        Some(KernelSet {
            source,
            uses: kernels.into_iter().map(|(used, _)| used).collect(),
            layout: self.try_layout(parameters).unwrap_or(Layout::RowMajor),
            batch_mode: BatchMode::No,
            launches_per_sync: self.try_waits(parameters).unwrap_or_default(),
        })
    }

    fn model(&self, n: usize, parameters: &Parameters) -> Vec<KernelTraffic> {
        let resident = vec![1; self.kernels.len()];
        let wanted = self.wanted(n, ElementType::F32, parameters, USUAL_MULTIPROCESSORS, &resident);
        let mut all: Vec<KernelTraffic> = Vec::new();
        for (_, launch, asked) in wanted.unwrap_or_default() {
            let Some(work) = asked.work else { continue };
            let at = all.iter().position(|one| one.kernel == asked.kernel).unwrap_or_else(|| {
                all.push(KernelTraffic { kernel: asked.kernel.clone(), ..KernelTraffic::default() });
                all.len() - 1
            });
            let (x, y, z) = launch.grid;
            all[at].launches += 1;
            all[at].blocks += u64::from(x) * u64::from(y) * u64::from(z);
            all[at].tasks = all[at].tasks.saturating_add(work.tasks as u64);
            all[at].loaded_bytes = all[at].loaded_bytes.saturating_add(work.loaded as u64);
            all[at].stored_bytes = all[at].stored_bytes.saturating_add(work.stored as u64);
        }
        all
    }

    fn launches(&self, on: &LaunchSite, kernels: &[Kernel]) -> Result<LaunchList, DeviceError> {
        let (n, element) = (on.problem.n, on.target.element);
        let scratch = self.try_scratch(n, element, on.parameters).map_err(DeviceError::other)?;
        let bytes_of = |memory| if memory == Memory::Matrix { on.matrix_bytes } else { scratch };
        let planned = |(kernel, launch, asked): ResolvedLaunch| {
            let arguments = self.typed(&asked, &kernels[kernel], bytes_of)?;
            Ok(PlannedLaunch { kernel, launch, arguments })
        };
        let wanted = self.wanted(n, element, on.parameters, on.multiprocessors, on.resident_blocks);
        let all: Result<Vec<_>, String> = wanted.and_then(|all| all.into_iter().map(planned).collect());
        let all = all.map_err(DeviceError::other)?;
        // SAFETY: every launch has as many arguments as its kernel has parameters, of their sizes. Where a driver does not tell them, tests
        // compare those of this program's own kernels. Addresses begin inside of the matrix and the scratch memory. That the kernel stays
        // inside is its author's to promise: the emulated device checks it, and on a GPU nothing but the run's own process is at stake.
        Ok(unsafe { LaunchList::new(scratch, all) })
    }
}
