//! Overrides of the command line, applied to an experiment's file: exactly what will be run.

use super::experiment::keep_few;
use super::file::CellsFile;
use super::graphs::GraphFile;
use super::{
    Column, ConfigError, Experiment, ExperimentFile, GraphSource, NamedGraph, Variant, defaults_of,
    given_files, implementation_named, suggestion, wrong_option,
};
use crate::published::MOST_CELLS;
use repro_base::lists::{distinct, grouped};
use repro_device::Selection;
use repro_graph::ElementType;
use repro_timing::StoppingRule;
use std::collections::BTreeSet;

/// What the command line may change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    pub sizes: Option<Vec<usize>>,
    pub only: Option<Vec<String>>,
    pub samples: Option<usize>,
    pub budget_s: Option<f64>,
    pub seed: Option<u64>,
    /// Fill cells that the paper leaves blank.
    pub full: bool,
    /// Values for a parameter of every implementation that has it.
    pub parameters: Vec<(String, Vec<u32>)>,
    /// Element types of every graph.
    pub elements: Option<Vec<ElementType>>,
    /// A graph file with its number of vertices, in place of generated graphs.
    pub graph: Option<(GraphSource, usize)>,
}

/// The largest n that is emulated without `--device emulated`: a few seconds.
const MOST_EMULATED_UNASKED: usize = 256;

/// Applies `overrides` to `file`.
///
/// # Errors
/// The first option that makes no sense.
pub fn resolve(
    file: &ExperimentFile,
    overrides: &Overrides,
    device: Selection,
) -> Result<Experiment, ConfigError> {
    let mut columns = columns_of(file);
    let all_sizes = sizes_of(&columns);
    columns.extend(columns_of_user_kernels(file, &columns)?);
    if let Some(only) = &overrides.only {
        columns = select(&columns, only)?;
    }
    set_parameters(&mut columns, &overrides.parameters)?;
    let mut graphs = set_graphs(&mut columns, file, overrides);
    if device.is_emulated() {
        keep_few(&mut graphs);
    }
    set_sizes(&mut columns, overrides, all_sizes, graphs.len())?;
    merge(&mut columns);
    let counted_beside_gpu = file.emulated.beside_gpu && device != Selection::Cpu;
    set_emulated(&mut columns, overrides, device, counted_beside_gpu);
    check_fits(&columns, overrides)?;
    let mut given = given_files(true);
    given.retain(|given| columns.iter().any(|column| column.implementation == given.name));
    Ok(Experiment {
        name: file.name.clone(),
        title: file.title.clone(),
        paper: file.paper.clone(),
        table: file.table.clone(),
        device: device.to_string(),
        graphs,
        sampling: sampling_of(file, overrides)?,
        limits: file.limits,
        clocks: file.clocks,
        repeats: file.repeats,
        counted_beside_gpu,
        orders: file.emulated.orders,
        between_launches: file.emulated.between_launches,
        sharded: file.sharded,
        figures: file.figures.clone(),
        given,
        columns,
        saved_graph: None,
        distances: None,
    })
}

/// The experiment's graphs, or the given one, in the element types that were asked for. Columns get the names of those that they run on.
fn set_graphs(columns: &mut [Column], file: &ExperimentFile, overrides: &Overrides) -> Vec<NamedGraph> {
    if let Some((source, n)) = &overrides.graph {
        columns.iter_mut().for_each(|column| (column.sizes, column.graphs) = (vec![*n], Vec::new()));
        let elements = overrides.elements.as_deref().unwrap_or(&[ElementType::F32]);
        let only = NamedGraph { name: String::new(), source: source.clone(), element: ElementType::F32 };
        return NamedGraph::in_each(&[only], elements);
    }
    let Some(elements) = &overrides.elements else { return file.graphs(overrides.seed) };
    // Graphs are named after their types: for each, its names in the file's types, and its graphs in the types that were asked for.
    let in_others = |of: &GraphFile| -> Vec<(Vec<String>, Vec<NamedGraph>)> {
        let named = |graph: &NamedGraph| of.elements.iter().map(|element| graph.name_in(*element)).collect();
        let graphs = of.graphs(overrides.seed).into_iter();
        graphs.map(|graph| (named(&graph), NamedGraph::in_each(&[graph], elements))).collect()
    };
    let each: Vec<(Vec<String>, Vec<NamedGraph>)> = file.graph.iter().flat_map(in_others).collect();
    for column in columns {
        let asked = each.iter().filter(|(names, _)| names.iter().any(|name| column.graphs.contains(name)));
        column.graphs = asked.flat_map(|(_, graphs)| graphs.iter().map(|graph| graph.name.clone())).collect();
    }
    each.into_iter().flat_map(|(_, graphs)| graphs).collect()
}

