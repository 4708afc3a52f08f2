//! How long reading a folder of definitions takes, beside parsing the same files with serde_json or
//! comrak, as JSON.
//!
//! `cargo run --release -p toolcrib-formats --example reading_speed -- FOLDER`

use std::{fs, hint::black_box, time::Instant};

use catalog::{Location, SourceId};
use formats::{Guidance, Locator};

const ROUNDS: u32 = 20;

#[expect(clippy::print_stdout, reason = "printing is what it is for")]
fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "tools".to_owned());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        files.push(fs::read(entry?.path())?);
    }
    let bytes: usize = files.iter().map(Vec::len).sum();
    let floor = best(|| {
        files
            .iter()
            .for_each(|file| drop(black_box(serde_json::from_slice::<serde_json::Value>(file))))
    });
    let markdown = best(|| files.iter().for_each(|file| parse_markdown(file)));
    let parse = best(|| {
        files
            .iter()
            .for_each(|file| drop(black_box(std::str::from_utf8(file).map(formats::json::parse))))
    });
    let read = best(|| files.iter().for_each(|file| drop(black_box(read(file)))));
    let locate = best(|| files.iter().for_each(|file| locate(file)));
    let times = [
        ("serde_json_ms", floor),
        ("comrak_ms", markdown),
        ("parse_ms", parse),
        ("read_ms", read),
        ("locate_ms", locate),
    ];
    let mut report = serde_json::json!({"files": files.len(), "bytes": bytes});
    for (what, time) in times {
        report[what] = (time * 1e3).into();
    }
    println!("{report}");
    Ok(())
}

/// What comrak alone does with a text, options as the reader has them.
fn parse_markdown(file: &[u8]) {
    let Ok(text) = std::str::from_utf8(file) else {
        return;
    };
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    options.extension.table = true;
    black_box(comrak::parse_document(&arena, text, &options));
}

fn read(file: &[u8]) -> formats::Reading {
    formats::read(&SourceId::new("file"), file, &Guidance::default())
}

fn locate(file: &[u8]) {
    let reading = read(file);
    let text = String::from_utf8_lossy(file);
    let locator = Locator::new(&text);
    for found in &reading.diagnostics {
        let location: &Location = &found.origin.location;
        black_box(locator.range(location));
    }
}

/// The shortest of several rounds, in seconds.
fn best(mut work: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}
