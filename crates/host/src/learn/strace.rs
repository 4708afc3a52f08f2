//! Parses the output of `strace -f -y` into the files and sockets that a program used. Does no I/O.
//!
//! Only accesses that the sandbox restricts count: files opened, run, created or changed, and
//! sockets to other machines or daemons. Reading metadata is always allowed, and a failed system
//! call had no effect.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Component, Path, PathBuf},
};

/// The files and sockets that a program used.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Accesses {
    pub(super) read: BTreeSet<PathBuf>,
    pub(super) written: BTreeSet<PathBuf>,
    /// Whether it had a socket to another machine or was connected to a daemon.
    pub(super) network: bool,
}

/// Parses the trace of a program that started in `folder`.
pub(super) fn parse(trace: &str, folder: &Path) -> Accesses {
    let mut parser = Parser {
        accesses: Accesses::default(),
        folders: HashMap::new(),
        unfinished: HashMap::new(),
        last_folder: folder.to_owned(),
    };
    trace.lines().for_each(|line| parser.parse_line(line));
    parser.accesses
}

struct Parser<'t> {
    accesses: Accesses,
    /// The current folder of each process.
    folders: HashMap<&'t str, PathBuf>,
    /// The first halves of calls that lines of other processes interrupt, by process.
    unfinished: HashMap<&'t str, &'t str>,
    /// The folder of the previous line's process. A process that was not seen before starts there:
    /// it is most likely a child of that process.
    last_folder: PathBuf,
}

/// One completed system call.
struct SystemCall<'t> {
    name: &'t str,
    arguments: Vec<&'t str>,
    result: &'t str,
}

/// The index of a path argument, and of the descriptor argument that it is relative to.
#[derive(Clone, Copy)]
struct PathArgument {
    folder: Option<usize>,
    path: usize,
}

const fn at(folder: usize, path: usize) -> PathArgument {
    PathArgument { folder: Some(folder), path }
}

const fn plain(path: usize) -> PathArgument {
    PathArgument { folder: None, path }
}

impl<'t> Parser<'t> {
    fn parse_line(&mut self, line: &'t str) {
        let Some((process, text)) = line.split_once(' ') else {
            return;
        };
        let text = text.trim_start();
        // With several processes strace splits a call that another line interrupts.
        if let Some(half) = text.strip_suffix("<unfinished ...>") {
            self.unfinished.insert(process, half.trim_end());
        } else if let Some((_, rest)) =
            text.strip_prefix("<... ").and_then(|text| text.split_once(" resumed>"))
        {
            let whole = format!("{}{rest}", self.unfinished.remove(process).unwrap_or_default());
            self.parse_call(process, &whole);
        } else {
            self.parse_call(process, text);
        }
    }

    fn parse_call(&mut self, process: &'t str, text: &str) {
        let Some(call) = split_call(text) else { return };
        if !self.folders.contains_key(process) {
            self.folders.insert(process, self.last_folder.clone());
        }
        // `-1` is an error; `?` is a call that never returned, such as `exit_group`.
        if !call.result.starts_with('-') && !call.result.starts_with('?') {
            self.record(process, &call);
        }
        self.last_folder.clone_from(&self.folders[process]);
    }

    /// Records a successful call.
    fn record(&mut self, process: &'t str, call: &SystemCall<'_>) {
        let (read, written): (&[PathArgument], &[PathArgument]) = match call.name {
            "open" | "openat" | "openat2" => return self.record_open(process, call),
            "chdir" => return self.change_folder(process, call, plain(0)),
            "fchdir" => {
                return drop(
                    descriptor_path(call.arguments.first())
                        .map(|folder| self.folders.insert(process, folder)),
                );
            }
            "socket" => {
                return self.accesses.network |=
                    call.arguments.first().is_some_and(|family| is_external(family));
            }
            // Local sockets too: a daemon such as Docker's gives more access than the network.
            "connect" => return self.accesses.network = true,
            "execve" => (&[plain(0)], &[]),
            "execveat" => (&[at(0, 1)], &[]),
            "creat" | "mkdir" | "rmdir" | "unlink" | "mknod" | "truncate" | "chmod" | "chown"
            | "lchown" | "utime" | "utimes" | "setxattr" | "lsetxattr" | "removexattr"
            | "lremovexattr" => (&[], &[plain(0)]),
            "mkdirat" | "unlinkat" | "mknodat" | "fchmodat" | "fchmodat2" | "fchownat"
            | "utimensat" | "futimesat" => (&[], &[at(0, 1)]),
            "rename" => (&[], &[plain(0), plain(1)]),
            "renameat" | "renameat2" => (&[], &[at(0, 1), at(2, 3)]),
            // The new name counts as written, the old one only as read.
            "link" => (&[plain(0)], &[plain(1)]),
            "linkat" => (&[at(0, 1)], &[at(2, 3)]),
            "symlink" => (&[], &[plain(1)]),
            "symlinkat" => (&[], &[at(1, 2)]),
            _ => return,
        };
        let read: Vec<_> =
            read.iter().filter_map(|argument| self.path(process, call, *argument)).collect();
        let written: Vec<_> =
            written.iter().filter_map(|argument| self.path(process, call, *argument)).collect();
        self.accesses.read.extend(read);
        self.accesses.written.extend(written);
    }

