//! Counting tasks: additions whose sum goes into a minimum, and minima that take such a sum.
//!
//! The number of tasks is that of the rarer of the two, so that an instruction that a change adds is never taken for a task. Integer
//! additions also compute addresses, and integer comparisons also end loops: a sum counts only where a minimum takes it directly, and a
//! comparison of integers only where the sum that it compared is then kept.

use crate::instruction::Instruction;
use crate::instruction::Operand;
use crate::reaching_definitions::{Definition, reaching_definitions};
use crate::role::TaskRole;
use std::collections::{BTreeMap, BTreeSet};

/// Tasks, and the instructions that do them, by their place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub tasks: u64,
    pub instructions: BTreeSet<usize>,
}

pub(crate) fn tasks(body: &[Instruction]) -> Tasks {
    let roles: Vec<TaskRole> = body.iter().map(TaskRole::of).collect();
    let mut found = TaskSums::default();
    found.take_sums(body, &roles, &reaching_definitions(body));
    if found.minima == 0 && !roles.iter().any(|role| role.may_be_minimum()) {
        // Where the compiler put the minimum into what is none of these, float additions are all there is to count.
        return alone(body, &roles);
    }
    let both = roles.iter().enumerate().filter_map(|(at, role)| match role {
        TaskRole::Both { lanes } => Some((at, *lanes)),
        _ => None,
    });
    let (places, lanes): (Vec<usize>, Vec<u64>) = both.unzip();
    let sums: u64 = found.sums.values().sum();
    let mut instructions: BTreeSet<usize> = places.into_iter().collect();
    if sums > 0 {
        instructions.extend(found.sums.keys().map(|(at, _)| *at));
        instructions.extend(&found.takers);
    }
    Tasks { tasks: lanes.into_iter().sum::<u64>() + sums.min(found.minima), instructions }
}

fn alone(body: &[Instruction], roles: &[TaskRole]) -> Tasks {
    let additions = roles.iter().enumerate().filter(|(_, role)| **role == TaskRole::Addition { float: true });
    let instructions: BTreeSet<usize> = additions.map(|(at, _)| at).collect();
    let sums = instructions.iter().map(|&at| body[at].written().len() as u64);
    Tasks { tasks: sums.sum(), instructions }
}

#[derive(Default)]
struct TaskSums {
    /// Sums that a minimum takes, each with the numbers in its register.
    sums: BTreeMap<Definition, u64>,
    /// Minima of two numbers.
    minima: u64,
    /// The minima and comparisons that take such sums.
    takers: BTreeSet<usize>,
}

impl TaskSums {
    fn take_sums(&mut self, body: &[Instruction], roles: &[TaskRole], origins: &[Vec<Vec<Definition>>]) {
        for (at, role) in roles.iter().enumerate() {
            let sums = || {
                let all = origins[at].iter().flatten().copied();
                all.filter(|(from, _)| matches!(roles[*from], TaskRole::Addition { .. }))
            };
            let lanes = match role {
                TaskRole::Minimum { lanes, .. } => *lanes,
                TaskRole::Comparison { float: true } => 1,
                TaskRole::Comparison { float: false }
                    if sums().any(|sum| is_kept(sum, at, body, origins)) =>
                {
                    1
                }
                _ => continue,
            };
            for sum in sums() {
                let known = self.sums.entry(sum).or_default();
                *known = lanes.max(*known);
                self.takers.insert(at);
            }
        }
        self.take_minima_of_minima(roles, origins);
        self.minima = self.takers.iter().map(|&at| of_two(roles[at])).sum();
    }

    /// Adds minima of results of other takers, which do a part of their tasks: min(min(known, a + b), min(c + d, e + f)).
    fn take_minima_of_minima(&mut self, roles: &[TaskRole], origins: &[Vec<Vec<Definition>>]) {
        loop {
            let takes = |at: &usize| {
                let is_minimum = matches!(roles[*at], TaskRole::Minimum { .. });
                let others =
                    origins[*at].iter().flatten().any(|(from, _)| from != at && self.takers.contains(from));
                is_minimum && others && !self.takers.contains(at)
            };
            let more: Vec<usize> = (0..roles.len()).filter(takes).collect();
            if more.is_empty() {
                return;
            }
            self.takers.extend(more);
        }
    }
}

fn of_two(role: TaskRole) -> u64 {
    match role {
        TaskRole::Minimum { inputs, lanes } => (inputs - 1) * lanes,
        _ => 1,
    }
}

