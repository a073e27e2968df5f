//! Who this process is among those that a launcher started, from the variables that it set.

use crate::hosts;
use std::fmt;
use std::net::IpAddr;
use thiserror::Error;

/// The port of rank 0 where no MASTER_PORT is given; also what torchrun takes.
pub const DEFAULT_PORT: u16 = 29500;

/// From here on, Slurm's numbers of steps are not those of `srun`: the batch script's own step, an interactive shell of `salloc`.
const FIRST_RESERVED_STEP: u32 = 0xffff_fff0;

/// What started the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launcher {
    /// torchrun, and whatever else sets RANK and WORLD_SIZE, as the training operator of Kubernetes.
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

/// Who this process is, and where rank 0 waits for the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    pub launcher: Launcher,
    /// From 0 to one less than `size`.
    pub rank: usize,
    pub size: usize,
    /// The number among the processes of this host. Without one, the hosts' names decide when all have come.
    pub local_rank: Option<usize>,
    /// How many processes this host has. Without it, the same.
    pub local_size: Option<usize>,
    /// The host of rank 0.
    pub address: String,
    /// The first port that rank 0 tries.
    pub port: u16,
    /// The same for all processes of this start, another for any other start.
    pub job: String,
}

/// Why the variables of a launcher cannot be understood.
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

impl Launch {
    /// Reads the variables by `get`, which returns the value of one. None when no launcher set any.
    ///
    /// Where several launchers are seen, the innermost counts: torchrun is started by `srun`, `mpirun` starts its own servers by `srun`.
    /// MASTER_ADDR and MASTER_PORT count whichever the launcher is.
    ///
    /// # Errors
    /// When a variable is absent or has a value that cannot be.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, LaunchError> {
        // A variable that is set to nothing is as good as none.
        let variables = Variables { get: &|name| get(name).filter(|value| !value.trim().is_empty()) };
        let is_set = |name| variables.text(name).is_some();
        if is_set("RANK") && is_set("WORLD_SIZE") {
            return variables.torchrun().map(Some);
        }
        if is_set("OMPI_COMM_WORLD_RANK") || is_set("OMPI_COMM_WORLD_SIZE") {
            return variables.open_mpi().map(Some);
        }
        if variables.is_of_srun()? {
            return variables.slurm().map(Some);
        }
        match (is_set("RANK"), is_set("WORLD_SIZE")) {
            (true, false) => Err(LaunchError::Half { present: "RANK", absent: "WORLD_SIZE" }),
            (false, true) => Err(LaunchError::Half { present: "WORLD_SIZE", absent: "RANK" }),
            _ => Ok(None),
        }
    }

    /// Whether only processes of this host can be meant: the address is this host to itself, and it runs all of them.
    pub(crate) fn stays_on_host(&self) -> bool {
        let loopback = self.address == "localhost"
            || self.address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        loopback && self.local_size == Some(self.size)
    }
}

struct Variables<'a> {
    get: &'a dyn Fn(&str) -> Option<String>,
}

const A_COUNT: &str = "a number of processes from 1 on";
const A_RANK: &str = "the number of a process, from 0 on";
const A_HOST: &str = "the name or address of the host of rank 0";
const A_PORT: &str = "a port from 1 to 65535";
const A_STEP: &str = "the number of a step";

