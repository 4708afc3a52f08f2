//! Files that commands write: a full disk keeps the old ones.

use std::fs;

use serde_json::json;
use testing::{SmallDisk, TempCrib, definition};

#[test]
fn a_full_disk_keeps_every_old_file() {
    let crib = TempCrib::new().tool("count", definition("count", "wc"));
    let out = crib.root().join("out");
    let Some(_disk) = SmallDisk::mount(&out, 512) else { return };
    let convert = ["convert", "tools/count.json", "--to", "spec", "--out", "out/count.md"];
    let docs = ["docs", "--format", "markdown", "--out", "out/pages"];
    for command in [&convert[..], &docs] {
        assert_eq!(crib.run(command).code, 0, "{command:?}");
    }
    let read = || ["out/count.md", "out/pages/tools/count.md"].map(|name| crib.read(name));
    let old = read();
    let mut longer = definition("count", "wc");
    longer["subcommand"][0]["description"] = json!(format!("Counts {}", "very ".repeat(40_000)));
    crib.write("tools/count.json", &longer.to_string());
    fs::write(out.join("filler"), vec![0; 450 << 10]).expect("room for the filler");
    for command in [&convert[..], &docs] {
        let output = crib.run(command);
        assert_eq!(output.code, 2, "{command:?}: {}", output.stderr);
        assert!(output.stderr.contains("No space left on device"), "{}", output.stderr);
    }
    assert!(read() == old, "the old files are intact");
    let mut names: Vec<_> = fs::read_dir(&out).expect("a folder").flatten().collect();
    names.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<_> = names.iter().map(|entry| entry.file_name()).collect();
    assert_eq!(names, ["count.md", "filler", "pages"], "no drafts");
}

#[test]
fn the_crib_is_found_upward_by_its_tools_folder() {
    let crib = TempCrib::new().tool("ok", definition("ok", "true")).file("src/deep/file", "");
    let mut command = std::process::Command::new(testing::toolcrib_path());
    command.arg("list").current_dir(crib.root().join("src/deep")).env("NO_COLOR", "1");
    let output = command.output().expect("it runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("ok"), "{output:?}");
}