/// Whether the sum that is compared at this place is stored, chosen or moved as the comparison decided: only then was it the minimum
/// of a task, and not the end of a loop or a step of a division.
fn is_kept(sum: Definition, compared: usize, body: &[Instruction], origins: &[Vec<Vec<Definition>>]) -> bool {
    let decided: Vec<&str> = body[compared]
        .operands
        .iter()
        .map(Operand::text)
        .take_while(|text| text.starts_with('P'))
        .filter(|text| *text != "PT")
        .collect();
    let is_decided = |predicate: &str| decided.contains(&predicate.trim_start_matches(['@', '!']));
    let under = |instruction: &Instruction| instruction.predicate.as_deref().is_some_and(is_decided);
    let jumps = body.iter().any(|one| matches!(one.name(), "BRA" | "EXIT") && under(one));
    body.iter().zip(origins).any(|(instruction, origins)| {
        let name = instruction.name();
        let keeps = match name {
            "SEL" => instruction.last_predicate().is_some_and(is_decided),
            "MOV" => under(instruction),
            "IMAD" => instruction.has("MOV") && under(instruction),
            _ => name.starts_with("ST") && (jumps || under(instruction)),
        };
        let data = instruction.sources().zip(origins).filter(|(source, _)| !source.is_address());
        keeps && data.flat_map(|(_, origins)| origins).any(|origin| *origin == sum)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instruction::tests::instructions;

    fn of(texts: &[&str]) -> u64 {
        tasks(&instructions(texts)).tasks
    }

    #[test]
    fn a_task_is_a_sum_that_a_minimum_or_a_comparison_takes() {
        for (body, tasks) in [
            // No more than additions and minima.
            (&["FADD R0,R1,R2", "FADD R0,R0,RZ", "FMNMX R3,R0,R3"][..], 1),
            (&["FADD R0,R1,R2", "FMNMX R3,R0,R3", "FMNMX R3,R4,R3"], 1),
            (&["FADD R0,R1,R2", "FADD R4,R1,R2", "FMNMX3 R3,R0,R4,R3"], 2),
            (&["FADD R0,R1,R2", "FSETP.GEU P0,R3,R0", "@!P0 STS [R5],R0"], 1),
            // known + 0 goes into the minimum too, and does no task.
            (&["FADD R6,R3,RZ", "FADD R0,R1,R2", "FMNMX R3,R0,R6,PT"], 1),
            // A pair of sums is two, and one that nothing takes is none.
            (&["FADD2 R0,R2,R4", "FMNMX3 R6,R6,R0,R1,PT"], 2),
            (&["FADD2 R0,R2,R4", "FMNMX R6,R6,R0,PT"], 1),
            (&["FADD R0,R2,R4", "FMNMX R6,R6,R7,PT"], 0),
            // Without any minimum additions of floats are tasks.
            (&["FADD R0,R1,R2", "FADD2 R0,R2,R4"], 3),
            (&["IADD3 R0,R1,R2,RZ", "IMAD.IADD R0,R1,0x1,R2"], 0),
            // Integers and halves of registers.
            (&["IMAD R5,R1,R9,R2", "IADD3 R6,R1,R3,RZ", "VIMNMX3 R4,R4,R5,R6,PT"], 2),
            (&["IMAD R5,R1,R9,R2", "IADD3 R6,R1,R3,RZ", "VIMNMX3.U16x2 R4,R4,R5,R6,PT"], 4),
            (&["VIADDMNMX R4,R1,R2,R4,PT", "VIADDMNMX.S16x2 R5,R1,R2,R5,PT"], 3),
            (&["VIADD R5,R1,R2", "IMNMX R4,R4,R5,PT"], 1),
            (&["IMAD.IADD R5,R1,0x1,R2", "VIMNMX R4,R4,R5,PT"], 1),
            // Addresses and counters.
            (&["IADD3 R5,R5,R6,RZ", "ISETP.GE.AND P0,PT,R5,R7,PT", "STS [R5],R8", "@!P0 BRA 0x100"], 0),
            (&["IADD3 R5,R5,0x4,RZ", "VIMNMX R5,R5,R6,PT", "LDS R0,[R5]"], 0),
            (&["IADD3 R5,R5,R6,RZ", "VIMNMX R5,R5,UR4,PT", "LDS R0,[R5]"], 0),
            (&["IADD3 R5,R5,R6,RZ", "LDS R0,[R5]", "VIADDMNMX R4,R0,R2,R4,PT"], 1),
            (&["FADD R0,R1,R2", "FMNMX R3,R0,R3,!PT", "FMNMX R4,R4,R1,PT"], 0),
            // Minima of minima.
            (
                &[
                    "FADD R0,R9,R11",
                    "FADD R1,R9,R12",
                    "FADD R2,R9,R13",
                    "FMNMX R4,R0,R1,PT",
                    "FMNMX3 R5,R5,R4,R2,PT",
                ],
                3,
            ),
        ] {
            assert_eq!(of(body), tasks, "{body:?}");
        }
        // A comparison of integers that keeps the sum.
        let sum = ["IADD3 R5,R1,R2,RZ", "ISETP.GE.AND P0,PT,R5,R7,PT"];
        for keeps in
            ["@!P0 STS [R8],R5", "SEL R7,R7,R5,P0", "@!P0 IMAD.MOV.U32 R7,RZ,RZ,R5", "@!P0 MOV R7,R5"]
        {
            assert_eq!(of(&[&sum[..], &[keeps]].concat()), 1, "{keeps}");
        }
        assert_eq!(of(&[&sum[..], &["IMAD.MOV.U32 R7,RZ,RZ,R5"]].concat()), 0);
    }

    #[test]
    fn a_minimum_of_float_sums_by_their_bits_does_two_tasks() {
        let body = instructions(&[
            "FADD R5,R1,R2",
            "FADD R6,R1,R3",
            "VIMNMX3 R4,R4,R5,R6,PT",
            "UIADD3 UR4,UR4,0x1,URZ",
        ]);
        let found = tasks(&body);
        assert_eq!((found.tasks, found.instructions), (2, BTreeSet::from([0, 1, 2])));
    }
}
