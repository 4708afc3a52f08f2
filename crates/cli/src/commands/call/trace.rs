//! What a program touched, read from the lines that `strace -f -y` writes. Nothing here looks at the machine.
//!
//! Only what confinement is about counts: files that were opened, run, made or changed, and sockets that lead
//! somewhere. Looking at a file's metadata is always allowed, and a call that failed touched nothing.

use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    os::unix::ffi::OsStringExt,
    path::{Component, Path, PathBuf},
};

/// What a program touched.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Touched {
    pub(super) read: BTreeSet<PathBuf>,
    pub(super) written: BTreeSet<PathBuf>,
    /// Whether it had a socket to another machine or to a daemon.
    pub(super) network: bool,
}

/// Reads a trace of a program that started in `folder`.
pub(super) fn parse(trace: &str, folder: &Path) -> Touched {
    let mut reader = Reader {
        touched: Touched::default(),
        folders: HashMap::new(),
        halves: HashMap::new(),
        last: folder.to_owned(),
    };
    trace.lines().for_each(|line| reader.line(line));
    reader.touched
}

struct Reader<'t> {
    touched: Touched,
    /// The folder that each process is in.
    folders: HashMap<&'t str, PathBuf>,
    /// Calls that were interrupted by another line, by process.
    halves: HashMap<&'t str, &'t str>,
    /// The folder of the last line's process: a new process is mostly a child of it.
    last: PathBuf,
}

/// One system call.
struct Call<'t> {
    name: &'t str,
    arguments: Vec<&'t str>,
    result: &'t str,
}

/// An argument that is a path, and the one that it is relative to.
#[derive(Clone, Copy)]
struct Place {
    folder: Option<usize>,
    path: usize,
}

const fn at(folder: usize, path: usize) -> Place {
    Place { folder: Some(folder), path }
}

const fn plain(path: usize) -> Place {
    Place { folder: None, path }
}

impl<'t> Reader<'t> {
    fn line(&mut self, line: &'t str) {
        let Some((process, text)) = line.split_once(' ') else {
            return;
        };
        let text = text.trim_start();
        if let Some(half) = text.strip_suffix("<unfinished ...>") {
            self.halves.insert(process, half.trim_end());
        } else if let Some((_, rest)) =
            text.strip_prefix("<... ").and_then(|text| text.split_once(" resumed>"))
        {
            let whole = format!("{}{rest}", self.halves.remove(process).unwrap_or_default());
            self.call(process, &whole);
        } else {
            self.call(process, text);
        }
    }

    fn call(&mut self, process: &'t str, text: &str) {
        let Some(call) = split(text) else { return };
        if !self.folders.contains_key(process) {
            self.folders.insert(process, self.last.clone());
        }
        if !call.result.starts_with('-') && !call.result.starts_with('?') {
            self.take(process, &call);
        }
        self.last.clone_from(&self.folders[process]);
    }

    /// Takes down a call that went well.
    fn take(&mut self, process: &'t str, call: &Call<'_>) {
        let (read, written): (&[Place], &[Place]) = match call.name {
            "open" | "openat" | "openat2" => return self.open(process, call),
            "chdir" => return self.enter(process, call, plain(0)),
            "fchdir" => {
                return drop(
                    annotated(call.arguments.first())
                        .map(|folder| self.folders.insert(process, folder)),
                );
            }
            "socket" => {
                return self.touched.network |=
                    call.arguments.first().is_some_and(|family| leads_out(family));
            }
            "connect" => return self.touched.network = true,
            "execve" => (&[plain(0)], &[]),
            "execveat" => (&[at(0, 1)], &[]),
            "creat" | "mkdir" | "rmdir" | "unlink" | "mknod" | "truncate" | "chmod" | "chown"
            | "lchown" | "utime" | "utimes" | "setxattr" | "lsetxattr" | "removexattr"
            | "lremovexattr" => (&[], &[plain(0)]),
            "mkdirat" | "unlinkat" | "mknodat" | "fchmodat" | "fchmodat2" | "fchownat"
            | "utimensat" | "futimesat" => (&[], &[at(0, 1)]),
            "rename" => (&[], &[plain(0), plain(1)]),
            "renameat" | "renameat2" => (&[], &[at(0, 1), at(2, 3)]),
            "link" => (&[plain(0)], &[plain(1)]),
            "linkat" => (&[at(0, 1)], &[at(2, 3)]),
            "symlink" => (&[], &[plain(1)]),
            "symlinkat" => (&[], &[at(1, 2)]),
            _ => return,
        };
        let read: Vec<_> =
            read.iter().filter_map(|place| self.path(process, call, *place)).collect();
        let written: Vec<_> =
            written.iter().filter_map(|place| self.path(process, call, *place)).collect();
        self.touched.read.extend(read);
        self.touched.written.extend(written);
    }

    fn open(&mut self, process: &str, call: &Call<'_>) {
        let place = if call.name == "open" { plain(0) } else { at(0, 1) };
        let flags = call.arguments.get(place.path + 1).copied().unwrap_or_default();
        // The result tells where links led.
        let path = annotated(Some(&call.result)).or_else(|| self.path(process, call, place));
        let Some(path) = path.filter(|_| !flags.contains("O_PATH")) else {
            return;
        };
        if ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| flags.contains(flag)) {
            self.touched.written.insert(path.clone());
        }
        if !flags.contains("O_WRONLY") {
            self.touched.read.insert(path);
        }
    }

    fn enter(&mut self, process: &'t str, call: &Call<'_>, place: Place) {
        if let Some(folder) = self.path(process, call, place) {
            self.folders.insert(process, folder);
        }
    }

    /// The path of an argument; none if it is empty, so that the file descriptor before it is meant.
    fn path(&self, process: &str, call: &Call<'_>, place: Place) -> Option<PathBuf> {
        let descriptor = place.folder.and_then(|folder| annotated(call.arguments.get(folder)));
        let folder = descriptor.or_else(|| self.folders.get(process).cloned())?;
        match call.arguments.get(place.path)?.strip_prefix('"') {
            Some(text) => Some(tidy(&folder.join(unescaped(text.strip_suffix('"')?)))),
            None => Some(folder),
        }
    }
}

