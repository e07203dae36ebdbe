//! Programs that rules must know: those that start other programs, those that run what they are given, those that fetch.

/// Programs whose arguments are, or hold, another command.
const STARTERS: &[&str] = &[
    ".",
    "alias",
    "at",
    "batch",
    "builtin",
    "busybox",
    "bwrap",
    "chroot",
    "chrt",
    "command",
    "crontab",
    "doas",
    "docker",
    "entr",
    "env",
    "eval",
    "exec",
    "expect",
    "fd",
    "find",
    "firejail",
    "flatpak",
    "flock",
    "gdb",
    "ionice",
    "kubectl",
    "ltrace",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "podman",
    "rlwrap",
    "run0",
    "screen",
    "script",
    "setpriv",
    "setsid",
    "sg",
    "source",
    "ssh",
    "start-stop-daemon",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "unshare",
    "watch",
    "xargs",
    "xvfb-run",
];

/// Shells: what they are given runs.
const SHELLS: &[&str] =
    &["ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "sh", "tcsh", "zsh"];

/// Interpreters: what they are given runs, in another language.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bun",
    "deno",
    "gawk",
    "lua",
    "mawk",
    "node",
    "osascript",
    "perl",
    "php",
    "pypy",
    "pypy3",
    "python",
    "python2",
    "python3",
    "ruby",
    "tclsh",
];

/// Programs that fetch something from elsewhere.
const FETCHERS: &[&str] =
    &["aria2c", "curl", "fetch", "ftp", "http", "https", "lynx", "nc", "ncat", "scp", "w3m", "wget", "xh"];

/// Programs that add words of their own input to a command.
const ADDERS: &[&str] = &["parallel", "xargs"];

/// The name of a program without its folder.
pub(super) fn bare(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Whether it is a shell.
pub(super) fn is_shell(program: &str) -> bool {
    is_in(SHELLS, program)
}

/// Whether what it is given runs.
pub(super) fn runs_what_it_gets(program: &str) -> bool {
    is_shell(program) || is_interpreter(program)
}

/// Whether it is an interpreter of another language, also one with its version in its name.
pub(super) fn is_interpreter(program: &str) -> bool {
    let name = bare(program).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    is_in(INTERPRETERS, program) || is_in(INTERPRETERS, name)
}

/// Whether it fetches.
pub(super) fn fetches(program: &str) -> bool {
    is_in(FETCHERS, program)
}

/// Whether it adds words to the command that it starts.
pub(super) fn adds(program: &str) -> bool {
    is_in(ADDERS, program)
}

/// Whether it starts other programs that its arguments name.
pub(super) fn is_starter(program: &str) -> bool {
    is_in(STARTERS, program)
}

/// Whether these first words let anything run: a program that starts others, a shell, or an interpreter without the name of what it
/// runs. Then an approval that goes by first words would approve everything.
pub fn starts_others(words: &[String]) -> bool {
    let Some(program) = words.first() else { return true };
    if is_starter(program) || is_shell(program) {
        return true;
    }
    is_interpreter(program) && words.get(1).is_none_or(|second| second.starts_with('-'))
}

fn is_in(list: &[&str], program: &str) -> bool {
    let name = bare(program);
    list.iter().any(|one| one.eq_ignore_ascii_case(name))
}
