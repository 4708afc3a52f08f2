//! What starting `true` costs, directly and with each sandbox level: medians in microseconds.

#![expect(clippy::print_stdout, reason = "the figures are the purpose")]

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use process::{
    Command, Launcher, LauncherOptions, OpenedPaths, PrivateCopies, ProgramLimits, Sandbox,
    SandboxLevel, Word, run_program, sandbox_level,
};

const ROUNDS: usize = 500;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    tokio::spawn(measure()).await?
}

async fn measure() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let levels = [
        ("none", false, SandboxLevel::None),
        ("landlock", true, SandboxLevel::Landlock),
        ("namespaces", true, SandboxLevel::Namespaces),
    ];
    let launchers = levels.map(|(name, is_sandboxed, strongest)| {
        let options = LauncherOptions {
            is_sandboxed,
            strongest,
            ..LauncherOptions::new(PathBuf::from("/tmp"))
        };
        (name, Arc::new(Launcher::new(options)), Vec::new())
    });
    let (mut direct, mut launchers) = (Vec::new(), launchers);
    let limits = ProgramLimits { timeout: Duration::from_secs(10), max_bytes: 100 };
    // Alternating, so that all of them see the same load.
    for _ in 0..ROUNDS {
        let start = Instant::now();
        std::process::Command::new("/bin/true").output()?;
        direct.push(start.elapsed());
        for (_, launcher, times) in &mut launchers {
            let start = Instant::now();
            run_program(launcher, command(), limits).await?;
            times.push(start.elapsed());
        }
    }
    println!("direct {:.0} us", median(direct));
    for (name, _, times) in launchers {
        println!("{name} {:.0} us", median(times));
    }
    Ok(())
}

fn command() -> Command {
    Command {
        label: "true".to_owned(),
        program: "/bin/true".to_owned(),
        argv: vec![Word::Text("true".to_owned())],
        cwd: "/usr".to_owned(),
        env: Vec::new(),
        stdin: None,
        files: Vec::new(),
        copies: PrivateCopies::default(),
        pipes: Vec::new(),
        sandbox: Sandbox {
            level: sandbox_level(),
            network: false.into(),
            read: Vec::new(),
            write: vec!["/var/tmp".into()],
            memory_bytes: 1 << 30,
            processes: 512,
            temp_bytes: 1 << 30,
            is_watched: true,
            opened: OpenedPaths::default(),
            protected: Arc::default(),
            unix_sockets: false,
            changes_metadata: true,
            is_unrestricted: false,
        },
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}
