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
        (with(&TORCHRUN, &[("WORLD_SIZE", "0")]), "WORLD_SIZE is '0', which is not a number of processes"),
        (with(&TORCHRUN, &[("MASTER_ADDR", "")]), "torchrun did not set MASTER_ADDR"),
        (with(&TORCHRUN, &[("MASTER_PORT", "70000")]), "MASTER_PORT is '70000', which is not a port"),
        (with(&TORCHRUN, &[("MASTER_PORT", "0")]), "MASTER_PORT is '0', which is not a port"),
        (with(&OPEN_MPI, &[("OMPI_COMM_WORLD_SIZE", "4")]), "mpirun did not set MASTER_ADDR"),
        (with(&OPEN_MPI, &[("OMPI_COMM_WORLD_RANK", "")]), "mpirun did not set OMPI_COMM_WORLD_RANK"),
        (with(&SLURM, &[("SLURM_STEP_NODELIST", "")]), "srun did not set SLURM_JOB_NODELIST"),
        (with(&SLURM, &[("SLURM_STEP_NODELIST", "a[1")]), "SLURM_STEP_NODELIST is 'a[1'"),
        (with(&SLURM, &[("SLURM_STEP_ID", "x")]), "SLURM_STEP_ID is 'x', which is not the number of a step"),
        (with(&SLURM, &[("SLURM_PROCID", "")]), "srun did not set SLURM_PROCID"),
    ] {
        let message = message(&variables);
        assert!(message.starts_with(words), "{message}");
    }
}

#[test]
fn a_step_of_one_host_stays_on_it() {
    let one = launch(&with(&SLURM, &[("SLURM_STEP_NUM_NODES", "1")])).unwrap().unwrap();
    assert_eq!((one.address.as_str(), one.local_size), ("127.0.0.1", Some(4)));
    // A step may have fewer hosts than its job.
    let hosts = |of_step, of_job| {
        let hosts = [("SLURM_STEP_NUM_NODES", of_step), ("SLURM_NNODES", of_job)];
        launch(&with(&SLURM, &hosts)).unwrap().unwrap().address
    };
    assert_eq!((hosts("1", "2").as_str(), hosts("2", "2").as_str()), ("127.0.0.1", "node03"));
    assert_eq!((hosts("", "1").as_str(), hosts("", "2").as_str()), ("127.0.0.1", "node03"));
    let named = [("SLURM_STEP_NUM_NODES", "1"), ("MASTER_ADDR", "node03")];
    assert_eq!(launch(&with(&SLURM, &named)).unwrap().unwrap().address, "node03");
}

#[test]
fn the_secret_is_taken_from_the_environment_where_there_are_several() {
    let secret = ("REPRO_SECRET", "0123456789abcdef");
    assert!(launch(&with(&TORCHRUN, &[secret])).unwrap().unwrap().secret.is_some());
    assert!(launch(&TORCHRUN).unwrap().unwrap().secret.is_none());
    let message = launch(&with(&TORCHRUN, &[("REPRO_SECRET", "short")])).unwrap_err().to_string();
    assert!(message.starts_with("REPRO_SECRET has 5 bytes, and a secret has 16 to"), "{message}");
    // Nobody is asked for it who is alone.
    let alone = [("RANK", "0"), ("WORLD_SIZE", "1"), ("REPRO_SECRET", "short")];
    assert!(launch(&alone).unwrap().unwrap().secret.is_none());
}
