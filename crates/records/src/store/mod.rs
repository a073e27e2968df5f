//! What is stored and how: the schema of samples and manifests, the journal of a run that is written, the digests of one that has finished.

mod environment;
mod files;
mod folder;
mod history;
mod host;
mod journal;
mod manifest;
mod read;
mod rows;
mod sample;
mod sample_file;

pub use environment::{
    DeviceRecord, Environment, ExternalRecord, FurtherDevice, FurtherHost, HostLinks, ImplementationRecord,
    KernelRecord, MachineIdentity, Together,
};
pub use files::{
    RecordError, append_text, json_text, read_json, read_rows, replace, write_atomically, write_rows,
};
pub use folder::MadeFolders;
pub use history::CellHistory;
pub use host::{Build, Disturbance, HostFinding, HostInfo, is_loaded, short_commit};
pub use journal::{Derived, Journal, JournalError};
pub use manifest::{Manifest, Pair, Purpose, SCHEMA_VERSION, Side, cells, groups};
pub use read::{FILES, FindRunsError, Records, find_runs, is_run, manifest_text, read};
pub use rows::{
    CellRow, CountRow, CounterRow, Counters, DeviceTimeRow, ExtraRows, KernelTime, KernelTimeRow, Repeated,
    RepeatsRow, read_cell_rows, spelled,
};
pub use sample::{Compared, SampleRow, Status, Verification, WRONG_RESULT};
pub use sample_file::{SampleFile, is_time};
