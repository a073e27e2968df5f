//! Names of hosts: this one's, and the first of a list as Slurm writes it.

/// The first host of a list such as `node[03-07,9]`, `a,b` or `rack[1-2]-node[04,06],login`. None when it is empty or a bracket is
/// not closed.
pub fn first(list: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = list.trim();
    while let Some(at) = rest.find(['[', ',']) {
        name.push_str(&rest[..at]);
        if rest[at..].starts_with(',') {
            rest = "";
            break;
        }
        let (range, behind) = rest[at + 1..].split_once(']')?;
        name.push_str(range.split(['-', ',']).next()?);
        rest = behind;
    }
    name.push_str(rest);
    (!name.is_empty()).then_some(name)
}

/// The name of this host, as its system has it.
pub fn own() -> String {
    #[cfg(unix)]
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").unwrap_or_default();
    if name.is_empty() { "a host without a name".into() } else { name }
}

#[cfg(test)]
mod tests {
    use super::first;

    #[test]
    fn the_first_host_of_every_form_of_list_is_found() {
        for (list, host) in [
            ("node03", "node03"),
            ("a,b", "a"),
            ("node[03-07,9]", "node03"),
            ("node[9,03-07]", "node9"),
            ("node[12]", "node12"),
            ("rack[1-2]-node[04,06],login", "rack1-node04"),
            ("node[1-2].cluster,a", "node1.cluster"),
            ("login,node[1-2]", "login"),
            (" a ", "a"),
        ] {
            assert_eq!(first(list).as_deref(), Some(host), "{list}");
        }
        for list in ["", ",a", "node[1-2"] {
            assert_eq!(first(list), None, "{list}");
        }
    }
}
