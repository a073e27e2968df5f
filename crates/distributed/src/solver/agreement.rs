//! What all processes have to agree on before they bring each other panels.

use super::plan::Plan;
use super::transport::lost;
use repro_device::{DeviceError, FailureKind};
use repro_solvers::Group;
use serde::{Deserialize, Serialize};

/// How panels come from one process to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Way {
    /// A process without a device, which goes the way of the others.
    Any,
    Copies,
    Nccl,
}

/// What all do alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreed {
    pub way: Way,
    /// None where no process has a device.
    pub plan: Option<Plan>,
}

/// What a process answers: its way and plan, none where it has no device, or why it is not ready.
type Answer = Result<(Way, Option<Plan>), String>;

/// What this process has made ready, and what all do alike, once every process is ready.
///
/// # Errors
/// When one is not, or would solve by another plan, as one with GPUs of another kind may: where there are several processes, the same error
/// in each, so that none of them waits for the others.
pub fn once_all_are_ready<T>(
    group: &dyn Group,
    own: Result<T, DeviceError>,
    way: Way,
    plan: Option<Plan>,
) -> Result<(T, Agreed), DeviceError> {
    if let [_] = group.members() {
        return own.map(|own| (own, Agreed { way, plan }));
    }
    // One that has lost its device ends the group, in which the others then wait.
    if let Err(error) = &own
        && error.kind == FailureKind::Lost
    {
        return own.map(|own| (own, Agreed { way, plan }));
    }
    let answer: Answer = match &own {
        Ok(_) => Ok((way, plan)),
        Err(error) => Err(error.message.clone()),
    };
    let unreadable =
        |error: serde_json::Error| DeviceError::other(format!("an answer between processes: {error}"));
    let all = group.exchange(&serde_json::to_vec(&answer).map_err(unreadable)?).map_err(lost)?;
    let mut agreed = Agreed { way, plan: None };
    let mut first = None;
    for (answer, member) in all.iter().zip(group.members()) {
        let answer: Answer = serde_json::from_slice(answer).map_err(unreadable)?;
        let (way, plan) = answer.map_err(|problem| DeviceError::other(format!("{member}: {problem}")))?;
        agreed.way = agreed.way.max(way);
        let Some(plan) = plan else { continue };
        match &first {
            None => first = Some((plan, member)),
            Some((known, of)) if *known != plan => {
                return Err(DeviceError::other(format!(
                    "{of} would solve with {known}, and {member} with {plan}: give tile, depth and rows by --param, or use GPUs of one kind"
                )));
            }
            Some(_) => {}
        }
    }
    agreed.plan = first.map(|(plan, _)| plan);
    own.map(|own| (own, agreed))
}

#[cfg(test)]
mod tests {
    use super::super::given::Given;
    use super::super::plan::Grid;
    use super::*;

    const PLAN: Plan = Plan { n: 1000, tile: 128, depth: 1, grid: Grid { rows: 3, columns: 1 } };

    fn asked(
        others: [Answer; 2],
        own: Result<(), DeviceError>,
        way: Way,
        plan: Option<Plan>,
    ) -> Result<Agreed, String> {
        let bytes = |answer: &Answer| serde_json::to_vec(answer).unwrap();
        let group = Given::new(0, [Vec::new()].into_iter().chain(others.iter().map(bytes)).collect());
        once_all_are_ready(&group, own, way, plan).map(|((), agreed)| agreed).map_err(|error| error.message)
    }

    #[test]
    fn a_process_without_a_device_does_as_the_others_do() {
        for way in [Way::Nccl, Way::Copies] {
            let others = [Ok((Way::Any, None)), Ok((way, Some(PLAN)))];
            assert_eq!(asked(others, Ok(()), Way::Any, None), Ok(Agreed { way, plan: Some(PLAN) }));
        }
        let others = [Ok((Way::Any, None)), Ok((Way::Any, None))];
        let alone = Ok(Agreed { way: Way::Nccl, plan: Some(PLAN) });
        assert_eq!(asked(others, Ok(()), Way::Nccl, Some(PLAN)), alone);
    }

    #[test]
    fn one_that_is_not_ready_is_named_by_all() {
        let ready = || Ok((Way::Nccl, Some(PLAN)));
        let named = Err("rank 1 on here: no room".to_string());
        assert_eq!(asked([Err("no room".into()), ready()], Ok(()), Way::Nccl, Some(PLAN)), named);
        let own = Err(DeviceError::other("no room"));
        assert_eq!(
            asked([ready(), ready()], own, Way::Nccl, Some(PLAN)),
            Err("rank 0 on here: no room".to_string())
        );
    }

    #[test]
    fn processes_with_other_plans_are_refused_before_they_exchange_panels() {
        let other = Plan { tile: 64, ..PLAN };
        let refused =
            asked([Ok((Way::Any, None)), Ok((Way::Nccl, Some(other)))], Ok(()), Way::Nccl, Some(PLAN));
        let error = refused.unwrap_err();
        for part in ["rank 0 on here", "tile = 128", "rank 2 on here", "tile = 64", "--param"] {
            assert!(error.contains(part), "{error}");
        }
    }
}