/// Gives every column the sizes of `--sizes`; or with `--full` those of `all_sizes` that it lacks.
fn set_sizes(
    columns: &mut [Column],
    overrides: &Overrides,
    all_sizes: BTreeSet<usize>,
    graphs: usize,
) -> Result<(), ConfigError> {
    if let Some(sizes) = &overrides.sizes {
        let sizes: BTreeSet<usize> = sizes.iter().copied().collect();
        check_count("--sizes", columns.len(), sizes.len().saturating_mul(graphs))?;
        if sizes.contains(&0) {
            return Err(wrong_option("--sizes", "n = 0: a graph has at least 1 vertex"));
        }
        columns.iter_mut().for_each(|column| column.sizes = sizes.iter().copied().collect());
    } else if overrides.full && overrides.graph.is_none() {
        check_count("--full", columns.len(), all_sizes.len().saturating_mul(graphs))?;
        for column in columns {
            column.optional = all_sizes.iter().copied().filter(|n| !column.sizes.contains(n)).collect();
        }
    }
    Ok(())
}

fn sampling_of(file: &ExperimentFile, overrides: &Overrides) -> Result<StoppingRule, ConfigError> {
    let mut sampling = file.sampling;
    if let Some(samples) = overrides.samples {
        if samples == 0 {
            return Err(wrong_option("--samples", "0 samples: expected at least 1"));
        }
        (sampling.min_samples, sampling.max_samples) = (samples, samples);
    }
    if let Some(budget_s) = overrides.budget_s {
        if !(budget_s >= 0.0 && budget_s.is_finite()) {
            return Err(wrong_option("--budget", format!("{budget_s}: expected 0 or more seconds")));
        }
        sampling.budget_s = budget_s;
    }
    Ok(sampling)
}

/// Decides what the emulated device counts, should the run use it: the sizes that were asked for, or else the experiment's
/// own. When it was itself asked for, it is all that runs, but for CPU implementations that were asked for by name.
fn set_emulated(columns: &mut Vec<Column>, overrides: &Overrides, device: Selection, beside_gpu: bool) {
    let demanded = device.is_emulated();
    for column in columns.iter_mut() {
        let variant = column.variant();
        if !variant.needs_device() || !(device.may_emulate() || beside_gpu) {
            column.count_sizes = Vec::new();
        } else if overrides.sizes.is_some() || overrides.graph.is_some() {
            let fits = |n: &usize| demanded || *n <= MOST_EMULATED_UNASKED;
            column.count_sizes = column.sizes.iter().copied().filter(fits).collect();
        } else {
            // The user chose none of these sizes, so those that do not fit the parameters are left out without a word.
            column.count_sizes.retain(|&n| variant.fits(n).is_ok());
        }
        if variant.needs_device() && demanded {
            (column.sizes, column.optional) = (Vec::new(), Vec::new());
        }
    }
    if demanded && overrides.only.is_none() {
        // A program that takes a GPU itself stays: a row says why it was not run.
        let is_told = |variant: &Variant| variant.needs_device() || variant.takes_gpu();
        columns.retain(|column| is_told(&column.variant()));
    }
}

/// Checks that an option does not ask for more cells than are planned within a second, before any of them is made.
fn check_count(given: &'static str, ways: usize, each: usize) -> Result<(), ConfigError> {
    let count = ways.saturating_mul(each);
    if count <= MOST_CELLS {
        return Ok(());
    }
    let problem = format!("it asks for {count} cells, more than {MOST_CELLS}: make several runs of fewer");
    Err(wrong_option(given, problem))
}

fn columns_of(file: &ExperimentFile) -> Vec<Column> {
    let of_cells = |cells: &CellsFile| {
        let counted = cells.emulated_sizes(&file.emulated.sizes).iter();
        let column = Column {
            implementation: cells.implementation.get_ref().clone(),
            graphs: cells.graphs.as_ref().map(|names| names.get_ref().clone()).unwrap_or_default(),
            sizes: cells.all_sizes(),
            count_sizes: counted.map(|size| *size.get_ref()).collect(),
            ..Column::default()
        };
        let sets = cells.parameter_sets().into_iter();
        sets.map(move |parameters| Column { parameters, ..column.clone() })
    };
    file.cells.iter().flat_map(of_cells).collect()
}

fn sizes_of<'a>(columns: impl IntoIterator<Item = &'a Column>) -> BTreeSet<usize> {
    columns.into_iter().flat_map(|column| column.sizes.iter().copied()).collect()
}

