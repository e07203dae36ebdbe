//! What a command line does, as far as its words say it for sure. Unknown stays unknown; it is never called safe.

pub(crate) mod place;
mod program;

use std::collections::BTreeSet;

use countersign_rules::command::scan::{Line, Look, Segment, Shape, Token};
use place::{Cwd, Place};
use program::Role;

/// Something found out about a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Finding {
    /// It deletes files; the paths as far as they are known.
    Deletes {
        /// As written.
        paths: Vec<String>,
        /// Whether one of them is outside the workspace.
        place: Place,
    },
    /// A path outside the workspace goes to a program that writes.
    Outside {
        /// As written.
        path: String,
    },
    /// It overwrites or deletes a remote branch.
    OverwritesRemote,
    /// It throws local changes away.
    DiscardsChanges,
    /// What is downloaded is executed.
    DownloadsIntoShell,
    /// It runs as root.
    Root,
    /// It writes to a device or makes a file system.
    Disk,
    /// It turns the machine off.
    Power,
    /// It opens files to everybody.
    OpensToEverybody,
    /// It talks to a host.
    TalksTo {
        /// As written.
        host: String,
    },
}

impl Finding {
    /// Whether it is a reason to be careful.
    pub(crate) fn is_danger(&self) -> bool {
        match self {
            Self::TalksTo { host } => !host.is_ascii(),
            Self::Deletes { .. }
            | Self::Outside { .. }
            | Self::OverwritesRemote
            | Self::DiscardsChanges
            | Self::DownloadsIntoShell
            | Self::Root
            | Self::Disk
            | Self::Power
            | Self::OpensToEverybody => true,
        }
    }
}

/// What was found, and which tokens of each part it stands in.
pub(crate) struct Judged {
    pub(crate) risks: Vec<BTreeSet<usize>>,
    pub(crate) findings: Vec<Finding>,
}

/// Judges a command line that was taken apart. `folder` is the workspace, for absolute paths.
pub(crate) fn judge(line: &Line<'_>, folder: &str) -> Judged {
    let mut judge = Judge { cwd: Cwd::at(folder), downloads: false, findings: Vec::new(), risks: BTreeSet::new() };
    let mut risks = Vec::new();
    for segment in &line.segments {
        if !matches!(segment.operator, "|" | "|&") {
            judge.downloads = false;
        }
        judge.segment(segment);
        risks.push(std::mem::take(&mut judge.risks));
    }
    Judged { risks, findings: judge.findings }
}

/// What can be said about a text that couldn't be taken apart: words of high risk wherever they stand. May say too
/// much, which costs a second look.
pub(crate) fn guess(text: &str) -> Vec<Finding> {
    let is_border = |letter: char| letter.is_whitespace() || ";|&()<>{}\"'`$\\,".contains(letter);
    let words: Vec<&str> = text.split(is_border).filter(|word| !word.is_empty()).collect();
    let mut findings = Vec::new();
    let mut loads = false;
    let mut executes = false;
    for (index, word) in words.iter().enumerate() {
        let rest: Vec<&str> = words.iter().skip(index + 1).take(16).copied().collect();
        let name = program::name(word);
        let is_argument_word = !matches!(name, "dd") || rest.iter().any(|word| word.starts_with("of="));
        match program::role(name) {
            Role::Root => add(&mut findings, Finding::Root),
            Role::Delete => add(&mut findings, Finding::Deletes { paths: Vec::new(), place: Place::Inside }),
            Role::Download => loads = true,
            Role::Shell | Role::Interpreter | Role::Eval => executes = true,
            Role::Disk if is_argument_word => add(&mut findings, Finding::Disk),
            Role::Power => add(&mut findings, Finding::Power),
            Role::Git | Role::Chmod | Role::Find => {
                for finding in program::by_arguments(name, &rest).findings {
                    add(&mut findings, finding);
                }
            }
            Role::Disk | Role::Wrapper | Role::Remote | Role::Writer | Role::ChangeFolder | Role::Other => {}
        }
        if let Some(host) = place::host(word) {
            add(&mut findings, Finding::TalksTo { host: host.to_owned() });
        }
    }
    if loads && executes {
        add(&mut findings, Finding::DownloadsIntoShell);
    }
    findings
}

