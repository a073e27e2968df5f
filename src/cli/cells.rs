//! Which cells of an experiment to measure, and how: the options that `repro run` and `repro track` have in common.

use super::parameter::{GridValues, grid, parameter, vertices};
use crate::device::Selection;
use crate::graph::ElementType;
use crate::plan::{Experiment, Overrides, UserGraph, load_experiment, resolve};
use repro_base::terminal::Error;
use std::path::PathBuf;

#[derive(clap::Args)]
pub struct CellArgs {
    /// Where to run: auto, cpu, cuda, cuda:N, cuda:all or emulated. With cuda:all, implementations that run on several GPUs use as many as they
    /// ask for; auto picks it for experiments with `sharded = true` if there is a GPU. emulated runs kernels on the CPU at small sizes: checked
    /// and counted, not timed; emulated:8.0 sets the compute capability
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: Selection,
    #[command(flatten)]
    choice: CellChoice,
}

/// What is measured in place of what the experiment has.
#[derive(Clone, clap::Args)]
pub struct CellChoice {
    /// Numbers of vertices n, for every implementation, in place of the experiment's
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = vertices)]
    sizes: Option<Vec<usize>>,
    /// Only these implementations
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Option<Vec<String>>,
    /// Run every implementation that has this parameter with each of these values; `repro list NAME` says what they mean
    #[arg(long = "param", value_name = "NAME=VALUE,...", value_parser = parameter)]
    parameters: Vec<(String, Vec<u32>)>,
    /// Share each matrix among so many devices, in a grid of these rows and columns: the same as --param devices=R*C --param rows=R
    #[arg(long, value_name = "RxC", value_parser = grid)]
    grid: Option<GridValues>,
    /// Take exactly this many samples of each cell, that is of each implementation at each n
    #[arg(long, value_name = "COUNT")]
    samples: Option<usize>,
    /// Start no further sample of a cell once its samples took this many seconds together
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    budget: Option<f64>,
    /// Seed of the generated graphs
    #[arg(long)]
    seed: Option<u64>,
    /// Types of the distances, in place of the experiment's: f32, i32, u16, and f64 on the CPU. The emulated device counts the first
    #[arg(long, value_name = "TYPE,...", value_delimiter = ',')]
    elements: Option<Vec<ElementType>>,
    /// Run on this graph in place of generated ones: DIMACS .gr, Matrix Market, an edge list, .npy or .npz, gzip-compressed or not, or `-`
    /// for standard input. In a matrix 0 is an edge of weight 0 and inf is no edge. Experiments with `sharded = true` read a .npy block by
    /// block, and take no standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sizes", "seed", "full"])]
    graph: Option<PathBuf>,
    /// Also measure the cells that the paper leaves blank, where one sample takes less than a minute
    #[arg(long, conflicts_with = "sizes")]
    full: bool,
}

impl CellArgs {
    /// The experiment with these options applied.
    ///
    /// # Errors
    /// When there is no such experiment, or an option makes no sense for it.
    pub fn resolve(&self, experiment: &str) -> Result<Experiment, Error> {
        let parameters = self.choice.all_parameters()?;
        let file = load_experiment(experiment)?;
        let choice = self.choice.clone();
        let CellChoice { sizes, only, samples, budget: budget_s, seed, full, elements, graph, .. } = choice;
        let element = elements.iter().flatten().next().copied().unwrap_or_default();
        let read = |path: PathBuf| match file.sharded {
            true => UserGraph::open_sharded(&path, element),
            false => UserGraph::read(&path, &file.limits),
        };
        let (graph, saved_graph) = match graph.map(read).transpose()? {
            Some(given) => (Some((given.source, given.n)), given.saved),
            None => (None, None),
        };
        let overrides = Overrides { sizes, only, parameters, samples, budget_s, seed, full, elements, graph };
        let experiment = Experiment { saved_graph, ..resolve(&file, &overrides, self.device)? };
        check_runs_on_cpu(&experiment, self.device)?;
        self.choice.check_elements(&experiment)?;
        Ok(experiment)
    }
}

impl CellChoice {
    /// The parameters of --param and --grid. Refuses one that both set differently: --param would silently replace the value of --grid.
    fn all_parameters(&self) -> Result<Vec<(String, Vec<u32>)>, Error> {
        let of_grid: Vec<_> = self.grid.iter().flatten().cloned().collect();
        for (name, values) in &self.parameters {
            if of_grid.iter().any(|(of_grid, set)| of_grid == name && set != values) {
                let problem = "--grid sets it to something else: leave one of both out";
                return Err(format!("--param {name}: {problem}").into());
            }
        }
        Ok([of_grid, self.parameters.clone()].concat())
    }

    /// Checks that each implementation asked for takes the type of one of its graphs: else a run without it would look as if it had run.
    fn check_elements(&self, experiment: &Experiment) -> Result<(), Error> {
        for column in &experiment.columns {
            let variant = column.variant();
            let asked = variant.is_external()
                || self.only.iter().flatten().any(|name| *name == column.implementation);
            let Some(known) = variant.implementation.known().filter(|_| asked) else { continue };
            let taken = known.capabilities(&column.parameters).elements;
            let graphs = experiment.graphs.iter().filter(|graph| column.runs_on(&graph.name));
            let elements: Vec<ElementType> = graphs.map(|graph| graph.element).collect();
            // The type is fine. Whether this machine lacks something that it needs is reported later, with each of its cells.
            if elements.iter().any(|element| taken.contains(element)) {
                continue;
            }
            if let Some(first) = taken.first() {
                let mut problems = elements.iter().map(|element| known.takes(*element, &column.parameters));
                let remedy = |problem| format!("{problem}: add --elements {first}");
                problems.try_for_each(|problem| problem.map_err(remedy))?;
            }
        }
        Ok(())
    }
}

/// A sharded matrix is for devices: refuses to run such an experiment on the CPU alone if no implementation of it runs there.
fn check_runs_on_cpu(experiment: &Experiment, device: Selection) -> Result<(), Error> {
    let is_on_cpu = experiment.columns.iter().any(|column| !column.variant().implementation.needs_device());
    if device != Selection::Cpu || !experiment.sharded || is_on_cpu {
        return Ok(());
    }
    let problem = format!("no implementation of {} runs on the CPU", experiment.name);
    let remedy = "use --device cuda:all, or --device emulated at small sizes";
    Err(format!("--device cpu: {problem}: {remedy}").into())
}
