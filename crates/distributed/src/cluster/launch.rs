//! Who this process is among those that a launcher started, from the variables that it set.

use crate::cluster::hosts;
use crate::cluster::secret::{Secret, SecretError};
use std::fmt;
use thiserror::Error;

/// The port of rank 0 where no MASTER_PORT is given; also what torchrun takes.
pub const DEFAULT_PORT: u16 = 29500;

/// Where processes of one host meet unless MASTER_ADDR says otherwise: no other host reaches it.
const LOOPBACK: &str = "127.0.0.1";

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
    /// Equal for all processes of this start, different for any other start.
    pub job: String,
    /// What only the processes of this start know. Without it they meet on this host alone.
    pub secret: Option<Secret>,
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
    #[error(transparent)]
    Secret(#[from] SecretError),
}

impl Launch {
    /// Reads the variables by `get`, which returns the value of one. None when no launcher set any.
    ///
    /// Where several launchers are seen, the innermost counts: torchrun is started by `srun`, `mpirun` starts its own servers by `srun`.
    /// MASTER_ADDR and MASTER_PORT count whichever the launcher is.
    ///
    /// # Errors
    /// When a variable is absent or has a value that cannot be, or others have access to the file with the secret.
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
        // One that is alone needs none.
        let secret = if size > 1 { Secret::from_environment(self.get)? } else { None };
        let job = String::new();
        Ok(Launch { launcher, rank, size, local_rank, local_size, address, port, job, secret })
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
            launch.address = LOOPBACK.into();
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
        let hosts =
            if self.text("SLURM_STEP_NUM_NODES").is_some() { "SLURM_STEP_NUM_NODES" } else { "SLURM_NNODES" };
        if self.number(hosts, "a number of hosts")? == Some(1) {
            launch.local_size = Some(launch.size);
        }
        if launch.address.is_empty() && launch.local_size == Some(launch.size) {
            launch.address = LOOPBACK.into();
        } else if launch.address.is_empty() && launch.size > 1 {
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
mod tests;
