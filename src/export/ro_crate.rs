//! The metadata of a crate: <https://w3id.org/ro/crate/1.1> by the profile <https://w3id.org/ro/wfrun/process/0.5>.

use super::entities::{equipment, file, graphs, id_of, reference, requirements};
use super::{CrateFile, EXPERIMENT, METADATA, RECORDS};
use crate::results::StoredRun;
use crate::store::{Build, Purpose};
use serde_json::{Value, json};

/// RO-Crate's own version.
const RO_CRATE: &str = "https://w3id.org/ro/crate/1.1";
/// The profile.
const PROFILE: &str = "https://w3id.org/ro/wfrun/process/0.5";
/// No term of RO-Crate 1.1; the profile's vocabulary has it.
const SHA256: &str = "https://w3id.org/ro/terms/workflow-run#sha256";

/// What the records do not say, from whoever exports them.
#[derive(Clone, Debug)]
pub struct About {
    /// Nobody where they are not known.
    pub authors: Vec<Author>,
    /// Of the records: the address of a licence, or its name, such as an SPDX expression.
    pub license: String,
    /// The day, as in 2026-11-23.
    pub published: String,
}

/// Somebody who made the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    pub name: String,
    /// For example an ORCID.
    pub address: Option<String>,
}

impl Author {
    fn id(&self) -> String {
        self.address.clone().unwrap_or_else(|| format!("#{}", self.name.replace(char::is_whitespace, "-")))
    }

    fn entity(&self) -> Value {
        json!({ "@id": self.id(), "@type": "Person", "name": self.name })
    }
}

/// The metadata of a crate of `run` that has `files` next to it.
pub fn metadata(run: &StoredRun, files: &[CrateFile], about: &About) -> Value {
    let manifest = &run.manifest;
    let (license, license_entity) = license(&about.license);
    let authors: Vec<Value> = about.authors.iter().map(|author| reference(&author.id())).collect();
    // By the standard one value stands without brackets.
    let authors = if let [only] = &authors[..] { only.clone() } else { Value::Array(authors) };
    let graphs = graphs(&manifest.experiment);
    let environment = run.environment();
    let equipment = environment.map(equipment).unwrap_or_default();
    let requirements = environment.map(requirements).unwrap_or_default();
    let is_product = |entity: &&Value| entity["@type"] == "IndividualProduct";
    let mentions = equipment.iter().filter(is_product).map(id_of);
    let mut root = json!({
        "@id": "./",
        "@type": "Dataset",
        "name": format!("{}: a run of repro", manifest.experiment.title),
        "description": description(run),
        "datePublished": about.published,
        "license": reference(&license),
        "conformsTo": reference(PROFILE),
        "hasPart": files.iter().map(|file| reference(&file.name)).collect::<Vec<_>>(),
        "mentions": std::iter::once(reference("#run")).chain(mentions).collect::<Vec<_>>(),
    });
    let software = software(&manifest.build);
    let mut action = json!({
        "@id": "#run",
        "@type": "CreateAction",
        "name": format!("Run of {}", manifest.experiment.name),
        "description": manifest.command_line.join(" "),
        "instrument": reference(&software),
        "object": std::iter::once(reference(EXPERIMENT)).chain(graphs.iter().map(id_of)).collect::<Vec<_>>(),
        "result": files.iter().filter(|file| file.name.starts_with(RECORDS)).map(|file| reference(&file.name)).collect::<Vec<_>>(),
        "startTime": with_offset(&manifest.started),
    });
    if let Some(finished) = &manifest.finished {
        action["endTime"] = with_offset(finished).into();
        action["actionStatus"] = "http://schema.org/CompletedActionStatus".into();
    }
    if !about.authors.is_empty() {
        root["author"] = authors.clone();
        action["agent"] = authors;
    }
    let mut application = json!({
        "@id": software,
        "@type": "SoftwareApplication",
        "name": "repro",
        "description": "Benchmark and reproduction harness for four papers on Floyd-Warshall with CUDA",
        "softwareVersion": version(&manifest.build),
        "identifier": manifest.build.commit,
    });
    if !requirements.is_empty() {
        application["softwareRequirements"] = requirements.iter().map(id_of).collect();
    }
    let mut graph = vec![
        json!({
            "@id": METADATA,
            "@type": "CreativeWork",
            "about": reference("./"),
            "conformsTo": reference(RO_CRATE),
        }),
        root,
        json!({ "@id": PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5" }),
        license_entity,
        application,
        action,
    ];
    graph.extend(about.authors.iter().map(Author::entity));
    graph.extend(files.iter().map(file));
    graph.extend(graphs.into_iter().chain(equipment).chain(requirements));
    json!({ "@context": [format!("{RO_CRATE}/context"), { "sha256": SHA256 }], "@graph": graph })
}

/// A time of a record as the profile has it: with the offset of UTC in the place of its letter.
fn with_offset(time: &str) -> String {
    time.strip_suffix('Z').map_or_else(|| time.to_string(), |time| format!("{time}+00:00"))
}

fn description(run: &StoredRun) -> String {
    let (manifest, experiment) = (&run.manifest, &run.manifest.experiment);
    let paper = experiment.paper.as_ref().map_or_else(String::new, |paper| format!(", on the paper {paper}"));
    let model = run.environment().map_or_else(String::new, |known| format!(", on {}", known.model()));
    let mut text = format!("Records of the experiment {}{paper}{model}.", experiment.name);
    if manifest.purpose == Purpose::Smoke {
        text += " A smoke run: its sizes are too small to judge anything by.";
    }
    if manifest.finished.is_none() {
        text += " It has not finished.";
    }
    if !run.seal.is_sound() {
        text += &format!(" UNSEALED: the run {}.", run.seal);
    }
    text
}

/// What identifies the program: its commit, by the scheme of the Software Heritage archive, where that says all.
fn software(build: &Build) -> String {
    let is_commit = build.commit.len() == 40 && build.commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_commit && !build.dirty { format!("swh:1:rev:{}", build.commit) } else { "#repro".to_string() }
}

fn version(build: &Build) -> String {
    let changes = if build.dirty { " with uncommitted changes" } else { "" };
    format!("{}, commit {}{changes}, {} build", build.version, build.commit, build.profile)
}

/// The identifier of a licence, and its entity.
fn license(license: &str) -> (String, Value) {
    let is_address = license.starts_with("https://") || license.starts_with("http://");
    let id = if is_address { license.to_string() } else { "#license".to_string() };
    let entity = json!({
        "@id": id,
        "@type": "CreativeWork",
        "name": license,
        "description": "The licence of the records",
    });
    (id, entity)
}
