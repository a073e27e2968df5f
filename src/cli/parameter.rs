//! Parameters of implementations on the command line.

use crate::distributed::solver::{DEVICES, ROWS};

/// A number of vertices, as an item of `--sizes`.
///
/// # Errors
/// When it is no whole number: what is expected.
pub fn vertices(text: &str) -> Result<usize, String> {
    let expected = "expected numbers of vertices, for example 1024 or 1024,2048";
    text.parse().map_err(|_| expected.to_string())
}

/// A parameter with its values, from `NAME=VALUE[,VALUE...]`.
///
/// # Errors
/// When it is no such thing: what is expected.
pub fn parameter(text: &str) -> Result<(String, Vec<u32>), String> {
    let expected = "expected NAME=VALUE, for example kappa=8 or kappa=1,2,4";
    let (name, values) = text.split_once('=').ok_or(expected)?;
    let wrong = |text: &str| format!("'{text}' is no whole number from 0 to {}", u32::MAX);
    let value = |text: &str| text.parse().map_err(|_| wrong(text));
    Ok((name.to_string(), values.split(',').map(value).collect::<Result<_, _>>()?))
}

/// The parameters `devices` and `rows` that a grid of devices, `ROWSxCOLUMNS`, stands for.
pub type GridValues = [(String, Vec<u32>); 2];

/// # Errors
/// When it is no such grid: what is expected.
pub fn grid(text: &str) -> Result<GridValues, String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=DEVICES.highest).contains(side));
    let sides = text.split_once('x').and_then(|(rows, columns)| Some((side(rows)?, side(columns)?)));
    match sides.map(|(rows, columns)| (rows, rows * columns)) {
        Some((rows, devices)) if devices <= DEVICES.highest => {
            Ok([(DEVICES.name, devices), (ROWS.name, rows)].map(|(name, value)| (name.into(), vec![value])))
        }
        _ => Err(format!("expected ROWSxCOLUMNS, for example 4x2, of at most {} devices", DEVICES.highest)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_rows_by_columns_of_at_most_so_many_devices() {
        assert_eq!(grid("2x4").unwrap(), [("devices".into(), vec![8]), ("rows".into(), vec![2])]);
        for wrong in ["", "4", "4x", "x2", "0x2", "-1x2", "2x2x2", "64x32", "99999999999x1"] {
            assert!(grid(wrong).unwrap_err().contains("for example 4x2"), "{wrong}");
        }
    }
}
