//! The corpus in `tests/corpus`: definitions in the styles of public files.

use std::{fmt::Write, fs, path::Path};

use catalog::{Diagnostic, Implementation, SourceId, Tool};
use formats::{Document, FORMATS, Guidance, Locator, Reading, convert};

use crate::reading::{format_of, line, schema_of};

struct File {
    name: String,
    text: String,
    format: Option<&'static str>,
    reading: Reading,
}

/// Every file of a folder of the corpus, sorted by name.
fn read_folder(folder: &str) -> Vec<File> {
    let path = testing::own_corpus(folder);
    let mut names: Vec<_> = fs::read_dir(&path)
        .expect("a folder of the corpus")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let shared = fs::read(path.join("tool_guidance.json")).unwrap_or_default();
    let guidance = formats::read_guidance(&SourceId::new("guidance"), &shared).0;
    names.into_iter().map(|name| read_file(&path, name, &guidance)).collect()
}

fn read_file(folder: &Path, name: String, guidance: &Guidance) -> File {
    let text = fs::read_to_string(folder.join(&name)).expect("a text");
    let document = Document::parse(&SourceId::new(&name), text.as_bytes());
    let format = format_of(&document);
    let reading = document.read(guidance);
    File { name, text, format, reading }
}

fn all_files() -> Vec<File> {
    ["mtdf", "rave", "specs"].into_iter().flat_map(read_folder).collect()
}

/// A file's format, its tools as signatures with their command lines, and its diagnostics.
fn describe(file: &File) -> String {
    let mut text = format!("{}: {}\n", file.name, file.format.unwrap_or("-"));
    for tool in &file.reading.tools {
        writeln!(text, "  {}", signature(tool)).expect("writing to a string");
        if matches!(tool.implementation, Implementation::Process(_)) {
            writeln!(text, "    {}", line(tool)).expect("writing to a string");
        }
    }
    for Diagnostic { code, message, .. } in &file.reading.diagnostics {
        writeln!(text, "  {code} {message}").expect("writing to a string");
    }
    text
}

fn signature(tool: &Tool) -> String {
    let required: Vec<_> = tool.input.required().collect();
    let parameters = tool.input.properties().map(|(name, schema)| {
        let types = schema.get("type").map_or("any".to_owned(), ToString::to_string);
        let required = if required.contains(&name) { "!" } else { "" };
        format!("{name}: {}{required}", types.replace('"', ""))
    });
    format!("{}({})", tool.name, parameters.collect::<Vec<_>>().join(", "))
}

fn describe_folder(folder: &str) -> String {
    read_folder(folder).iter().map(describe).collect()
}