impl Variables<'_> {
    fn text(&self, name: &str) -> Option<String> {
        (self.get)(name)
    }

    fn number<N: std::str::FromStr>(
        &self,
        name: &'static str,
        meaning: &'static str,
    ) -> Result<Option<N>, LaunchError> {
        let Some(value) = self.text(name) else { return Ok(None) };
        value.trim().parse().map(Some).map_err(|_| LaunchError::Value { name, value, meaning })
    }

    /// The rank and the size, and the same among the processes of this host.
    fn places(&self, launcher: Launcher, names: Names) -> Result<Launch, LaunchError> {
        let absent = |name, meaning| LaunchError::Absent { launcher, name, meaning };
        let size = self.count(names.size)?.ok_or_else(|| absent(names.size, A_COUNT))?;
        let rank = self.number(names.rank, A_RANK)?.ok_or_else(|| absent(names.rank, A_RANK))?;
        let local_rank = self.number(names.local_rank, A_RANK)?;
        let local_size = names.local_size.map_or(Ok(None), |name| self.count(name))?;
        for (name, value, size) in
            [(names.rank, Some(rank), Some(size)), (names.local_rank, local_rank, local_size.or(Some(size)))]
        {
            if let (Some(value), Some(size)) = (value, size)
                && value >= size
            {
                return Err(LaunchError::Rank { name, value, size });
            }
        }
        let port = match self.number("MASTER_PORT", A_PORT)? {
            Some(0) => {
                return Err(LaunchError::Value { name: "MASTER_PORT", value: "0".into(), meaning: A_PORT });
            }
            port => port.unwrap_or(DEFAULT_PORT),
        };
        let address = self.text("MASTER_ADDR").map(|address| address.trim().to_string()).unwrap_or_default();
        Ok(Launch { launcher, rank, size, local_rank, local_size, address, port, job: String::new() })
    }

    fn count(&self, name: &'static str) -> Result<Option<usize>, LaunchError> {
        match self.number(name, A_COUNT)? {
            Some(0) => Err(LaunchError::Value { name, value: "0".into(), meaning: A_COUNT }),
            count => Ok(count),
        }
    }

    fn torchrun(&self) -> Result<Launch, LaunchError> {
        let launcher = Launcher::Torchrun;
        let launch = self.places(
            launcher,
            Names {
                rank: "RANK",
                size: "WORLD_SIZE",
                local_rank: "LOCAL_RANK",
                local_size: Some("LOCAL_WORLD_SIZE"),
            },
        )?;
        if launch.address.is_empty() && launch.size > 1 {
            return Err(LaunchError::Absent { launcher, name: "MASTER_ADDR", meaning: A_HOST });
        }
        // Not the address: the training operator calls the host of rank 0 `localhost` there, and by its name elsewhere.
        let run = self.text("TORCHELASTIC_RUN_ID").unwrap_or_default();
        Ok(launch.named(&[&run]))
    }

    fn open_mpi(&self) -> Result<Launch, LaunchError> {
        let launcher = Launcher::OpenMpi;
        let mut launch = self.places(
            launcher,
            Names {
                rank: "OMPI_COMM_WORLD_RANK",
                size: "OMPI_COMM_WORLD_SIZE",
                local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
                local_size: Some("OMPI_COMM_WORLD_LOCAL_SIZE"),
            },
        )?;
        if launch.address.is_empty() {
            if launch.local_size.unwrap_or(1) != launch.size {
                return Err(LaunchError::Absent { launcher, name: "MASTER_ADDR", meaning: A_HOST });
            }
            launch.address = "127.0.0.1".into();
        }
        // The first of Open MPI 5, the second of those before.
        let job = self.text("PMIX_NAMESPACE").or_else(|| self.text("OMPI_MCA_ess_base_jobid"));
        Ok(launch.named(&[&job.unwrap_or_default()]))
    }

    /// Whether `srun` started this process. A batch script sees the variables of the whole job, but is one process.
    fn is_of_srun(&self) -> Result<bool, LaunchError> {
        let step: Option<u32> = self.number("SLURM_STEP_ID", A_STEP)?;
        Ok(step.is_some_and(|step| step < FIRST_RESERVED_STEP))
    }

    fn slurm(&self) -> Result<Launch, LaunchError> {
        let launcher = Launcher::Slurm;
        // A step may have fewer processes than its job.
        let size =
            if self.text("SLURM_STEP_NUM_TASKS").is_some() { "SLURM_STEP_NUM_TASKS" } else { "SLURM_NTASKS" };
        // Slurm gives the number of processes of a host only in a list of all hosts.
        let names = Names { rank: "SLURM_PROCID", size, local_rank: "SLURM_LOCALID", local_size: None };
        let mut launch = self.places(launcher, names)?;
        if launch.address.is_empty() && launch.size > 1 {
            let step = self.text("SLURM_STEP_NODELIST");
            let name = if step.is_some() { "SLURM_STEP_NODELIST" } else { "SLURM_JOB_NODELIST" };
            let meaning = "a list of hosts such as node[01-04]";
            let list = self.text(name).ok_or(LaunchError::Absent { launcher, name, meaning })?;
            launch.address = hosts::first(&list).ok_or(LaunchError::Value { name, value: list, meaning })?;
        }
        let job = self.text("SLURM_JOB_ID").unwrap_or_default();
        let step = self.text("SLURM_STEP_ID").unwrap_or_default();
        Ok(launch.named(&[&job, &step]))
    }
}

/// The variables of one launcher.
struct Names {
    rank: &'static str,
    size: &'static str,
    local_rank: &'static str,
    local_size: Option<&'static str>,
}