/// A column of an implementation that an experiment lacks, with default parameters, at these sizes.
fn column_beside(own: &[Column], implementation: &str, sizes: &BTreeSet<usize>) -> Column {
    Column {
        implementation: implementation.to_string(),
        sizes: sizes.iter().copied().collect(),
        count_sizes: own.first().map(|column| column.count_sizes.clone()).unwrap_or_default(),
        ..Column::default()
    }
}

/// User kernels run where implementations on devices do, at every size that one of those has, unless the experiment names them itself.
fn columns_of_user_kernels(file: &ExperimentFile, own: &[Column]) -> Result<Vec<Column>, ConfigError> {
    let is_own = |name: &str| own.iter().any(|column| column.implementation == name);
    let mut external = given_files(false);
    external.retain(|given| !is_own(&given.name));
    let Some(first) = external.first() else { return Ok(Vec::new()) };
    if file.sharded {
        let problem = format!("{} cannot solve a sharded matrix, as {} has them", first.name, file.name);
        return Err(wrong_option("--with", problem));
    }
    let on_device = sizes_of(own.iter().filter(|column| column.variant().needs_device()));
    let sizes = if on_device.is_empty() { sizes_of(own) } else { on_device };
    Ok(external.iter().map(|given| column_beside(own, &given.name, &sizes)).collect())
}

/// Gives every implementation that has a parameter each of the values in turn.
fn set_parameters(columns: &mut Vec<Column>, given: &[(String, Vec<u32>)]) -> Result<(), ConfigError> {
    let has =
        |implementation: &str, name: &str| defaults_of(implementation).iter().any(|(one, _)| one == name);
    for (name, values) in given {
        let takes = |column: &&Column| has(&column.implementation, name);
        if !columns.iter().any(|column| takes(&column)) {
            let all: Vec<_> = columns.iter().map(|column| defaults_of(&column.implementation)).collect();
            let known = distinct(all.iter().flat_map(|one| one.iter()).map(|(name, _)| name));
            let problem = format!(
                "no implementation of this run has a parameter '{name}': {}",
                suggestion(name, &known)
            );
            return Err(wrong_option("--param", problem));
        }
        let sizes = columns.iter().filter(takes).map(|column| column.sizes.len().max(1)).sum();
        check_count("--param", values.len(), sizes)?;
        let with_each = |column: &Column| -> Vec<Column> {
            let with = |value| Column { parameters: column.parameters.with(name, value), ..column.clone() };
            if takes(&column) { values.iter().copied().map(with).collect() } else { vec![column.clone()] }
        };
        *columns = columns.iter().flat_map(with_each).collect();
    }
    // Checked when all are set: a parameter may make sense only together with another.
    for column in columns {
        if given.iter().any(|(name, _)| has(&column.implementation, name)) {
            column.variant().check().map_err(|problem| wrong_option("--param", problem))?;
        }
    }
    Ok(())
}

/// Makes one column of those that differ in their sizes alone.
fn merge(columns: &mut Vec<Column>) {
    let of = |one: &Column| (one.implementation.clone(), one.parameters.clone(), one.graphs.clone());
    let join = |known: Column, column: Column| {
        let sizes = distinct(known.sizes.into_iter().chain(column.sizes));
        let count_sizes = distinct(known.count_sizes.into_iter().chain(column.count_sizes));
        let optional = known.optional.iter().copied().filter(|n| !sizes.contains(n)).collect();
        Column { sizes, count_sizes, optional, ..known }
    };
    let alike = grouped(columns.drain(..).map(|column| (of(&column), column)).collect::<Vec<_>>());
    columns.extend(alike.into_iter().filter_map(|(_, all)| all.into_iter().reduce(join)));
}

/// Checks that something is left to run: cells that do not fit their parameters are left out with a reason, but it is a mistake if none
/// fits.
fn check_fits(columns: &[Column], overrides: &Overrides) -> Result<(), ConfigError> {
    let mut reasons = columns.iter().flat_map(|column| {
        let variant = column.variant();
        column.sizes.iter().chain(&column.count_sizes).map(move |&n| variant.fits(n))
    });
    let option = if overrides.parameters.is_empty() { "--sizes" } else { "--param" };
    match reasons.next() {
        Some(Err(first)) if reasons.all(|reason| reason.is_err()) => Err(wrong_option(option, first)),
        _ => Ok(()),
    }
}