#[test]
fn reads_command_line_tools() {
    insta::assert_snapshot!(describe_folder("mtdf"), @r"
    brew.json: mtdf
      brew_install(force: boolean, jobs: integer, packages: array!, working_directory: string)
        brew install -f <force> --jobs <jobs> <packages>
      brew_services_list(working_directory: string)
        brew services list
      brew(working_directory: string)
        brew
      TC047 `min` is read as `minimum`
      TC047 `max` is read as `maximum`
    broken.json: mtdf
      TC007 the file has comments
      TC008 there is a raw line break in a string
      TC004 a comma is missing before this
      TC009 there is no value after this comma
      TC009 there is no value after this comma
      TC023 unknown field `option` looks like a misspelled field that decides what is run
      TC022 unknown field `colour`
      TC040 `str` is not a type
    listing.json: mcp
      greet(who: string!)
      TC830 this is one page of a longer list of tools
    pack.json: mtdf
      pack(folder: any!, output: any, level: integer)
        tar -f <output> --level=<level> <folder>
      TC065 `input_schema` is read as `inputSchema`
    release.json: mtdf
      release(working_directory: string)
    settings.schema.json: json-schema
      TC014 this is a JSON Schema, not a definition
    status.json: mtdf
      status(id: string)
      TC030 `status` is a built-in tool: this definition sets its description, not its program
    tool_guidance.json: guidance
    truncated.json: -
      TC004 the file ends before the `{` of line 5 is closed
    ");
}

#[test]
fn reads_r_functions() {
    insta::assert_snapshot!(describe_folder("rave"), @r"
    dplyr-summarise.yaml: rave
      dplyr-summarise(n: integer)
      TC144 omitted the hidden parameter `.data`
      TC145 `missing` is not a parameter
    stats-trim.yaml: rave
      stats-trim(x: array!, weights: array, trim: number, quiet: boolean)
      TC142 this is read as `0.1`
      TC142 this is read as `boolean`
      TC142 this is read as a list
    tabs.yaml: -
      TC015 tabs disallowed within this context (block indentation)
    two.yaml: rave
      base-rev()
      TC017 a second document begins here; it is not read
    ");
}

#[test]
fn reads_specifications() {
    insta::assert_snapshot!(describe_folder("specs"), @r#"
    README.md: -
      TC004 expected a value, found `#`
    bullets.md: spec
      wrap_text(text: string!, width: integer, mode: string)
    none.md: spec
      TC801 the document declares that it has no tools: "No MCP tools are exposed by this module"
    schemas.md: spec
      resize_image(path: string!, width: integer!)
    sections.md: spec
      transcribe_audio(path: string!, language: string, speakers: integer)
    template.md: spec
      TC803 the name of this tool is still a placeholder
    torn.md: spec
      search_text(pattern: string!, depth: integer)
      TC804 the row of `pattern` is split at an unescaped pipe
    "#);
}

#[test]
fn guidance_precedes_the_description() {
    let files = read_folder("mtdf");
    let brew = files.iter().find(|file| file.name == "brew.json").expect("a file");
    let guidance = brew.reading.tools[0].description.guidance.as_deref();
    assert_eq!(guidance, Some("The call returns at once; ask for its result later."));
}

#[test]
fn definitions_of_built_in_tools_give_no_program() {
    let files = read_folder("mtdf");
    let status = files.iter().find(|file| file.name == "status.json").expect("a file");
    assert_eq!(status.reading.tools[0].name, "status");
    assert_eq!(status.reading.tools[0].implementation, Implementation::Missing);
}

#[test]
fn every_file_gives_tools_or_a_diagnostic() {
    for file in all_files().iter().filter(|file| file.format != Some("guidance")) {
        let is_explained = !file.reading.tools.is_empty() || !file.reading.diagnostics.is_empty();
        assert!(is_explained, "{} gives nothing", file.name);
    }
}

#[test]
fn locations_are_inside_their_files() {
    for file in all_files() {
        let locator = Locator::new(&file.text);
        for found in &file.reading.diagnostics {
            let range = locator.range(&found.origin.location);
            assert!(file.text.get(range).is_some(), "{}: {found:?}", file.name);
        }
    }
}

#[test]
fn schemas_compile() {
    for file in all_files() {
        for tool in &file.reading.tools {
            assert!(tool.input.validator().is_ok(), "{} {}", file.name, tool.name);
        }
    }
}

#[test]
fn the_json_parser_agrees_with_serde_json() {
    for file in read_folder("mtdf") {
        if let Ok(expected) = serde_json::from_str::<serde_json::Value>(&file.text) {
            let root = formats::json::parse(&file.text).root.expect("valid JSON");
            assert_eq!(root.to_value(), expected, "{}", file.name);
        }
    }
}

#[test]
fn files_without_errors_match_the_schema_of_their_format() {
    for file in all_files() {
        let Some(format @ ("mtdf" | "rave")) = file.format else { continue };
        if file.reading.diagnostics.iter().any(Diagnostic::is_error) {
            continue;
        }
        let value = formats::yaml_value(&file.text)
            .or_else(|| serde_json::from_str(&file.text).ok())
            .expect("JSON or YAML");
        let validator = jsonschema::validator_for(&schema_of(format)).expect("a schema");
        // RAVE files are read generously; the schema describes what `build` writes.
        let is_accepted = validator.is_valid(&value) || format == "rave";
        assert!(is_accepted, "{} does not match its schema", file.name);
    }
}

#[test]
fn every_format_reads_its_own_output() {
    for file in all_files().iter().filter(|file| !file.reading.tools.is_empty()) {
        for format in FORMATS {
            let Some(writer) = &format.writer else { continue };
            let converted = convert(&file.reading.tools, writer, "tools");
            let omitted = converted.losses.iter().filter(|loss| loss.field == "name").count();
            assert_eq!(
                converted.tools + omitted,
                file.reading.tools.len(),
                "{} to {}",
                file.name,
                format.name
            );
        }
    }
}

#[test]
fn fixes_keep_the_meaning() {
    for file in read_folder("specs") {
        let source = SourceId::new(&file.name);
        let fixed = formats::apply_edits(&file.text, &formats::find_fixes(&source, &file.text));
        let names = |reading: &Reading| reading.tools.iter().map(signature).collect::<Vec<_>>();
        let again = formats::read(&source, fixed.as_bytes(), &Guidance::default());
        assert_eq!(names(&again), names(&file.reading), "{}", file.name);
        assert_eq!(formats::find_fixes(&source, &fixed), [], "{}", file.name);
    }
}
