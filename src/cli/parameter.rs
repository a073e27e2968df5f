//! Parameters of implementations on the command line.

use std::str::FromStr;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_one_or_more_numbers_are_read_and_anything_else_is_named() {
        let read = |text: &str| text.parse::<ParameterChoice>();
        assert_eq!(read("kappa=8").unwrap(), ParameterChoice { name: "kappa".into(), values: vec![8] });
        assert_eq!(read("kappa=1,2").unwrap().values, [1, 2]);
        assert!(read("kappa").unwrap_err().contains("expected NAME=VALUE"));
        for wrong in ["kappa=", "kappa=-1", "kappa=1,,2", "kappa=x"] {
            assert!(read(wrong).unwrap_err().contains("is no whole number"), "{wrong}");
        }
    }
}
