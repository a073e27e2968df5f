//! Who this process is among those that a launcher started, from the variables that it set.

use repro_base::files::variable;
use repro_device::DeviceError;
use std::fmt;
use std::ops::Range;
use thiserror::Error;

/// What started the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// `torchrun`, or by hand with the variables that it sets.
    Torchrun,
    /// `mpirun` of Open MPI.
    OpenMpi,
    /// `srun` of Slurm.
    Slurm,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Torchrun => "torchrun",
            Self::OpenMpi => "mpirun",
            Self::Slurm => "srun",
        })
    }
}

/// The place of this process among those of a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub launcher: Launcher,
    /// Its number among all processes, from 0.
    pub rank: usize,
    /// How many processes there are.
    pub size: usize,
    /// Its number among those of its host.
    pub local_rank: usize,
    /// How many processes its host has.
    pub local_size: usize,
    /// What tells this start from others.
    pub job: String,
}

/// Variables of a launcher that make no sense.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LaunchError {
    #[error("{present} is set and {absent} is not: set both, as torchrun does, or neither")]
    Half { present: &'static str, absent: &'static str },
    #[error("{launcher} did not set {name}: start the program by {launcher}, or set {name} to {meaning}")]
    Absent { launcher: Launcher, name: &'static str, meaning: &'static str },
    #[error("{name} is '{value}', which is not {meaning}: correct it, or start the program without it")]
    Value { name: &'static str, value: String, meaning: &'static str },
    #[error(
        "{name} is {value}, but there are only {size} processes, from 0 on: correct it or the number of processes"
    )]
    Rank { name: &'static str, value: usize, size: usize },
}

const A_COUNT: &str = "a number of processes from 1 on";
const A_RANK: &str = "the number of a process, from 0 on";

/// Slurm numbers steps that are not `srun`'s from here on: the batch script itself, for example.
const FIRST_RESERVED_STEP: u32 = 0xffff_fff0;

impl Launch {
    /// The launch of this process among several; None where it was started alone.
    ///
    /// # Errors
    /// When the variables make no sense.
    pub fn of_this_process() -> Result<Option<Self>, LaunchError> {
        // What is no Unicode is a wrong value and not an absent one.
        let launch = Self::from_environment(&|name| Some(variable(name)?.to_string_lossy().into_owned()))?;
        Ok(launch.filter(|launch| launch.size > 1))
    }

    /// Which of the `seen` CUDA devices of its host are this process's: those that it was given alone, or its part of all.
    ///
    /// # Errors
    /// When there are fewer than processes.
    pub fn own_devices(&self, seen: usize) -> Result<Range<usize>, DeviceError> {
        let processes = self.local_size;
        match seen / processes {
            _ if seen == 1 => Ok(0..1),
            0 => Err(DeviceError::unavailable(format!(
                "{processes} processes of this host share {seen} CUDA devices: start no more processes on a host than it has devices"
            ))),
            each => Ok(self.local_rank * each..(self.local_rank + 1) * each),
        }
    }

    /// Reads the variables that `get` looks up; None where no launcher has set any. The innermost of several launchers counts.
    ///
    /// # Errors
    /// When they make no sense.
    pub fn from_environment(get: &dyn Fn(&str) -> Option<String>) -> Result<Option<Self>, LaunchError> {
        // A variable that is set to nothing is as good as none.
        let variables = Variables(&|name| get(name).filter(|value| !value.trim().is_empty()));
        let is_set = |name| (variables.0)(name).is_some();
        if is_set("RANK") && is_set("WORLD_SIZE") {
            let port = variables.text("MASTER_PORT");
            let job = format!("{}-{port}", variables.text("TORCHELASTIC_RUN_ID"));
            let names = RankVariables { rank: "RANK", size: "WORLD_SIZE", local_rank: "LOCAL_RANK" };
            let local_size = variables.count("LOCAL_WORLD_SIZE")?;
            return variables.launch(Launcher::Torchrun, names, local_size, job).map(Some);
        }
        if is_set("OMPI_COMM_WORLD_RANK") || is_set("OMPI_COMM_WORLD_SIZE") {
            // Open MPI 5 sets the first, older versions the second.
            let of_job = ["PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid"];
            let job = of_job.map(|name| variables.text(name)).concat();
            let names = RankVariables {
                rank: "OMPI_COMM_WORLD_RANK",
                size: "OMPI_COMM_WORLD_SIZE",
                local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
            };
            let local_size = variables.count("OMPI_COMM_WORLD_LOCAL_SIZE")?;
            return variables.launch(Launcher::OpenMpi, names, local_size, job).map(Some);
        }
        let step: Option<u32> = variables.number("SLURM_STEP_ID", "the number of a step")?;
        if let Some(step) = step.filter(|step| *step < FIRST_RESERVED_STEP) {
            // A step may have fewer processes than its job.
            let sizes = ["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"];
            let size = if is_set(sizes[0]) { sizes[0] } else { sizes[1] };
            let job = format!("{}-{step}", variables.text("SLURM_JOB_ID"));
            let names = RankVariables { rank: "SLURM_PROCID", size, local_rank: "SLURM_LOCALID" };
            return variables.launch(Launcher::Slurm, names, variables.tasks_of_node()?, job).map(Some);
        }
        match (is_set("RANK"), is_set("WORLD_SIZE")) {
            (true, false) => Err(LaunchError::Half { present: "RANK", absent: "WORLD_SIZE" }),
            (false, true) => Err(LaunchError::Half { present: "WORLD_SIZE", absent: "RANK" }),
            _ => Ok(None),
        }
    }
}

