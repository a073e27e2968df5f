//! What is stored and how: the schema of samples, summaries and manifests, published numbers, and the environment.

mod counts;
mod device_times;
mod environment;
mod files;
mod git;
mod host_finding;
mod kernel_times;
mod manifest;
mod published;
mod repeats;
mod sample;
mod sample_file;
mod scopes;
mod seal;
mod summary;
mod together;
mod verification;

pub use counts::{CountRow, counted};
pub use device_times::DeviceTimeRow;
pub use environment::{Build, HostInfo, short_commit};
pub use files::{RecordError, append_text, read_json, read_rows, replace, write_atomically, write_unsynced};
pub use git::git;
pub use host_finding::{HostFinding, is_loaded};
pub use kernel_times::{KernelTimeRow, spelled};
pub use manifest::{
    DeviceRecord, Environment, FurtherDevice, FurtherHost, ImplementationRecord, KernelRecord,
    MachineIdentity, Manifest, Pair, Purpose, SCHEMA_VERSION, Side, StrangerRecord,
};
pub use published::{
    Claim, ClaimKind, Condition, Coverage, Deviation, EvidenceKind, Figure, Inconsistency, KernelName,
    NoClaim, PublishedCause, PublishedFigure, PublishedPaper, PublishedTable, Sentence, Source, Speedup,
    StructuralClaim, Unit, published_papers, range_in_words,
};
pub use repeats::{Repeated, RepeatsRow};
pub use repro_types::CellId;
pub use sample::{SampleRow, Status, WRONG_RESULT, runs_on_device, write_rows};
pub use sample_file::{SampleFile, is_time};
pub use scopes::{ScopeRow, summarize_scopes};
pub use seal::{Breach, SEAL, Seal, SealCheck};
pub use summary::{SummaryRow, bytes_a_task, summarize};
pub use together::{HostLinks, Together};
pub use verification::{Compared, UnknownVerification, Verification};
