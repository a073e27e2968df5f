//! Parameters of implementations on the command line.

use crate::distributed::solver::{DEVICES, ROWS};
use std::fmt;
use std::str::FromStr;

/// A number of vertices of `--sizes`.
///
/// # Errors
/// When it is no whole number: what is expected.
pub fn vertices(text: &str) -> Result<usize, String> {
    let expected = "expected numbers of vertices, separated by commas, for example 1024 or 1024,2048";
    text.parse().map_err(|_| expected.to_string())
}

/// `NAME=VALUE[,VALUE...]`
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterChoice {
    pub name: String,
    pub values: Vec<u32>,
}

impl FromStr for ParameterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, values) =
            text.split_once('=').ok_or("expected NAME=VALUE, for example kappa=8 or kappa=1,2,4")?;
        let values = values
            .split(',')
            .map(|value| {
                value.parse().map_err(|_| format!("'{value}' is no whole number from 0 to {}", u32::MAX))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { name: name.to_string(), values })
    }
}

impl fmt::Display for ParameterChoice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(ToString::to_string).collect();
        write!(f, "{}={}", self.name, values.join(","))
    }
}

/// `ROWSxCOLUMNS` of devices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridChoice {
    pub rows: u32,
    pub columns: u32,
}

impl GridChoice {
    /// The parameters of implementations that run on several devices.
    pub fn parameters(self) -> [(String, Vec<u32>); 2] {
        [(DEVICES.name, self.rows * self.columns), (ROWS.name, self.rows)]
            .map(|(name, value)| (name.to_string(), vec![value]))
    }
}

impl fmt::Display for GridChoice {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}x{}", self.rows, self.columns)
    }
}

impl FromStr for GridChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected =
            || format!("expected ROWSxCOLUMNS, for example 4x2, of at most {} devices", DEVICES.highest);
        let (rows, columns) = text.split_once('x').ok_or_else(expected)?;
        let side = |text: &str| text.parse::<u32>().ok().filter(|side| (1..=DEVICES.highest).contains(side));
        let (Some(rows), Some(columns)) = (side(rows), side(columns)) else { return Err(expected()) };
        if rows * columns > DEVICES.highest {
            return Err(expected());
        }
        Ok(Self { rows, columns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_rows_by_columns_of_at_most_so_many_devices() {
        let grid: GridChoice = "2x4".parse().unwrap();
        assert_eq!(grid.parameters(), [("devices".into(), vec![8]), ("rows".into(), vec![2])]);
        for wrong in ["", "4", "4x", "x2", "0x2", "-1x2", "2x2x2", "64x32", "99999999999x1"] {
            assert!(wrong.parse::<GridChoice>().unwrap_err().contains("for example 4x2"), "{wrong}");
        }
    }
}