/// The names of the variables in which a launcher tells a process its place.
struct RankVariables {
    rank: &'static str,
    /// The variable of the number of processes.
    size: &'static str,
    /// The variable of the rank among the processes of the host.
    local_rank: &'static str,
}

/// Looks variables up; an empty one counts as absent.
struct Variables<'a>(&'a dyn Fn(&str) -> Option<String>);

impl Variables<'_> {
    fn text(&self, name: &str) -> String {
        (self.0)(name).unwrap_or_default()
    }

    fn number<N: std::str::FromStr>(
        &self,
        name: &'static str,
        meaning: &'static str,
    ) -> Result<Option<N>, LaunchError> {
        let Some(value) = (self.0)(name) else { return Ok(None) };
        value.trim().parse().map(Some).map_err(|_| LaunchError::Value { name, value, meaning })
    }

    fn count(&self, name: &'static str) -> Result<Option<usize>, LaunchError> {
        match self.number(name, A_COUNT)? {
            Some(0) => Err(LaunchError::Value { name, value: "0".into(), meaning: A_COUNT }),
            count => Ok(count),
        }
    }

    /// The launch by the variables in `names`, on a host with `local_size` processes. None: nothing is known of hosts, and all processes
    /// are taken to be on one.
    fn launch(
        &self,
        launcher: Launcher,
        names: RankVariables,
        local_size: Option<usize>,
        job: String,
    ) -> Result<Launch, LaunchError> {
        let absent = |name, meaning| LaunchError::Absent { launcher, name, meaning };
        let size = self.count(names.size)?.ok_or_else(|| absent(names.size, A_COUNT))?;
        let rank = self.number(names.rank, A_RANK)?.ok_or_else(|| absent(names.rank, A_RANK))?;
        let local_size = local_size.unwrap_or(size);
        let local_rank = self.number(names.local_rank, A_RANK)?.unwrap_or(rank % local_size);
        for (name, value, size) in [(names.rank, rank, size), (names.local_rank, local_rank, local_size)] {
            if value >= size {
                return Err(LaunchError::Rank { name, value, size });
            }
        }
        Ok(Launch { launcher, rank, size, local_rank, local_size, job })
    }

    /// How many processes of a step of Slurm's are on this node, of a list such as `4(x2),3`.
    fn tasks_of_node(&self) -> Result<Option<usize>, LaunchError> {
        let Some(mut node) = self.number::<usize>("SLURM_NODEID", "the number of a node")? else {
            return Ok(None);
        };
        let (name, meaning) = ("SLURM_STEP_TASKS_PER_NODE", "a list such as 4(x2),3");
        let list = self.text(name);
        for entry in list.split(',').filter(|entry| !entry.is_empty()) {
            let (count, times) = entry.split_once("(x").unwrap_or((entry, "1)"));
            let numbers = (count.parse(), times.trim_end_matches(')').parse::<usize>());
            let (Ok(count), Ok(times)) = numbers else {
                return Err(LaunchError::Value { name, value: list, meaning });
            };
            if node < times {
                return Ok(Some(count));
            }
            node -= times;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &str) -> Result<Option<Launch>, LaunchError> {
        let get = |name: &str| {
            let all = variables.split_whitespace().filter_map(|one| one.split_once('='));
            all.into_iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        Launch::from_environment(&get)
    }

    #[test]
    fn processes_of_a_host_share_its_devices_evenly_and_keep_one_that_they_were_given_alone() {
        let own = |seen, local_rank, local_size| {
            let (launcher, job) = (Launcher::Torchrun, String::new());
            let (rank, size) = (local_rank, local_size);
            Launch { launcher, rank, size, local_rank, local_size, job }.own_devices(seen)
        };
        assert_eq!(own(4, 1, 2).unwrap(), 2..4);
        assert_eq!(own(4, 3, 4).unwrap(), 3..4);
        assert_eq!(own(8, 0, 1).unwrap(), 0..8);
        assert_eq!(own(1, 3, 4).unwrap(), 0..1);
        let few = own(2, 2, 3).unwrap_err().to_string();
        assert!(few.contains("3 processes of this host share 2 CUDA devices"), "{few}");
    }

    #[test]
    fn each_launcher_says_who_a_process_is() {
        use Launcher::{OpenMpi, Slurm, Torchrun};
        let torchrun =
            "RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=4 MASTER_PORT=29500 TORCHELASTIC_RUN_ID=abc";
        let mpirun = "OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 OMPI_COMM_WORLD_LOCAL_SIZE=2";
        let srun = "SLURM_JOB_ID=77 SLURM_STEP_ID=2 SLURM_PROCID=10 SLURM_NTASKS=12 SLURM_LOCALID=2";
        let nodes = "SLURM_STEP_TASKS_PER_NODE=4(x2),3 SLURM_NODEID=2 SLURM_STEP_NUM_TASKS=11";
        for (variables, launcher, numbers, job) in [
            (torchrun.to_string(), Torchrun, [5, 8, 1, 4], "abc-29500"),
            ("RANK=1 WORLD_SIZE=2".into(), Torchrun, [1, 2, 1, 2], "-"),
            (format!("{mpirun} PMIX_NAMESPACE=prterun-a-1@1"), OpenMpi, [3, 4, 1, 2], "prterun-a-1@1"),
            (format!("{mpirun} OMPI_MCA_ess_base_jobid=123"), OpenMpi, [3, 4, 1, 2], "123"),
            (srun.into(), Slurm, [10, 12, 2, 12], "77-2"),
            (format!("{srun} {nodes}"), Slurm, [10, 11, 2, 3], "77-2"),
            // The innermost counts: torchrun or mpirun within a job of Slurm's.
            (format!("{srun} {torchrun}"), Torchrun, [5, 8, 1, 4], "abc-29500"),
            (format!("{srun} {mpirun} PMIX_NAMESPACE="), OpenMpi, [3, 4, 1, 2], ""),
        ] {
            let [rank, size, local_rank, local_size] = numbers;
            let expected = Launch { launcher, rank, size, local_rank, local_size, job: job.into() };
            assert_eq!(launch(&variables), Ok(Some(expected)), "{variables}");
        }
        // A batch script is no step of srun's, nor is a shell of a job.
        for alone in ["", "SLURM_JOB_ID=77 SLURM_PROCID=0 SLURM_NTASKS=4", "SLURM_STEP_ID=4294967291"] {
            assert_eq!(launch(alone), Ok(None), "{alone}");
        }
    }

    #[test]
    fn variables_that_make_no_sense_are_named_with_the_remedy() {
        for (variables, told) in [
            ("RANK=1", "RANK is set and WORLD_SIZE is not"),
            ("WORLD_SIZE=2", "WORLD_SIZE is set and RANK is not"),
            ("RANK=one WORLD_SIZE=2", "RANK is 'one', which is not the number of a process"),
            ("RANK=0 WORLD_SIZE=0", "WORLD_SIZE is '0', which is not a number of processes"),
            ("RANK=2 WORLD_SIZE=2", "RANK is 2, but there are only 2 processes"),
            ("RANK=0 WORLD_SIZE=2 LOCAL_RANK=3 LOCAL_WORLD_SIZE=2", "LOCAL_RANK is 3"),
            ("OMPI_COMM_WORLD_SIZE=2", "mpirun did not set OMPI_COMM_WORLD_RANK"),
            ("SLURM_STEP_ID=0 SLURM_PROCID=0", "srun did not set SLURM_NTASKS"),
            ("SLURM_STEP_ID=x", "SLURM_STEP_ID is 'x'"),
            (
                "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NTASKS=2 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=two",
                "SLURM_STEP_TASKS_PER_NODE is 'two'",
            ),
        ] {
            let problem = launch(variables).unwrap_err().to_string();
            assert!(problem.contains(told), "{variables}: {problem}");
        }
    }
}
