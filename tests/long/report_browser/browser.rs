//! A headless Chromium, driven over its own pipe: no port is opened and no driver is needed.

use crate::common::missing_tool;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Long enough for a busy machine; a browser that says nothing for so long has stopped.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    next: u64,
    /// What the browser reported without being asked, since [`Browser::events`] was last called.
    events: Vec<Value>,
    _profile: tempfile::TempDir,
}

/// The command that starts Chromium, without which the test fails.
fn command() -> String {
    let names = std::env::var("REPRO_CHROMIUM");
    let names = names.unwrap_or_else(|_| "chromium chromium-browser google-chrome".to_string());
    let runs = |name: &&str| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let found = names.split(' ').find(runs).map(String::from);
    found.unwrap_or_else(|| {
        missing_tool(format!("a browser: none of {names} runs; install one or set REPRO_CHROMIUM to one"))
    })
}

impl Browser {
    /// A browser with one empty tab, for a reader who prefers light colours.
    pub fn start(width: u32) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // Chromium reads commands from descriptor 3 and answers on 4; a shell can give it those.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"])
            .arg(command())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"])
            .args([
                "--hide-scrollbars",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-dev-shm-usage",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = process.stdin.take().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap());
        let (send, from) = channel();
        std::thread::spawn(move || {
            for message in answers.split(0) {
                let Ok(bytes) = message else { return };
                let Ok(value) = serde_json::from_slice(&bytes) else { return };
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        let mut browser =
            Self { process, to, from, session: None, next: 0, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(String::from);
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser.screen(width, "light");
        browser
    }

    /// One command of the DevTools protocol and its result.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer = self.from.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Loads a file and waits until it is there, fonts included.
    pub fn open(&mut self, page: &Path) {
        self.events.clear();
        self.call("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.from.recv_timeout(PATIENCE).expect("the page loads");
            self.events.push(event);
        }
    }

    /// The value of a JavaScript expression, awaited.
    pub fn eval(&mut self, expression: &str) -> Value {
        let parameters = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    /// Asserts that the open page has loaded nothing but itself, and that nothing went wrong in it.
    pub fn assert_quiet(&self, page: &Path) {
        let own = format!("file://{}", page.display());
        for request in self.events("Network.requestWillBeSent") {
            let url = request["request"]["url"].as_str().unwrap();
            assert!(url == own || url.starts_with("data:"), "{own}: {url}");
        }
        for method in ["Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"] {
            assert_eq!(self.events(method), Vec::<&Value>::new(), "{own}");
        }
    }

    /// What was reported since the page was opened, by name.
    pub fn events(&self, method: &str) -> Vec<&Value> {
        self.events.iter().filter(|event| event["method"] == method).map(|event| &event["params"]).collect()
    }

    /// A screen of this width, for a reader who prefers this colour scheme.
    pub fn screen(&mut self, width: u32, scheme: &str) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.call("Emulation.setEmulatedMedia", features);
    }

    pub fn scripts(&mut self, enabled: bool) {
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": !enabled }));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