fn add(findings: &mut Vec<Finding>, finding: Finding) {
    if findings.contains(&finding) {
        return;
    }
    if let Finding::Deletes { paths, place } = &finding
        && let Some(Finding::Deletes { paths: all, place: worst }) =
            findings.iter_mut().find(|one| matches!(one, Finding::Deletes { .. }))
    {
        all.extend(paths.iter().cloned());
        *worst = (*worst).max(*place);
        return;
    }
    findings.push(finding);
}

struct Judge {
    cwd: Cwd,
    /// Whether something earlier in this pipeline downloads.
    downloads: bool,
    findings: Vec<Finding>,
    risks: BTreeSet<usize>,
}

impl Judge {
    fn found(&mut self, finding: Finding, tokens: impl IntoIterator<Item = usize>) {
        if finding.is_danger() {
            self.risks.extend(tokens);
        }
        add(&mut self.findings, finding);
    }

    fn segment(&mut self, segment: &Segment<'_>) {
        let mut sign = "";
        for (index, token) in segment.tokens.iter().enumerate() {
            match token.shape {
                Shape::Redirect => sign = token.source,
                Shape::Target => self.target(sign, index, token),
                Shape::Blank | Shape::Comment | Shape::Word | Shape::Assignment => {}
            }
            if token.look == Look::Dynamic && token.source.contains("$(") {
                for finding in guess(token.source) {
                    self.found(finding, [index]);
                }
            }
            if let Some(host) = place::host(&token.value).filter(|_| token.shape != Shape::Comment) {
                self.found(Finding::TalksTo { host: host.to_owned() }, [index]);
            }
        }
        let words: Vec<(usize, &Token<'_>)> = segment
            .tokens
            .iter()
            .enumerate()
            .filter(|(_, token)| token.shape == Shape::Word && token.value != "!")
            .collect();
        self.command(&words);
    }

    fn target(&mut self, sign: &str, index: usize, token: &Token<'_>) {
        if !sign.contains('>')
            || (sign.ends_with('&') && token.value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
        {
            return;
        }
        if let Some(device) = token.value.strip_prefix("/dev/") {
            if !matches!(device, "null" | "stdout" | "stderr" | "tty") && !device.starts_with("fd/") {
                self.found(Finding::Disk, [index]);
            }
        } else if self.cwd.place(&token.value) == Place::Outside {
            self.found(Finding::Outside { path: token.value.clone() }, [index]);
        }
    }

    /// A program with its words, wrappers taken off from the front.
    fn command(&mut self, words: &[(usize, &Token<'_>)]) {
        let mut words = words;
        while let [(index, first), arguments @ ..] = words {
            let name = program::name(&first.value);
            let role = program::role(name);
            match role {
                Role::Root => self.found(Finding::Root, [*index]),
                Role::Wrapper => {}
                Role::Delete
                | Role::Download
                | Role::Shell
                | Role::Interpreter
                | Role::Eval
                | Role::Disk
                | Role::Power
                | Role::Git
                | Role::Chmod
                | Role::Find
                | Role::Remote
                | Role::Writer
                | Role::ChangeFolder
                | Role::Other => return self.program(role, *index, name, arguments),
            }
            let values: Vec<&str> = arguments.iter().map(|(_, token)| token.value.as_str()).collect();
            // `env -S 'rm -rf x'` and the like hold a whole command line in one word.
            if let Some((place, token)) = arguments.iter().find(|(_, token)| token.value.contains(char::is_whitespace))
            {
                for finding in guess(&token.value) {
                    self.found(finding, [*index, *place]);
                }
            }
            words = arguments.get(program::options_of(name, &values)..).unwrap_or_default();
        }
    }

    fn program(&mut self, role: Role, index: usize, name: &str, arguments: &[(usize, &Token<'_>)]) {
        let values: Vec<&str> = arguments.iter().map(|(_, token)| token.value.as_str()).collect();
        match role {
            Role::Delete => {
                let paths: Vec<String> =
                    values.iter().filter(|value| !value.starts_with('-')).map(|value| (*value).to_owned()).collect();
                let place = paths.iter().map(|path| self.cwd.place(path)).max().unwrap_or(Place::Inside);
                let flags = arguments.iter().filter(|(_, token)| token.value.starts_with('-')).map(|(index, _)| *index);
                let outside = arguments.iter().filter(|(_, token)| self.cwd.place(&token.value) == Place::Outside);
                let tokens: Vec<usize> =
                    std::iter::once(index).chain(flags).chain(outside.map(|(index, _)| *index)).collect();
                self.found(Finding::Deletes { paths, place }, tokens);
            }
            Role::Download => self.downloads = true,
            Role::Shell | Role::Interpreter if self.downloads => self.found(Finding::DownloadsIntoShell, [index]),
            Role::Shell | Role::Eval => self.inner(index, arguments, "sh "),
            Role::Remote => {
                self.inner(index, arguments, "");
                if let Some(host) = values.iter().find(|value| !value.starts_with('-')) {
                    let host = host.rsplit_once('@').map_or(*host, |(_, host)| host);
                    let host = host.split_once(':').map_or(host, |(host, _)| host);
                    self.found(Finding::TalksTo { host: host.to_owned() }, [index]);
                }
            }
            Role::Find => {
                self.by_arguments(index, name, arguments, &values);
                if values.iter().any(|value| value.starts_with("-exec") || value.starts_with("-ok")) {
                    self.inner(index, arguments, "");
                }
            }
            Role::Disk => self.found(Finding::Disk, [index]),
            Role::Power => self.found(Finding::Power, [index]),
            Role::Chmod => {
                self.by_arguments(index, name, arguments, &values);
                self.writes(arguments);
            }
            Role::Git => self.by_arguments(index, name, arguments, &values),
            Role::Writer => self.writes(arguments),
            Role::ChangeFolder => self.cwd.go(values.first().copied().unwrap_or("~")),
            Role::Interpreter | Role::Root | Role::Wrapper | Role::Other => {}
        }
    }

    fn by_arguments(&mut self, index: usize, name: &str, arguments: &[(usize, &Token<'_>)], values: &[&str]) {
        let found = program::by_arguments(name, values);
        let words = found.words.iter().filter_map(|place| arguments.get(*place)).map(|(index, _)| *index);
        let tokens: Vec<usize> = std::iter::once(index).chain(words).collect();
        for finding in found.findings {
            self.found(finding, tokens.iter().copied());
        }
    }

    /// Words that are a command themselves.
    fn inner(&mut self, index: usize, arguments: &[(usize, &Token<'_>)], before: &str) {
        for (place, token) in arguments {
            for finding in guess(&format!("{before}{}", token.value)) {
                self.found(finding, [index, *place]);
            }
        }
        let all: Vec<&str> = arguments.iter().map(|(_, token)| token.value.as_str()).collect();
        for finding in guess(&format!("{before}{}", all.join(" "))) {
            if !self.findings.contains(&finding) {
                self.found(finding, [index]);
            }
        }
    }

    fn writes(&mut self, arguments: &[(usize, &Token<'_>)]) {
        for (index, token) in arguments {
            let goes_nowhere = matches!(token.value.as_str(), "/dev/null" | "/dev/stdout" | "/dev/stderr");
            if !token.value.starts_with('-') && !goes_nowhere && self.cwd.place(&token.value) == Place::Outside {
                self.found(Finding::Outside { path: token.value.clone() }, [*index]);
            }
        }
    }
}
