//! What is stored and how: the schema of samples and manifests, the journal of a run that is written, the digests of one that has finished.

mod counts;
mod digests;
mod environment;
mod files;
mod find_runs;
mod folder;
mod further;
mod history;
mod host_finding;
mod journal;
mod manifest;
mod planned;
mod read;
mod run_files;
mod sample;
mod sample_file;
mod together;
mod verification;

pub use counts::{CountRow, counted};
pub use digests::{FILES, manifest_text};
pub use environment::{Build, HostInfo, short_commit};
pub use files::{RecordError, append_text, json_text, read_json, read_rows, replace, write_atomically};
pub use find_runs::{FindRunsError, find_runs, is_run};
pub use folder::MadeFolders;
pub use further::{CounterRow, DeviceTimeRow, FurtherRows, KernelTimeRow, Repeated, RepeatsRow, spelled};
pub use history::CellHistory;
pub use host_finding::{Disturbance, HostFinding, is_loaded};
pub use journal::{Derived, Journal, JournalError};
pub use manifest::{
    DeviceRecord, Environment, ExternalRecord, FurtherDevice, FurtherHost, ImplementationRecord,
    KernelRecord, MachineIdentity, Manifest, Pair, Purpose, SCHEMA_VERSION, Side,
};
pub use planned::{cells, groups};
pub use read::{Records, read};
pub use sample::{SampleRow, Status, WRONG_RESULT, write_rows};
pub use sample_file::{SampleFile, is_time};
pub use together::{HostLinks, Together};
pub use verification::{Compared, UnknownVerification, Verification};
