//! What well-known programs do, and which of their arguments matter.

use super::Finding;
use super::place::Place;

/// What kind of thing a program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Runs what follows as somebody else.
    Root,
    /// Runs what follows.
    Wrapper,
    /// Deletes files.
    Delete,
    /// Fetches from a network.
    Download,
    /// Runs command lines.
    Shell,
    /// Runs programs in a language of its own.
    Interpreter,
    /// Runs its words as a command line.
    Eval,
    /// Writes to devices.
    Disk,
    /// Turns the machine off.
    Power,
    /// Git.
    Git,
    /// Changes permissions.
    Chmod,
    /// Searches files, and can delete or run.
    Find,
    /// Runs something on another machine.
    Remote,
    /// Writes to the paths that it is given.
    Writer,
    /// Changes the folder.
    ChangeFolder,
    /// Anything else.
    Other,
}

/// A program's name without its folder.
pub(super) fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The role of a program.
pub(super) fn role(name: &str) -> Role {
    match name {
        "sudo" | "doas" | "pkexec" | "su" | "run0" => Role::Root,
        "env" | "nohup" | "time" | "nice" | "ionice" | "timeout" | "stdbuf" | "setsid" | "command" | "exec"
        | "builtin" | "xargs" | "busybox" | "chronic" | "unbuffer" => Role::Wrapper,
        "rm" | "rmdir" | "unlink" | "shred" => Role::Delete,
        "curl" | "wget" | "fetch" | "aria2c" => Role::Download,
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "fish" => Role::Shell,
        "python" | "python3" | "perl" | "ruby" | "node" | "php" => Role::Interpreter,
        "eval" | "source" | "parallel" | "watch" => Role::Eval,
        "dd" | "fdisk" | "sfdisk" | "parted" | "wipefs" | "blkdiscard" => Role::Disk,
        "shutdown" | "reboot" | "poweroff" | "halt" => Role::Power,
        "git" => Role::Git,
        "chmod" => Role::Chmod,
        "find" => Role::Find,
        "ssh" | "scp" | "sftp" => Role::Remote,
        "mv" | "cp" | "ln" | "install" | "tee" | "touch" | "mkdir" | "rsync" | "chown" | "chgrp" | "truncate" => {
            Role::Writer
        }
        "cd" | "pushd" => Role::ChangeFolder,
        name if name.starts_with("mkfs") => Role::Disk,
        _ => Role::Other,
    }
}

/// How many words after a wrapper are its own: options with their values, variables, the time of `timeout`.
pub(super) fn options_of(wrapper: &str, arguments: &[&str]) -> usize {
    let with_value: &[&str] = match wrapper {
        "sudo" | "doas" => &["-u", "-g", "-h", "-p", "-C", "-r", "-t", "-D", "-R", "-T", "--user", "--group"],
        "env" => &["-u", "-C", "-S", "--unset", "--chdir"],
        "nice" | "ionice" => &["-n", "-c", "-p"],
        "timeout" => &["-s", "-k", "--signal", "--kill-after"],
        "xargs" => &["-I", "-n", "-P", "-L", "-d", "-a", "-s", "-E"],
        "stdbuf" => &["-i", "-o", "-e"],
        _ => &[],
    };
    let mut count = 0;
    while let Some(word) = arguments.get(count) {
        if with_value.contains(word) {
            count += 2;
        } else if word.starts_with('-') || (word.contains('=') && matches!(wrapper, "env" | "sudo" | "doas")) {
            count += 1;
        } else {
            break;
        }
    }
    if wrapper == "timeout" { count + 1 } else { count }
}

/// What the arguments say, and which of them by their place.
#[derive(Debug, Default)]
pub(super) struct ByArguments {
    pub(super) findings: Vec<Finding>,
    pub(super) words: Vec<usize>,
}

/// Programs that are harmless or not by their arguments.
pub(super) fn by_arguments(name: &str, arguments: &[&str]) -> ByArguments {
    let mut found = ByArguments::default();
    let mut mark = |finding: Finding, is: &dyn Fn(&str) -> bool| {
        let words: Vec<usize> =
            arguments.iter().enumerate().filter(|(_, word)| is(word)).map(|(index, _)| index).collect();
        if !words.is_empty() {
            found.findings.push(finding);
            found.words.extend(words);
        }
    };
    match name {
        "find" => mark(Finding::Deletes { paths: Vec::new(), place: Place::Inside }, &|word| word == "-delete"),
        "chmod" => {
            let is_recursive = arguments.iter().any(|word| *word == "--recursive" || has_flag(word, 'R'));
            if is_recursive {
                mark(Finding::OpensToEverybody, &|word| matches!(word, "777" | "0777" | "a+rwx" | "a=rwx" | "ugo+rwx"));
            }
        }
        "git" => match subcommand(arguments) {
            Some("push") => mark(Finding::OverwritesRemote, &|word| {
                word.starts_with("--force")
                    || matches!(word, "--mirror" | "--delete" | "--prune")
                    || has_flag(word, 'f')
                    || has_flag(word, 'd')
                    || (word.starts_with('+') && word.len() > 1)
                    || (word.starts_with(':') && word.len() > 1)
            }),
            Some("reset") => mark(Finding::DiscardsChanges, &|word| word == "--hard"),
            Some("clean") => mark(Finding::DiscardsChanges, &|word| word == "--force" || has_flag(word, 'f')),
            Some("checkout" | "switch") => {
                mark(Finding::DiscardsChanges, &|word| {
                    matches!(word, "--force" | "--discard-changes") || has_flag(word, 'f')
                });
            }
            Some(_) | None => {}
        },
        _ => {}
    }
    found
}

/// The subcommand behind Git's own options.
fn subcommand<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => {
                words.next();
            }
            option if option.starts_with('-') => {}
            other => return Some(other),
        }
    }
    None
}

/// Whether a word is a group of short flags with this one.
fn has_flag(word: &str, flag: char) -> bool {
    word.strip_prefix('-').is_some_and(|flags| !flags.starts_with('-') && flags.contains(flag))
}
