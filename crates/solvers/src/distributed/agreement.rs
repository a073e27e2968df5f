//! What all processes have to agree on before they bring each other panels.

use super::transport::lost;
use repro_cluster::Group;
use repro_device::{DeviceError, FailureKind};

/// How panels come from one process to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// A process without a device, which goes the way of the others.
    Any,
    Copies,
    Nccl,
}

impl Way {
    const ALL: [Self; 3] = [Self::Any, Self::Copies, Self::Nccl];
}

/// What this process has made ready and the way of all, once every process is ready.
///
/// # Errors
/// When one is not: where there are several, the same error in each, so that none of them waits for the others.
pub fn once_all_are_ready<T>(
    group: &dyn Group,
    own: Result<T, DeviceError>,
    way: Way,
) -> Result<(T, Way), DeviceError> {
    if let [_] = group.members() {
        return own.map(|own| (own, way));
    }
    // One that has lost its device ends the group, in which the others then wait.
    if let Err(error) = &own
        && error.kind == FailureKind::Lost
    {
        return own.map(|own| (own, way));
    }
    let answer = match &own {
        Ok(_) => vec![way as u8],
        Err(error) => [&[u8::MAX], error.message.as_bytes()].concat(),
    };
    let all = group.exchange(&answer).map_err(lost)?;
    let mut way_of_all = way;
    for (answer, member) in all.iter().zip(group.members()) {
        match answer.first().map(|first| Way::ALL.get(usize::from(*first))) {
            Some(Some(way)) => way_of_all = way_of_all.max(*way),
            _ => {
                let problem = String::from_utf8_lossy(answer.get(1..).unwrap_or_default());
                return Err(DeviceError::other(format!("{member}: {problem}")));
            }
        }
    }
    own.map(|own| (own, way_of_all))
}

#[cfg(test)]
mod tests {
    use super::super::given::Given;
    use super::*;

    fn asked(others: &[&[u8]], own: Result<(), DeviceError>, way: Way) -> Result<Way, String> {
        let group = Given::new(0, others.iter().map(|other| other.to_vec()).collect());
        once_all_are_ready(&group, own, way).map(|((), way)| way).map_err(|error| error.message)
    }

    #[test]
    fn a_process_without_a_device_goes_the_way_of_the_others() {
        assert_eq!(asked(&[&[0], &[0], &[2]], Ok(()), Way::Any), Ok(Way::Nccl));
        assert_eq!(asked(&[&[0], &[0], &[1]], Ok(()), Way::Any), Ok(Way::Copies));
        assert_eq!(asked(&[&[0], &[0], &[0]], Ok(()), Way::Nccl), Ok(Way::Nccl));
    }

    #[test]
    fn one_that_is_not_ready_is_named_by_all() {
        let told = Err("rank 1 on here: no room".to_string());
        assert_eq!(asked(&[&[0], b"\xffno room", &[2]], Ok(()), Way::Nccl), told);
        let own = Err(DeviceError::other("no room"));
        assert_eq!(asked(&[&[0], &[2]], own, Way::Nccl), Err("rank 0 on here: no room".to_string()));
    }
}
