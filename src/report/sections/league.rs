//! The league table: implementations by n and type of distance, a section a machine, a table a list.

use super::ids::Ids;
use super::{Draft, EMULATED};
use crate::lists::distinct;
use crate::ranking::{Medium, Ranking, counted_grid, grid, left_out_grid, notes};
use crate::report::model::{Home, Section, Table};
use crate::show::Grid;

/// Lists of fewer implementations are left to `repro rank`, where others of the same clock have as many.
const LEAST: usize = 3;

/// A section for each machine that has a list, and one for what was counted. Cells without a valid time stand at the foot of the last.
pub(super) fn league(ranking: &Ranking, ids: &mut Ids) -> Vec<Draft> {
    let machines = distinct(ranking.lists.iter().map(|list| list.machine.as_str()));
    let mut section = |machine: &str, of: &Ranking, title: String, grids: Vec<Grid>| {
        let id = ids.unique("league", machine);
        let (machine, home) = (machine.to_string(), Home::League);
        let section = Section { id, title, machine, home, intro: notes(of), ..Section::default() };
        ids.draft(section, Vec::new(), grids, None)
    };
    let alone = |machine: &str| Ranking {
        lists: ranking.lists.iter().filter(|list| list.machine == machine).cloned().collect(),
        counted: Vec::new(),
        left_out: Vec::new(),
    };
    let mut sections = Vec::new();
    for machine in machines {
        let mut of = alone(machine);
        let fewer = of.drop_lists_of_fewer_than(LEAST);
        let grids = of.lists.iter().map(|list| grid(list, Medium::Document)).collect();
        let mut told = section(machine, &of, "Times, fastest first".to_string(), grids);
        if fewer > 0 {
            let (lists, are, them) = match fewer {
                1 => ("1 list".to_string(), "is", "it"),
                fewer => (format!("{fewer} lists"), "are", "them"),
            };
            told.0.intro.push(format!(
                "{lists} of fewer implementations {are} left out here; `repro rank RUN... --all` has {them}."
            ));
        }
        sections.push(told);
    }
    if !ranking.counted.is_empty() {
        let of = Ranking { lists: Vec::new(), counted: ranking.counted.clone(), left_out: Vec::new() };
        let grids = of.counted.iter().map(|list| counted_grid(list, Medium::Document)).collect();
        sections.push(section(EMULATED, &of, "Verified and counted, not timed".to_string(), grids));
    }
    if let (Some(last), Some(grid)) = (sections.last_mut(), left_out_grid(&ranking.left_out)) {
        last.0.tables.push(Table { id: ids.unique("league", &grid.title), grid });
    }
    sections
}
