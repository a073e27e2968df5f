//! Entities of the metadata: files, the machine, its software.

use super::{CrateFile, EXPERIMENT, saved_graph};
use crate::plan::{Experiment, GraphSource};
use crate::store::{Environment, SEAL};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// What a run's folder may hold of its own, as far as it is there, and what that is.
pub const RECORDED: [(&str, &str); 10] = [
    (
        "manifest.json",
        "Where the numbers come from: machine, device, driver, compiler, commit, command line, seed, ceilings",
    ),
    ("samples.csv", "One row a sample and clock: seconds, how the result was verified, the state of the GPU"),
    ("summary.csv", "One row a cell: median seconds with a confidence interval, rate, the paper's seconds"),
    ("scopes.csv", "One row a cell and clock: median seconds with a confidence interval"),
    ("kernels.csv", "One row a kernel: launches, seconds, modelled bytes"),
    ("counts.csv", "One row a kernel: what the emulated device counted"),
    ("repeats.csv", "One row a cell: solves one after another, other results, energy"),
    (
        "devices.csv",
        "One row a sample and device: seconds of the solve, of computing, of waiting and of broadcasts",
    ),
    ("table.md", "The tables that the run ended with"),
    (SEAL, "Digests of the records, by which repro tells whether they are as they were written"),
];

/// A reference to another entity.
pub fn reference(id: &str) -> Value {
    json!({ "@id": id })
}

/// A reference to this entity.
pub fn id_of(entity: &Value) -> Value {
    json!({ "@id": entity["@id"] })
}

/// The entity of a file, with its checksum.
pub fn file(file: &CrateFile) -> Value {
    let name = file.name.rsplit('/').next().unwrap_or(&file.name);
    let resolved = (EXPERIMENT, "The experiment as it was resolved from its file and the command line");
    let mut known = RECORDED.into_iter().chain([resolved]);
    let known = known.find(|(known, _)| *known == name);
    let description = known.map_or("The graph that was solved", |(_, description)| description);
    let format = match name.rsplit('.').next() {
        Some("json") => "application/json",
        Some("csv") => "text/csv",
        Some("md") => "text/markdown",
        Some("gz") => "application/gzip",
        _ => "text/plain",
    };
    json!({
        "@id": file.name,
        "@type": "File",
        "name": name,
        "description": description,
        "encodingFormat": format,
        "contentSize": file.content.len().to_string(),
        "sha256": hexadecimal(&Sha256::digest(&file.content)),
    })
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// How each generated graph is made. One that was read from a file of the run's folder is a file of the crate; of any other file the
/// digest is known.
pub fn graphs(experiment: &Experiment) -> Vec<Value> {
    let of = |(at, graph): (usize, &crate::plan::NamedGraph)| {
        let value = match &graph.source {
            kept if saved_graph(kept).is_some() => return None,
            GraphSource::File { digest, .. } if experiment.sharded => {
                format!("a file with the BLAKE3 hash {digest}")
            }
            GraphSource::File { digest, .. } => {
                format!("a file whose distance matrix has the digest {digest}")
            }
            generated => serde_json::to_string(generated).ok()?,
        };
        let name = if graph.name.is_empty() { "graph".to_string() } else { format!("graph {}", graph.name) };
        Some(json!({ "@id": format!("#graph-{at}"), "@type": "PropertyValue", "name": name, "value": value }))
    };
    experiment.graphs.iter().enumerate().filter_map(of).collect()
}

/// The equipment: the host, and the GPU if there was one, with their properties.
pub fn equipment(environment: &Environment) -> Vec<Value> {
    let host = &environment.host;
    let properties = [
        ("hardware threads", host.threads.to_string()),
        ("memory in bytes", host.memory_bytes.to_string()),
        ("operating system", format!("{}, kernel {}", host.os, host.kernel)),
    ];
    let mut all = product("host", "The host", &host.cpu, None, &properties);
    if let Some(device) = environment.gpu() {
        let (info, (major, minor)) = (&device.info, device.info.compute_capability);
        let properties = [
            ("compute capability", format!("{major}.{minor}")),
            ("multiprocessors", info.multiprocessors.to_string()),
            ("memory in bytes", info.memory_bytes.to_string()),
            ("driver", device.driver.clone().unwrap_or_else(|| "unknown".to_string())),
        ];
        all.extend(product("gpu", &info.name, &info.name, Some(&info.uuid), &properties));
    }
    all
}

/// A piece of equipment and its properties.
fn product(
    id: &str,
    name: &str,
    model: &str,
    serial: Option<&str>,
    properties: &[(&str, String)],
) -> Vec<Value> {
    let property = |(at, (name, value)): (usize, &(&str, String))| json!({ "@id": format!("#{id}-property-{at}"), "@type": "PropertyValue", "name": name, "value": value });
    let properties: Vec<Value> = properties.iter().enumerate().map(property).collect();
    let mut product = json!({
        "@id": format!("#{id}"),
        "@type": "IndividualProduct",
        "name": name,
        "model": model,
        "additionalProperty": properties.iter().map(id_of).collect::<Vec<_>>(),
    });
    if let Some(serial) = serial {
        product["serialNumber"] = serial.into();
    }
    std::iter::once(product).chain(properties).collect()
}

/// What the program ran with: the driver and the compiler of kernels.
pub fn requirements(environment: &Environment) -> Vec<Value> {
    let gpu = environment.gpu();
    let driver = gpu.and_then(|device| device.driver.as_ref()).map(|version| {
        json!({ "@id": "#driver", "@type": "SoftwareApplication", "name": "NVIDIA driver", "softwareVersion": version })
    });
    let compiler = environment.device.as_ref().and_then(|device| device.compiler.as_ref()).map(|compiler| {
        json!({
            "@id": "#compiler",
            "@type": "SoftwareApplication",
            "name": "The compiler of kernels",
            "softwareVersion": compiler,
        })
    });
    driver.into_iter().chain(compiler).collect()
}
