//! Commands to a browser over a pipe, and its answers.
//!
//! Source: the protocol of Chromium's developer tools; each message is JSON and ends with a zero byte.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use serde_json::{Value, json};

use super::{SERVER, Scripts};
use crate::Error;

/// A browser that takes commands.
pub(super) struct Session<W> {
    commands: W,
    messages: Receiver<Value>,
    deadline: Instant,
    last_id: u64,
    /// The page that commands are for, once there is one.
    page: Option<Value>,
    /// Whether a page was loaded since it was last asked for.
    is_loaded: bool,
}

impl<W: Write> Session<W> {
    /// A session that ends at the deadline, over the two ends of a browser's pipe.
    pub(super) fn new(commands: W, answers: impl Read + Send + 'static, deadline: Instant) -> Self {
        let (sender, messages) = mpsc::channel();
        // It ends with the browser, which closes its end of the pipe.
        std::thread::spawn(move || {
            for message in BufReader::new(answers).split(0).map_while(Result::ok) {
                let Ok(message) = serde_json::from_slice(&message) else {
                    return;
                };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            commands,
            messages,
            deadline,
            last_id: 0,
            page: None,
            is_loaded: false,
        }
    }

    /// Opens a page, waits until it is loaded, and gives its document; `None` when the browser ended or took too long.
    pub(super) fn document(&mut self, url: &str, scripts: Scripts) -> Result<Option<String>, Error> {
        let Some(target) = self.call("Target.createTarget", &json!({"url": "about:blank"}))? else {
            return Ok(None);
        };
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let Some(attached) = self.call("Target.attachToTarget", &attach)? else {
            return Ok(None);
        };
        self.page = Some(attached["sessionId"].clone());
        let are_off = json!({"value": scripts == Scripts::Off});
        self.call("Page.enable", &json!({}))?;
        self.call("Emulation.setScriptExecutionDisabled", &are_off)?;
        self.is_loaded = false;
        self.call("Page.navigate", &json!({ "url": url }))?;
        // The event may come before the answer.
        if !self.is_loaded && self.wait(is_load).is_none() {
            return Ok(None);
        }
        let root = self.call("DOM.getDocument", &json!({"depth": 0}))?;
        let Some(root) = root else { return Ok(None) };
        let html = self.call("DOM.getOuterHTML", &json!({"nodeId": root["root"]["nodeId"]}))?;
        Ok(html.and_then(|html| html["outerHTML"].as_str().map(str::to_owned)))
    }

    /// Asks the browser to end.
    pub(super) fn close(&mut self) -> Result<(), Error> {
        self.page = None;
        self.call("Browser.close", &json!({})).map(drop)
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Result<Option<Value>, Error> {
        self.last_id += 1;
        let id = self.last_id;
        let mut command = json!({"id": id, "method": method, "params": parameters});
        if let Some(page) = &self.page {
            command["sessionId"] = page.clone();
        }
        let line = format!("{command}\0");
        self.commands
            .write_all(line.as_bytes())
            .map_err(Error::io("write to", Path::new(SERVER)))?;
        Ok(self
            .wait(|message| message["id"] == id)
            .map(|mut answer| answer["result"].take()))
    }

    fn wait(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Option<Value> {
        loop {
            let left = self.deadline.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).ok()?;
            self.is_loaded |= is_load(&message);
            if is_wanted(&message) {
                return Some(message);
            }
        }
    }
}

fn is_load(message: &Value) -> bool {
    message["method"] == "Page.loadEventFired"
}
