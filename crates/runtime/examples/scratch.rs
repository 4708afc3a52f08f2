//! scratch
#![allow(warnings)]
use landlock::*;
use std::os::unix::process::CommandExt;
use std::{path::*, process::Command, thread, time::*};
fn med(name: &str, n: usize, mut f: impl FnMut()) {
    let mut v = vec![];
    for _ in 0..n {
        let s = Instant::now();
        f();
        v.push(s.elapsed());
    }
    v.sort();
    println!("{name}: {:?}", v[n / 2]);
}
fn landlock(fds: &[PathFd], net: bool) {
    let mut r = Ruleset::default().handle_access(AccessFs::from_all(ABI::V7)).unwrap().scope(Scope::from_all(ABI::V7)).unwrap();
    if net {
        r = r.handle_access(AccessNet::from_all(ABI::V7)).unwrap();
    }
    let mut r = r.create().unwrap();
    for f in fds {
        r = r.add_rule(PathBeneath::new(f, AccessFs::from_read(ABI::V7))).unwrap();
    }
    r.restrict_self().unwrap();
}
fn filter() -> seccompiler::BpfProgram {
    let rules = [41i64, 425, 41 | 0x4000_0000, 425 | 0x4000_0000].map(|c| (c, vec![]));
    seccompiler::SeccompFilter::new(
        rules.into(),
        seccompiler::SeccompAction::Allow,
        seccompiler::SeccompAction::Errno(13),
        seccompiler::TargetArch::x86_64,
    )
    .unwrap()
    .try_into()
    .unwrap()
}
fn caps() {
    use rustix::thread::*;
    for c in CapabilitySet::all().difference(CapabilitySet::CHOWN) {
        let _ = remove_capability_from_bounding_set(c);
    }
}
fn main() {
    let n = 500;
    let fds: Vec<PathFd> = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib64",
        "/etc",
        "/opt",
        "/proc",
        "/sys",
        "/var/lib/dpkg",
        "/tmp",
        "/dev/null",
        "/dev/zero",
        "/dev/full",
        "/work",
        "/usr/bin",
        "/usr/local/bin",
        "/root",
        "/var",
        "/run",
    ]
    .iter()
    .filter_map(|p| PathFd::new(p).ok())
    .collect();
    let f = filter();
    thread::scope(|s| {
        med("true direct", n, || {
            Command::new("true").status().unwrap();
        });
        med("true abs", n, || {
            Command::new("/usr/bin/true").status().unwrap();
        });
        med("true abs pipes", n, || {
            Command::new("/usr/bin/true").stdin(std::process::Stdio::null()).output().unwrap();
        });
        med("thread", n, || {
            thread::scope(|s| {
                s.spawn(|| {});
            })
        });
        med("thread+landlock", n, || {
            thread::scope(|s| {
                s.spawn(|| landlock(&fds, true));
            })
        });
        med("thread+seccomp", n, || {
            thread::scope(|s| {
                s.spawn(|| seccompiler::apply_filter(&f).unwrap());
            })
        });
        med("thread+caps", n, || {
            thread::scope(|s| {
                s.spawn(|| caps());
            })
        });
        med("mkdir rmdir", n, || {
            std::fs::create_dir("/tmp/xxyy").unwrap();
            std::fs::remove_dir("/tmp/xxyy").unwrap();
        });
        med("thread true", n, || {
            thread::scope(|s| {
                s.spawn(|| Command::new("/usr/bin/true").status().unwrap());
            })
        });
        med("thread landlock true", n, || {
            thread::scope(|s| {
                s.spawn(|| {
                    landlock(&fds, true);
                    Command::new("/usr/bin/true").status().unwrap();
                });
            })
        });
        med("thread seccomp true", n, || {
            thread::scope(|s| {
                s.spawn(|| {
                    seccompiler::apply_filter(&f).unwrap();
                    Command::new("/usr/bin/true").status().unwrap();
                });
            })
        });
        med("thread all true", n, || {
            thread::scope(|s| {
                s.spawn(|| {
                    caps();
                    landlock(&fds, true);
                    seccompiler::apply_filter(&f).unwrap();
                    Command::new("/usr/bin/true").status().unwrap();
                });
            })
        });
    });
}