/// Families of sockets that lead to other machines. Local ones count when they are connected.
fn leads_out(family: &str) -> bool {
    !matches!(family, "AF_UNIX" | "AF_LOCAL" | "AF_NETLINK" | "AF_ALG")
}

/// The path in `3</some/path>`.
fn annotated(argument: Option<&&str>) -> Option<PathBuf> {
    let (_, rest) = argument?.split_once('<')?;
    let path = rest.split_once('>')?.0;
    path.starts_with('/').then(|| PathBuf::from(unescaped(path)))
}

/// Takes `name(arguments) = result` apart.
fn split(text: &str) -> Option<Call<'_>> {
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
                return Some(Call { name, arguments, result });
            }
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

/// A text without the escapes of C.
fn unescaped(text: &str) -> OsString {
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

/// A path without `.` and `..`. What is behind a link is not known here; the caller asks the machine.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => _ = tidy.pop(),
            Component::CurDir => {}
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Touched, parse};

    fn touched(trace: &str) -> Touched {
        parse(trace, Path::new("/crib"))
    }

    fn set(paths: &[&str]) -> std::collections::BTreeSet<PathBuf> {
        paths.iter().map(PathBuf::from).collect()
    }

    #[test]
    fn tells_reading_from_writing() {
        let found = touched(
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
    fn takes_where_a_link_led() {
        assert_eq!(
            touched("7 open(\"link\", O_RDONLY) = 3</crib/target>\n").read,
            set(&["/crib/target"])
        );
    }

    #[test]
    fn what_failed_or_only_looked_is_nothing() {
        let trace = "7 openat(AT_FDCWD</crib>, \"gone\", O_RDONLY) = -1 ENOENT (No such file or directory)\n\
             7 newfstatat(AT_FDCWD</crib>, \"seen\", {st_mode=S_IFREG|0644, st_size=3, ...}, 0) = 0\n\
             7 access(\"seen\", R_OK)                 = 0\n\
             7 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---\n\
             7 mkdir(\"there\", 0777)                 = -1 EEXIST (File exists)\n\
             7 +++ exited with 0 +++\n\n7\nnonsense (\n";
        assert_eq!(touched(trace), Touched::default());
    }

    #[test]
    fn follows_processes_into_their_folders() {
        let found = touched(
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
    fn puts_interrupted_calls_together() {
        let found = touched(
            "7 openat(AT_FDCWD</crib>, \"one\", O_RDONLY <unfinished ...>\n\
             8 openat(AT_FDCWD</crib>, \"two\", O_RDONLY) = 3</crib/two>\n\
             7 <... openat resumed>)             = 3</crib/one>\n",
        );
        assert_eq!(found.read, set(&["/crib/one", "/crib/two"]));
    }

    #[test]
    fn reads_strange_names() {
        let found = touched(
            "7 openat(AT_FDCWD</crib>, \"\\303\\251\", O_WRONLY|O_CREAT, 0666) = 3</crib/\\303\\251>\n\
             7 unlink(\"a\\\"b) = 0\\n\\\\\")  = 0\n",
        );
        assert_eq!(found.written, set(&["/crib/é", "/crib/a\"b) = 0\n\\"]));
    }

    #[test]
    fn links_read_one_side_and_write_the_other() {
        let found = touched(
            "7 linkat(AT_FDCWD</crib>, \"a\", AT_FDCWD</crib>, \"b\", 0) = 0\n7 symlink(\"/far\", \"c\") = 0\n\
             7 symlinkat(\"/far\", AT_FDCWD</crib>, \"d\") = 0\n7 renameat2(AT_FDCWD</crib>, \"e\", AT_FDCWD</crib>, \"f\", 0) = 0\n",
        );
        assert_eq!(found.read, set(&["/crib/a"]));
        assert_eq!(found.written, set(&["/crib/b", "/crib/c", "/crib/d", "/crib/e", "/crib/f"]));
    }

    #[test]
    fn sees_the_network() {
        assert!(
            touched("7 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<TCP:[1]>\n")
                .network
        );
        assert!(touched("7 socket(AF_INET6, SOCK_DGRAM, IPPROTO_IP) = 3<UDPv6:[1]>\n").network);
        assert!(
            touched("7 connect(3<UNIX:[1]>, {sa_family=AF_UNIX, sun_path=\"/run/d\"}, 110) = 0\n")
                .network
        );
        assert!(!touched("7 socket(AF_UNIX, SOCK_STREAM, 0) = 3<UNIX:[1]>\n").network);
        assert!(
            !touched("7 connect(3<UNIX:[1]>, {sa_family=AF_UNIX, sun_path=\"/run/nscd\"}, 110) = -1 ENOENT (No such file)\n")
                .network
        );
        assert!(
            !touched("7 socket(AF_INET, SOCK_STREAM, 0) = -1 EACCES (Permission denied)\n").network
        );
    }
}