    fn record_open(&mut self, process: &str, call: &SystemCall<'_>) {
        let argument = if call.name == "open" { plain(0) } else { at(0, 1) };
        let flags = call.arguments.get(argument.path + 1).copied().unwrap_or_default();
        // The result names the file after following links.
        let path =
            descriptor_path(Some(&call.result)).or_else(|| self.path(process, call, argument));
        // Such a descriptor gives no access to the content.
        let Some(path) = path.filter(|_| !flags.contains("O_PATH")) else {
            return;
        };
        if ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| flags.contains(flag)) {
            self.accesses.written.insert(path.clone());
        }
        if !flags.contains("O_WRONLY") {
            self.accesses.read.insert(path);
        }
    }

    fn change_folder(&mut self, process: &'t str, call: &SystemCall<'_>, argument: PathArgument) {
        if let Some(folder) = self.path(process, call, argument) {
            self.folders.insert(process, folder);
        }
    }

    /// The path of an argument. If it is `NULL`, the descriptor before it is the file itself.
    fn path(
        &self,
        process: &str,
        call: &SystemCall<'_>,
        argument: PathArgument,
    ) -> Option<PathBuf> {
        let descriptor =
            argument.folder.and_then(|folder| descriptor_path(call.arguments.get(folder)));
        let folder = descriptor.or_else(|| self.folders.get(process).cloned())?;
        match call.arguments.get(argument.path)?.strip_prefix('"') {
            Some(text) => Some(normalize(&folder.join(unescape(text.strip_suffix('"')?)))),
            None => Some(folder),
        }
    }
}

/// Whether sockets of this family reach other machines. Local ones count when they are connected.
fn is_external(family: &str) -> bool {
    !matches!(family, "AF_UNIX" | "AF_LOCAL" | "AF_NETLINK" | "AF_ALG")
}

/// The path that `-y` adds to a descriptor: `3</some/path>`.
fn descriptor_path(argument: Option<&&str>) -> Option<PathBuf> {
    let (_, rest) = argument?.split_once('<')?;
    let path = rest.split_once('>')?.0;
    path.starts_with('/').then(|| PathBuf::from(unescape(path)))
}

