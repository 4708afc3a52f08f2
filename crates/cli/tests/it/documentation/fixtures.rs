//! What a page assumes: the files in the folder where its commands run.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};
use testing::{definition, repository};

/// Prepares the folder of a page: its own files, or else a copy of `examples/starter`.
pub(super) fn prepare(page: &str, folder: &Path) {
    let crib = Crib(folder);
    match page {
        "README.md" => {
            let project = folder.parent().expect("the home folder").join("parcels");
            Crib(&project)
                .file(
                    "Makefile",
                    "report: ## Print the parcels\n\t@cat parcels.txt\nclean:\n\trm parcels.txt\n",
                )
                .file("parcels.txt", "books  Oslo\nlamps  Lima\n")
                .shell("git init --quiet");
        }
        "docs/tutorial.md" | "docs/python.md" | "docs/rmarkdown.md" => {}
        "docs/approval.md" => {
            let mut wipe = definition("wipe", "rm -r notes");
            wipe["dangerous"] = true.into();
            wipe["mutates"] = true.into();
            crib.json("tools/wipe.json", &wipe).file("notes/monday.txt", "milk\n");
        }
        "docs/content.md" => {
            crib.file("toolcrib.toml", &read_block(page, "toml"));
            for line in read_block(page, "text").lines() {
                crib.file(line, "text\n");
            }
        }
        "docs/flags.md" => {
            crib.file("toolcrib.toml", "[flags]\n");
        }
        "docs/importing.md" => {
            crib.file("completions/shelf.fish", "complete -c shelf -l kind -xa 'paper ebook'\n")
                .file("specs/shelf.yaml", "name: shelf\nflags: {'--shelf=': Where it is}\n");
        }
        "docs/mtdf.md" => {
            let mut copy = definition("copy", "cp");
            copy.as_object_mut().expect("an object").remove("mutates");
            copy["subcommand"][0]["positional_args"] = json!([path("from"), path("to")]);
            crib.json("tools/copy.json", &copy).file("notes.txt", "milk\n");
        }
        "docs/r.md" => {
            let target = folder.join("path/to/package");
            copy_folder(&repository().join("examples/r-package"), &target);
        }
        "docs/specifications.md" => {
            crib.file("counting.py", &read_block(page, "python"))
                .file("toolcrib.toml", &read_block(page, "toml"))
                .file("count/MCP_TOOL_SPECIFICATION.md", &read_block(page, "markdown"));
        }
        "docs/versions.md" => prepare_versions(&crib),
        _ => {
            copy_folder(&repository().join("examples/starter"), folder);
            prepare_copy(page, &crib);
        }
    }
}

/// Adds what a page needs besides the starter.
fn prepare_copy(page: &str, crib: &Crib<'_>) {
    match page {
        "docs/converting.md" => {
            let tool =
                json!({"name": "greet", "description": "Greet", "inputSchema": {"type": "object"}});
            crib.json("listing.json", &json!({ "tools": [tool] }));
        }
        "docs/clients.md" | "docs/packages.md" => {
            crib.file("toolcrib.toml", &read_block(page, "toml"));
        }
        "docs/teams.md" => {
            crib.shell("git init --quiet && toolcrib lock && git add . && git commit --quiet -m 'Add tools'");
        }
        _ => {}
    }
}

/// A repository with two commits, a branch of a remote, and two versions of a tool.
fn prepare_versions(crib: &Crib<'_>) {
    let greet = |version: &str, parameters: &[&str]| {
        let mut greet = definition("greet", "echo");
        greet["version"] = version.into();
        let option = |name: &&str| {
            let is_required = *name == "who" && parameters.len() == 2;
            json!({"name": name, "type": "string", "description": "A text", "required": is_required})
        };
        greet["subcommand"][0]["options"] = parameters.iter().map(option).collect();
        greet
    };
    crib.json("old.json", &greet("1.2.0", &["who", "tone"]))
        .json("new.json", &greet("1.2.1", &["who"]))
        .json("tools/deploy.json", &definition("deploy", "echo"))
        .shell(
            "toolcrib convert new.json --to spec --out old.md && cp old.md new.md && git init --quiet && git add . \
             && git commit --quiet -m one && git commit --quiet --allow-empty -m two \
             && git update-ref refs/remotes/origin/main HEAD",
        );
}

fn path(name: &str) -> Value {
    json!({"name": name, "type": "string", "format": "path", "description": "A file", "required": true})
}

struct Crib<'a>(&'a Path);

impl Crib<'_> {
    fn file(&self, name: &str, text: &str) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        self
    }

    fn json(&self, name: &str, value: &Value) -> &Self {
        self.file(name, &value.to_string())
    }

    fn shell(&self, script: &str) -> &Self {
        let programs = testing::toolcrib_path();
        let programs = programs.parent().expect("a folder").to_string_lossy().into_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let status = Command::new("bash")
            .args(["-c", script])
            .current_dir(self.0)
            .env("PATH", format!("{programs}:{path}"))
            .env("HOME", self.0.parent().expect("the home folder"))
            .env_remove("XDG_STATE_HOME")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs([("GIT_AUTHOR_NAME", "you"), ("GIT_COMMITTER_NAME", "you")])
            .envs([
                ("GIT_AUTHOR_EMAIL", "you@example.org"),
                ("GIT_COMMITTER_EMAIL", "you@example.org"),
            ])
            .status();
        assert!(status.expect("bash starts").success(), "{script}");
        self
    }
}

/// The first block of a language on a page.
fn read_block(page: &str, language: &str) -> String {
    let text = fs::read_to_string(repository().join(page)).expect("the page");
    let fence = if language == "markdown" { "````" } else { "```" };
    let block = text.split(&format!("\n{fence}{language}\n")).nth(1);
    let block = block.and_then(|rest| rest.split(&format!("\n{fence}")).next());
    format!("{}\n", block.expect("a block"))
}

fn copy_folder(source: &Path, target: &Path) {
    fs::create_dir_all(target).expect("a folder");
    for entry in fs::read_dir(source).expect("a folder") {
        let entry = entry.expect("a file");
        let target = target.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a file");
        }
    }
}
