//! Ordinary programs work in the sandbox.

use std::{fs, os::unix::fs::PermissionsExt, sync::Arc};

use process::{Launcher, LauncherOptions, SandboxLevel, sandbox_level};

use crate::bench::{Bench, Rights, text};

#[tokio::test]
async fn devices_and_system_files_are_accessible() {
    for bench in Bench::all() {
        let script = "echo x > /dev/null; head -c 4 /dev/urandom | wc -c; head -c 4 /dev/zero | wc -c; \
                      test -r /proc/self/status && echo proc; test -e /etc/passwd && echo etc; \
                      (: < /dev/tty) 2>/dev/null || echo no tty";
        let said = text(&bench.sh(Rights::Read, script).await);
        assert_eq!(said, "4\n4\nproc\netc\nno tty", "{:?}", bench.level);
    }
}

#[tokio::test]
async fn threads_processes_and_locks_work() {
    for bench in Bench::all() {
        let code = "import threading, subprocess, multiprocessing, tempfile, fcntl\n\
                    t = threading.Thread(target=print, args=('thread',)); t.start(); t.join()\n\
                    print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout.strip())\n\
                    with tempfile.TemporaryFile() as f: fcntl.flock(f, fcntl.LOCK_EX); print('locked')\n\
                    if __name__ == '__main__':\n\
                    \x20   with multiprocessing.get_context('fork').Pool(2) as p: print(p.map(abs, [-1, -2]))";
        let said = bench.python(Rights::Write, code).await;
        let has_semaphores = bench.has_namespaces();
        assert!(said.starts_with("thread\nchild\nlocked"), "{said}");
        assert!(!has_semaphores || said.ends_with("[1, 2]"), "{said}");
    }
}

#[tokio::test]
async fn git_works_in_a_writable_folder() {
    for bench in Bench::all() {
        let script = "git init -q . && git config user.name a && git config user.email a@b && echo x > f && \
                      git add f && git commit -q -m m && git log --oneline | wc -l";
        let output = bench.sh(Rights::Write, script).await;
        assert_eq!(text(&output), "1", "{:?} {}", bench.level, output.stderr);
    }
}

#[tokio::test]
async fn process_ids_differ_between_programs() {
    for bench in Bench::all() {
        let first = text(&bench.sh(Rights::Read, "echo $$").await);
        assert_ne!(text(&bench.sh(Rights::Read, "echo $$").await), first, "{:?}", bench.level);
    }
}

#[tokio::test]
async fn a_missing_interpreter_and_a_missing_folder_are_reported() {
    for bench in Bench::all() {
        let script = bench.path("inside/script");
        fs::write(&script, "#!/no/such/interpreter\n").expect("a file");
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("permissions");
        let mut command = bench.command(Rights::Read, "");
        command.program = script.display().to_string();
        let error = bench.launcher.start(&Arc::new(command)).await.err().expect("an error");
        assert_eq!(error.reason(), "its interpreter was not found");
        let mut command = bench.command(Rights::Read, "");
        command.cwd = "/no/such/folder".to_owned();
        let error = bench.launcher.start(&Arc::new(command)).await.err().expect("an error");
        let reason = "its working directory `/no/such/folder` does not exist; create it";
        assert_eq!(error.reason(), reason);
    }
}

#[tokio::test]
async fn long_commands_are_not_truncated() {
    for bench in Bench::all() {
        let mut command = bench.command(Rights::Read, "printenv LONG | wc -c");
        command.env.push(("LONG".to_owned(), "x".repeat(100_000)));
        let limits = process::ProgramLimits {
            timeout: std::time::Duration::from_secs(20),
            max_bytes: 1 << 20,
        };
        let output = process::run_program(&bench.launcher, command, limits).await.expect("a shell");
        assert_eq!(text(&output), "100001");
    }
}

#[tokio::test]
async fn stops_a_program_that_closes_its_output_and_runs_on() {
    for bench in Bench::all() {
        let command = bench.command(Rights::Read, "exec >&- 2>&-; sleep 30");
        let timeout = std::time::Duration::from_secs(1);
        let limits = process::ProgramLimits { timeout, max_bytes: 1 << 10 };
        let error = process::run_program(&bench.launcher, command, limits).await.expect_err("late");
        assert!(matches!(error, process::RunProgramError::TimedOut { .. }), "{error}");
    }
}

#[tokio::test]
async fn refuses_to_run_below_the_required_level() {
    if sandbox_level() < SandboxLevel::Landlock {
        return;
    }
    let bench = Bench::new(SandboxLevel::Landlock);
    let options = LauncherOptions {
        required: SandboxLevel::Namespaces,
        strongest: SandboxLevel::Landlock,
        ..LauncherOptions::new("/tmp".into())
    };
    let launcher = Arc::new(Launcher::new(options));
    let command = Arc::new(bench.command(Rights::Read, "true"));
    let error = launcher.start(&command).await.err().expect("an error");
    assert!(error.reason().starts_with("the sandbox has level `landlock` here"), "{error}");
}