/// Splits `name(arguments) = result`.
fn split_call(text: &str) -> Option<SystemCall<'_>> {
    let (name, rest) = text.split_once('(')?;
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let (mut arguments, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (index, c) in rest.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            ')' if depth == 0 => {
                arguments.push(rest[start..index].trim());
                let result = rest[index + 1..].trim_start().strip_prefix('=')?.trim();
                return Some(SystemCall { name, arguments, result });
            }
            // `-y` writes paths in angle brackets, which may contain commas.
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                arguments.push(rest[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    None
}

/// Decodes the C escapes of a string.
fn unescape(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = tail.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        if octal > 0 {
            bytes.push(
                tail[..octal]
                    .iter()
                    // Three octal digits can exceed a byte; strace never writes such, so wrapping
                    // is enough.
                    .fold(0, |value: u8, digit| value.wrapping_mul(8).wrapping_add(digit - b'0')),
            );
            rest = &tail[octal..];
        } else if let Some((&letter, tail)) = tail.split_first() {
            bytes.push(match letter {
                b'n' => b'\n',
                b't' => b'\t',
                b'r' => b'\r',
                b'v' => 11,
                b'f' => 12,
                other => other,
            });
            rest = tail;
        }
    }
    OsString::from_vec(bytes)
}

/// Removes `.` and `..` lexically. Links are not followed here: the caller resolves them on disk.
fn normalize(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = normal.pop(),
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Accesses, parse};

    fn accesses(trace: &str) -> Accesses {
        parse(trace, Path::new("/crib"))
    }

    fn set(paths: &[&str]) -> std::collections::BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn distinguishes_reading_from_writing() {
        let found = accesses(
            "7 execve(\"/usr/bin/cp\", [\"cp\", \"a, b\", \"c\"], 0x7f /* 35 vars */) = 0\n\
             7 openat(AT_FDCWD</crib>, \"a, b\", O_RDONLY) = 3</crib/a, b>\n\
             7 openat(AT_FDCWD</crib>, \"c\", O_WRONLY|O_CREAT|O_EXCL, 0644) = 4</crib/c>\n\
             7 openat(AT_FDCWD</crib>, \"both\", O_RDWR)   = 5</crib/both>\n\
             7 openat(AT_FDCWD</crib>, \"only\", O_RDONLY|O_PATH) = 5</crib/only>\n\
             7 openat2(AT_FDCWD</crib>, \"two\", {flags=O_RDONLY|O_CLOEXEC, resolve=0}, 24) = 5</crib/two>\n",
        );
        assert_eq!(found.read, set(&["/usr/bin/cp", "/crib/a, b", "/crib/both", "/crib/two"]));
        assert_eq!(found.written, set(&["/crib/c", "/crib/both"]));
        assert!(!found.network);
    }

    #[test]
    fn records_the_target_of_a_link() {
        assert_eq!(
            accesses("7 open(\"link\", O_RDONLY) = 3</crib/target>\n").read,
            set(&["/crib/target"])
        );
    }

    #[test]
    fn ignores_failed_calls_and_metadata() {
        let trace = "7 openat(AT_FDCWD</crib>, \"gone\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
             7 newfstatat(AT_FDCWD</crib>, \"seen\", {st_mode=S_IFREG|0644, st_size=3, ...}, 0) = 0\n\
             7 access(\"seen\", R_OK)                 = 0\n\
             7 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n\
             7 mkdir(\"there\", 0777)                 = -1 EEXIST (File exists)\n\
             7 +++ exited with 0 +++\n\n7\nnonsense (\n";
        assert_eq!(accesses(trace), Accesses::default());
    }

    #[test]
    fn tracks_the_folder_of_each_process() {
        let found = accesses(
            "7 chdir(\"inner\")                      = 0\n\
             8 mkdir(\"new\", 0777)                   = 0\n\
             8 chdir(\"new\")                         = 0\n\
             7 unlink(\"../old\")                     = 0\n\
             8 fchdir(3</elsewhere>)                = 0\n\
             8 rename(\"a\", \"/b\")                    = 0\n\
             9 unlinkat(5</far>, \"x\", 0)            = 0\n\
             9 utimensat(5</far/y>, NULL, NULL, 0)  = 0\n",
        );
        assert_eq!(
            found.written,
            set(&["/crib/inner/new", "/crib/old", "/elsewhere/a", "/b", "/far/x", "/far/y"])
        );
        assert_eq!(found.read, set(&[]));
    }

    #[test]
    fn joins_interrupted_calls() {
        let found = accesses(
            "7 openat(AT_FDCWD</crib>, \"one\", O_RDONLY <unfinished ...>\n\
             8 openat(AT_FDCWD</crib>, \"two\", O_RDONLY) = 3</crib/two>\n\
             7 <... openat resumed>)             = 3</crib/one>\n",
        );
        assert_eq!(found.read, set(&["/crib/one", "/crib/two"]));
    }

    #[test]
    fn decodes_escaped_names() {
        let found = accesses(
            "7 openat(AT_FDCWD</crib>, \"\\303\\251\", O_WRONLY|O_CREAT, 0666) = 3</crib/\\303\\251>\n\
             7 unlink(\"a\\\"b) = 0\\n\\\\\")  = 0\n",
        );
        assert_eq!(found.written, set(&["/crib/é", "/crib/a\"b) = 0\n\\"]));
    }

    #[test]
    fn hard_links_read_their_source() {
        let found = accesses(
            "7 linkat(AT_FDCWD</crib>, \"a\", AT_FDCWD</crib>, \"b\", 0) = 0\n7 symlink(\"/far\", \"c\") = 0\n\
             7 symlinkat(\"/far\", AT_FDCWD</crib>, \"d\") = 0\n7 renameat2(AT_FDCWD</crib>, \"e\", AT_FDCWD</crib>, \"f\", 0) = 0\n",
        );
        assert_eq!(found.read, set(&["/crib/a"]));
        assert_eq!(found.written, set(&["/crib/b", "/crib/c", "/crib/d", "/crib/e", "/crib/f"]));
    }

    #[test]
    fn detects_network_use() {
        assert!(
            accesses("7 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<TCP:[1]>\n")
                .network
        );
        assert!(accesses("7 socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 3<UDPv6:[1]>\n").network);
        assert!(
            accesses("7 connect(3<UNIX:[1]>, {sa_family=AF_UNIX, sun_path=\"/run/d\"}, 110) = 0\n")
                .network
        );
        assert!(!accesses("7 socket(AF_UNIX, SOCK_STREAM, 0) = 3<UNIX:[1]>\n").network);
        assert!(
            !accesses("7 connect(3<UNIX:[1]>, {sa_family=AF_UNIX, sun_path=\"/run/nscd\"}, 110) = -1 ENOENT (No such file)\n")
                .network
        );
        assert!(
            !accesses("7 socket(AF_INET, SOCK_STREAM, 0) = -1 EACCES (Permission denied)\n")
                .network
        );
    }
}
