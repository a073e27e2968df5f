//! Which clocks are read.

use serde::{Deserialize, Serialize};

/// Which clocks an experiment reads in addition to the usual four, on a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Clocks {
    /// `Scope::CudaGraph`.
    pub cuda_graph: bool,
    /// The host's clocks, those of copies and the pitfall among them.
    pub host: bool,
    /// The first solve in a fresh process.
    pub first_run: bool,
    /// The time of each kernel, in a solve of its own whose launches have events between them.
    pub by_kernel: bool,
    /// `Scope::Everything`.
    #[serde(skip_serializing_if = "is_false")]
    pub everything: bool,
    /// `Scope::CopyOutUnsyncedLoaded`.
    #[serde(skip_serializing_if = "is_false")]
    pub loaded: bool,
    /// How long a load of global memory takes, of one multiprocessor alone and of all at once: once a GPU, with the ceilings.
    #[serde(skip_serializing_if = "is_false")]
    pub load_latency: bool,
}

/// What is not asked for is not written: builds from before there was such a clock refuse its name.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(asked: &bool) -> bool {
    !asked
}

impl Clocks {
    /// How many solves one sample takes.
    pub fn solves(self) -> u32 {
        let once = [self.cuda_graph, self.everything, self.loaded].map(u32::from);
        1 + once.iter().sum::<u32>() + 2 * u32::from(self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_before_are_written_as_before_and_others_where_they_are_asked_for() {
        let before = r#"{"cuda_graph":false,"host":true,"first_run":false,"by_kernel":false}"#;
        let host = Clocks { host: true, ..Clocks::default() };
        assert_eq!(serde_json::to_string(&host).unwrap(), before);
        assert_eq!(serde_json::from_str::<Clocks>(before).unwrap(), host);
        let more = Clocks { everything: true, loaded: true, ..host };
        let text = serde_json::to_string(&more).unwrap();
        assert_eq!(serde_json::from_str::<Clocks>(&text).unwrap(), more);
        assert_eq!((host.solves(), more.solves()), (3, 5));
    }
}