impl Launch {
    fn named(mut self, parts: &[&str]) -> Self {
        self.job = format!("{} {} {} {}", self.launcher, self.size, self.port, parts.join(" "));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(variables: &[(&str, &str)]) -> Result<Option<Launch>, LaunchError> {
        Launch::from_environment(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        })
    }

    const TORCHRUN: [(&str, &str); 6] = [
        ("RANK", "5"),
        ("WORLD_SIZE", "8"),
        ("LOCAL_RANK", "1"),
        ("LOCAL_WORLD_SIZE", "4"),
        ("MASTER_ADDR", "head"),
        ("MASTER_PORT", "29411"),
    ];
    const OPEN_MPI: [(&str, &str); 4] = [
        ("OMPI_COMM_WORLD_RANK", "1"),
        ("OMPI_COMM_WORLD_SIZE", "2"),
        ("OMPI_COMM_WORLD_LOCAL_RANK", "1"),
        ("OMPI_COMM_WORLD_LOCAL_SIZE", "2"),
    ];
    const SLURM: [(&str, &str); 6] = [
        ("SLURM_STEP_ID", "0"),
        ("SLURM_JOB_ID", "77"),
        ("SLURM_PROCID", "3"),
        ("SLURM_NTASKS", "4"),
        ("SLURM_LOCALID", "1"),
        ("SLURM_STEP_NODELIST", "node[03-04]"),
    ];

