//! Programs that run code from their arguments, and programs that start others.

/// A program that runs text as code.
pub(super) struct Interpreter {
    /// Its names, without version.
    pub(super) names: &'static [&'static str],
    /// The letters after one dash that make it run the next argument.
    pub(super) letters: &'static str,
    /// Long flags and subcommands that do the same.
    pub(super) words: &'static [&'static str],
    /// Flags whose value is the next word, which is not a script then.
    pub(super) with_value: &'static [&'static str],
}

pub(super) const SHELLS: Interpreter = Interpreter {
    names: &["sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "csh", "tcsh"],
    letters: "c",
    words: &["--command", "--init-command"],
    with_value: &["-o", "+o", "-O", "+O", "--rcfile", "--init-file"],
};

pub(super) const INTERPRETERS: [Interpreter; 10] = [
    SHELLS,
    Interpreter {
        names: &["pwsh", "powershell"],
        letters: "cCeE",
        words: &["-command", "-encodedcommand"],
        with_value: &["-ExecutionPolicy", "-WorkingDirectory"],
    },
    Interpreter {
        names: &["python", "pypy", "ipython"],
        letters: "c",
        words: &[],
        with_value: &["-W", "-X", "-Q"],
    },
    Interpreter {
        names: &["perl", "ruby"],
        letters: "eE",
        words: &[],
        with_value: &["-I", "-r", "-C", "-M", "-x"],
    },
    Interpreter {
        names: &["node", "nodejs", "bun"],
        letters: "ep",
        words: &["--eval", "--print"],
        with_value: &["-r", "--require", "--import"],
    },
    Interpreter { names: &["deno"], letters: "", words: &["eval", "repl"], with_value: &[] },
    Interpreter {
        names: &["php"],
        letters: "rRBE",
        words: &["--run", "--process-code"],
        with_value: &["-d", "-c"],
    },
    Interpreter {
        names: &["lua", "luajit", "osascript", "ghc", "elixir", "julia", "groovy", "scala"],
        letters: "e",
        words: &["--eval", "--expression"],
        with_value: &["-l"],
    },
    Interpreter {
        names: &["Rscript", "R", "littler"],
        letters: "e",
        words: &[],
        with_value: &["-g"],
    },
    Interpreter { names: &["tclsh", "expect"], letters: "c", words: &[], with_value: &[] },
];

/// A program of which some arguments are code, or name a file or a program that it runs.
pub(super) struct CodeTaker {
    pub(super) names: &'static [&'static str],
    /// The flags whose values those are.
    pub(super) flags: &'static [&'static str],
    /// Whether its first argument that is no flag is one, too.
    pub(super) takes_first: bool,
    /// The flags and subcommands that the name of a file with code follows.
    pub(super) before_file: &'static [&'static str],
}

pub(super) const CODE_TAKERS: [CodeTaker; 16] = [
    CodeTaker {
        names: &["awk", "gawk", "mawk", "nawk"],
        flags: &["-f", "--file", "-e", "--source", "-i", "--include", "-l", "--load"],
        takes_first: true,
        before_file: &["-f", "--file", "-E"],
    },
    // `e` in a script runs a command.
    CodeTaker {
        names: &["sed", "gsed"],
        flags: &["-e", "--expression", "-f", "--file"],
        takes_first: true,
        before_file: &[],
    },
    CodeTaker {
        names: &["make", "gmake"],
        flags: &["-f", "--file", "--makefile", "--eval", "-I", "-C", "--directory"],
        takes_first: false,
        before_file: &["-f", "--file", "--makefile"],
    },
    CodeTaker {
        names: &["git"],
        flags: &["-c", "--config-env", "--exec-path", "--upload-pack", "--receive-pack", "--exec"],
        takes_first: false,
        before_file: &[],
    },
    CodeTaker {
        names: &["gdb", "lldb"],
        flags: &["-ex", "-iex", "-x", "-ix", "--eval-command", "--command", "-o", "-s"],
        takes_first: true,
        before_file: &[],
    },
    CodeTaker {
        names: &["vi", "vim", "nvim", "ex", "view"],
        flags: &["-c", "--cmd", "-S", "-s", "-u"],
        takes_first: false,
        before_file: &[],
    },
    // Commands such as `.shell`, `\\!` and `system` run programs.
    CodeTaker {
        names: &["sqlite"],
        flags: &["-cmd", "-init"],
        takes_first: true,
        before_file: &[],
    },
    CodeTaker {
        names: &["psql", "mysql", "mariadb"],
        flags: &["-c", "--command", "-f", "--file", "-e", "--execute"],
        takes_first: false,
        before_file: &[],
    },
    CodeTaker {
        names: &["ssh", "scp", "sftp"],
        flags: &["-o", "-F", "-S", "-D"],
        takes_first: true,
        before_file: &[],
    },
    CodeTaker {
        names: &["rsync"],
        flags: &["-e", "--rsh", "--rsync-path"],
        takes_first: false,
        before_file: &[],
    },
    CodeTaker {
        names: &["npm", "pnpm", "yarn", "uvx", "pipx"],
        flags: &["-c", "--call", "--node-options", "--script-shell"],
        takes_first: true,
        before_file: &[],
    },
    CodeTaker {
        names: &["npx", "uv"],
        flags: &["-c", "--call", "--node-options", "--script-shell"],
        takes_first: true,
        before_file: &["run"],
    },
    CodeTaker {
        names: &["java"],
        flags: &["-jar", "-cp", "-classpath", "--class-path"],
        takes_first: false,
        before_file: &["-jar"],
    },
    CodeTaker {
        names: &["zip"],
        flags: &["-TT", "--unzip-command"],
        takes_first: false,
        before_file: &[],
    },
    CodeTaker {
        names: &["tar", "bsdtar"],
        flags: &["--to-command", "--checkpoint-action", "-I", "--use-compress-program", "-F"],
        takes_first: false,
        before_file: &[],
    },
    CodeTaker {
        names: &["ld.so", "ld-linux-x86-64.so", "ld-linux.so", "ld-linux-aarch64.so"],
        flags: &["--preload", "--library-path", "--audit"],
        takes_first: true,
        before_file: &[],
    },
];

/// Programs that start the program that their arguments name.
pub(super) const WRAPPERS: [&str; 42] = [
    "linux",
    "i386",
    "x86_64",
    "fakeroot",
    "eatmydata",
    "numactl",
    "env",
    "timeout",
    "nice",
    "nohup",
    "setsid",
    "stdbuf",
    "ionice",
    "chrt",
    "taskset",
    "time",
    "xargs",
    "parallel",
    "sudo",
    "doas",
    "su",
    "runuser",
    "unshare",
    "nsenter",
    "chroot",
    "flock",
    "watch",
    "find",
    "busybox",
    "toybox",
    "exec",
    "command",
    "strace",
    "ltrace",
    "script",
    "prlimit",
    "setpriv",
    "setarch",
    "systemd-run",
    "entr",
    "unbuffer",
    "catchsegv",
];

/// Flags of wrappers that take no value, so that the next word is their program.
pub(super) const PLAIN_FLAGS: [&str; 22] = [
    "--",
    "-0",
    "-r",
    "-t",
    "-p",
    "-x",
    "--null",
    "--no-run-if-empty",
    "--verbose",
    "-i",
    "--ignore-environment",
    "--foreground",
    "--preserve-status",
    "-v",
    "-E",
    "-H",
    "-c",
    "-f",
    "-w",
    "--fork",
    "--wait",
    "-b",
];