/// The columns of `only`, in its order; an implementation that the experiment lacks runs at every size of it.
fn select(columns: &[Column], only: &[String]) -> Result<Vec<Column>, ConfigError> {
    let mut selected = Vec::new();
    let sizes = sizes_of(columns);
    check_count("--only", only.len(), sizes.len())?;
    for name in only {
        implementation_named(name).map_err(|problem| wrong_option("--only", problem))?;
        let of_name: Vec<Column> =
            columns.iter().filter(|column| column.implementation == *name).cloned().collect();
        if of_name.is_empty() {
            selected.push(column_beside(columns, name, &sizes));
        } else if !selected.contains(&of_name[0]) {
            selected.extend(of_name);
        }
    }
    Ok(selected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::load_experiment;
    use repro_graph::RandomGraph;

    fn resolved(overrides: &Overrides) -> Result<Experiment, ConfigError> {
        resolve(&load_experiment("table1").unwrap(), overrides, Selection::Auto)
    }

    fn sizes(experiment: &Experiment) -> Vec<(&str, usize, usize)> {
        let columns = experiment.columns.iter();
        columns
            .map(|column| (column.implementation.as_str(), column.sizes.len(), column.optional.len()))
            .collect()
    }

    #[test]
    fn table1_plans_the_cells_of_the_paper_and_todays_cpu_and_full_fills_every_blank() {
        let papers = crate::published::published_papers().unwrap();
        let table = papers.iter().find_map(|paper| paper.table("table1")).unwrap();
        let experiment = resolved(&Overrides::default()).unwrap();
        let (todays, of_paper): (Vec<_>, Vec<_>) =
            experiment.columns.iter().partition(|column| column.implementation.as_str() == "cpu-parallel");
        assert_eq!((todays.len(), of_paper.len()), (1, table.columns.len()));
        for column in of_paper {
            let published = table.columns[column.implementation.as_str()].iter().map(|(n, _)| n);
            assert!(published.eq(&column.sizes) && column.optional.is_empty(), "{column:?}");
        }
        let full = resolved(&Overrides { full: true, ..Overrides::default() }).unwrap();
        assert!(sizes(&full).iter().all(|(_, given, filled)| given + filled == 17));
    }

    #[test]
    fn sizes_seed_and_samples_override_the_file() {
        let sizes = Some(vec![64, 1, 64]);
        let overrides = Overrides { sizes, seed: Some(7), samples: Some(5), ..Overrides::default() };
        let experiment = resolved(&overrides).unwrap();
        // Of every implementation once and in order.
        assert!(experiment.columns.iter().all(|column| column.sizes == [1, 64]));
        assert!(matches!(experiment.graphs[0].source, GraphSource::Random(RandomGraph { seed: 7, .. })));
        assert_eq!((experiment.sampling.min_samples, experiment.sampling.max_samples), (5, 5));
    }

    #[test]
    fn element_types_multiply_graphs_and_keep_what_a_column_is_kept_to() {
        let file = load_experiment("occupancy").unwrap();
        let resolved = |elements: Option<Vec<ElementType>>| {
            resolve(&file, &Overrides { elements, ..Overrides::default() }, Selection::Auto).unwrap()
        };
        let plain = resolved(None);
        assert_eq!(resolved(Some(vec![ElementType::F32])), plain);
        let both = resolved(Some(vec![ElementType::F32, ElementType::I32, ElementType::F32]));
        assert_eq!(both.graphs.len(), 2 * plain.graphs.len());
        for (column, of_one) in both.columns.iter().zip(&plain.columns) {
            assert_eq!(column.graphs.len(), 2 * of_one.graphs.len());
            let of_f32 = |name: &&String| both.element_of(name) == ElementType::F32;
            assert!(column.graphs.iter().filter(of_f32).eq(&of_one.graphs));
        }
    }

    #[test]
    fn only_selects_by_name_and_refuses_unknown_ones() {
        let only = |names: &[&str]| {
            let only = Some(names.iter().map(ToString::to_string).collect());
            resolved(&Overrides { only, ..Overrides::default() })
        };
        assert_eq!(sizes(&only(&["staged-load", "staged-load"]).unwrap()), [("staged-load", 17, 0)]);
        let message = only(&["staged"]).unwrap_err().to_string();
        assert!(message.starts_with("--only: unknown implementation 'staged'"), "{message}");
    }

    #[test]
    fn options_that_ask_for_more_cells_than_anyone_runs_are_refused() {
        let refused = |overrides: Overrides| resolved(&overrides).unwrap_err().to_string();
        let sizes = refused(Overrides { sizes: Some((1..=5_000).collect()), ..Overrides::default() });
        assert_eq!(sizes, "--sizes: it asks for 30000 cells, more than 10000: make several runs of fewer");
        let swept = |name: &str| (name.to_string(), vec![1; 1_000]);
        let parameters = vec![swept("block-x"), swept("block-y")];
        assert!(
            refused(Overrides { parameters, ..Overrides::default() }).starts_with("--param: it asks for")
        );
        let only = Some(vec!["cpu-naive".to_string(); 9_000]);
        assert!(refused(Overrides { only, ..Overrides::default() }).starts_with("--only: it asks for"));
    }
}