    fn with<'a>(variables: &[(&'a str, &'a str)], more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
        more.iter().chain(variables).copied().collect()
    }

    #[test]
    fn the_variables_of_every_launcher_are_understood() {
        let torchrun = launch(&TORCHRUN).unwrap().unwrap();
        assert_eq!((torchrun.launcher, torchrun.rank, torchrun.size), (Launcher::Torchrun, 5, 8));
        assert_eq!((torchrun.local_rank, torchrun.local_size), (Some(1), Some(4)));
        assert_eq!((torchrun.address.as_str(), torchrun.port), ("head", 29411));

        let open_mpi = launch(&OPEN_MPI).unwrap().unwrap();
        assert_eq!((open_mpi.launcher, open_mpi.rank, open_mpi.size), (Launcher::OpenMpi, 1, 2));
        assert_eq!((open_mpi.address.as_str(), open_mpi.port), ("127.0.0.1", DEFAULT_PORT));

        let slurm = launch(&SLURM).unwrap().unwrap();
        assert_eq!((slurm.launcher, slurm.rank, slurm.size), (Launcher::Slurm, 3, 4));
        assert_eq!((slurm.local_rank, slurm.local_size), (Some(1), None));
        assert_eq!((slurm.address.as_str(), slurm.port), ("node03", DEFAULT_PORT));
    }

    #[test]
    fn a_process_without_a_launcher_is_alone() {
        assert_eq!(launch(&[]), Ok(None));
        assert_eq!(launch(&[("MASTER_ADDR", "head"), ("RANK", "")]), Ok(None));
        // One of a launcher that starts one is not.
        let variables = [("RANK", "0"), ("WORLD_SIZE", "1")];
        assert_eq!(launch(&variables).unwrap().map(|launch| launch.size), Some(1));
    }

    #[test]
    fn a_batch_script_and_a_shell_of_salloc_are_one_process() {
        assert_eq!(launch(&SLURM[1..]), Ok(None));
        for step in ["4294967290", "4294967291"] {
            assert_eq!(launch(&with(&SLURM[1..], &[("SLURM_STEP_ID", step)])), Ok(None));
        }
    }

    #[test]
    fn a_step_of_a_job_counts_its_own_processes() {
        let step = launch(&with(&SLURM, &[("SLURM_NTASKS", "16"), ("SLURM_STEP_NUM_TASKS", "4")]));
        assert_eq!(step.unwrap().unwrap().size, 4);
    }

    #[test]
    fn a_given_address_and_port_win_over_what_a_launcher_implies() {
        let given = [("MASTER_ADDR", "other"), ("MASTER_PORT", "1234")];
        for variables in [with(&SLURM, &given), with(&OPEN_MPI, &given)] {
            let launch = launch(&variables).unwrap().unwrap();
            assert_eq!((launch.address.as_str(), launch.port), ("other", 1234));
        }
    }

    #[test]
    fn the_innermost_launcher_counts() {
        let all: Vec<_> = TORCHRUN.iter().chain(&OPEN_MPI).chain(&SLURM).copied().collect();
        assert_eq!(launch(&all).unwrap().unwrap().launcher, Launcher::Torchrun);
        assert_eq!(launch(&all[6..]).unwrap().unwrap().launcher, Launcher::OpenMpi);
    }

    #[test]
    fn two_jobs_on_one_host_have_different_keys() {
        let key = |variables: &[(&str, &str)]| launch(variables).unwrap().unwrap().job;
        assert_ne!(key(&SLURM), key(&with(&SLURM, &[("SLURM_JOB_ID", "78")])));
        assert_ne!(key(&SLURM), key(&with(&SLURM, &[("SLURM_STEP_ID", "1")])));
        assert_ne!(key(&TORCHRUN), key(&with(&TORCHRUN, &[("MASTER_PORT", "29412")])));
        assert_ne!(key(&TORCHRUN), key(&with(&TORCHRUN, &[("TORCHELASTIC_RUN_ID", "a")])));
        assert_ne!(key(&OPEN_MPI), key(&with(&OPEN_MPI, &[("PMIX_NAMESPACE", "prterun-1")])));
        // And those of one job the same.
        assert_eq!(key(&SLURM), key(&with(&SLURM, &[("SLURM_PROCID", "0"), ("SLURM_LOCALID", "0")])));
    }

    #[test]
    fn wrong_variables_are_named_with_their_value_and_a_remedy() {
        let message = |variables: &[(&str, &str)]| launch(variables).unwrap_err().to_string();
        for (variables, words) in [
            (with(&[], &[("RANK", "1")]), "RANK is set and WORLD_SIZE is not: set both"),
            (with(&[], &[("WORLD_SIZE", "1")]), "WORLD_SIZE is set and RANK is not: set both"),
            (with(&TORCHRUN, &[("RANK", "two")]), "RANK is 'two', which is not the number of a process"),
            (with(&TORCHRUN, &[("RANK", "-1")]), "RANK is '-1', which is not the number of a process"),
            (with(&TORCHRUN, &[("RANK", "8")]), "RANK is 8, but there are only 8 processes"),
            (with(&TORCHRUN, &[("LOCAL_RANK", "4")]), "LOCAL_RANK is 4, but there are only 4 processes"),
            (
                with(&TORCHRUN, &[("WORLD_SIZE", "0")]),
                "WORLD_SIZE is '0', which is not a number of processes",
            ),
            (with(&TORCHRUN, &[("MASTER_ADDR", "")]), "torchrun did not set MASTER_ADDR"),
            (with(&TORCHRUN, &[("MASTER_PORT", "70000")]), "MASTER_PORT is '70000', which is not a port"),
            (with(&TORCHRUN, &[("MASTER_PORT", "0")]), "MASTER_PORT is '0', which is not a port"),
            (with(&OPEN_MPI, &[("OMPI_COMM_WORLD_SIZE", "4")]), "mpirun did not set MASTER_ADDR"),
            (with(&OPEN_MPI, &[("OMPI_COMM_WORLD_RANK", "")]), "mpirun did not set OMPI_COMM_WORLD_RANK"),
            (with(&SLURM, &[("SLURM_STEP_NODELIST", "")]), "srun did not set SLURM_JOB_NODELIST"),
            (with(&SLURM, &[("SLURM_STEP_NODELIST", "a[1")]), "SLURM_STEP_NODELIST is 'a[1'"),
            (
                with(&SLURM, &[("SLURM_STEP_ID", "x")]),
                "SLURM_STEP_ID is 'x', which is not the number of a step",
            ),
            (with(&SLURM, &[("SLURM_PROCID", "")]), "srun did not set SLURM_PROCID"),
        ] {
            let message = message(&variables);
            assert!(message.starts_with(words), "{message}");
        }
    }

    #[test]
    fn only_a_job_of_one_host_stays_on_it() {
        assert!(launch(&OPEN_MPI).unwrap().unwrap().stays_on_host());
        assert!(!launch(&TORCHRUN).unwrap().unwrap().stays_on_host());
        // As the training operator starts rank 0 of several hosts.
        assert!(!launch(&with(&TORCHRUN, &[("MASTER_ADDR", "localhost")])).unwrap().unwrap().stays_on_host());
        let local = [("MASTER_ADDR", "localhost"), ("LOCAL_WORLD_SIZE", "8")];
        assert!(launch(&with(&TORCHRUN, &local)).unwrap().unwrap().stays_on_host());
    }
}
