//! `check --baseline`: report only problems that are new.

use std::{collections::BTreeMap, fs, io, path::Path};

use atomic_file::Access;
use catalog::Diagnostic;
use host::count;
use serde::{Deserialize, Serialize};
use workspace::Loaded;

use crate::{error::CommandError, terminal};

const VERSION: u32 = 1;

/// The known problems of a crib, without line numbers, so that edits elsewhere in a file do not
/// matter.
#[derive(Serialize, Deserialize)]
struct Baseline {
    version: u32,
    known: Vec<Known>,
}

#[derive(Serialize, Deserialize)]
struct Known {
    #[serde(flatten)]
    problem: Problem,
    count: usize,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Problem {
    file: String,
    code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    message: String,
}

impl Problem {
    fn new(found: &Diagnostic) -> Self {
        Self {
            file: found.origin.source.to_string(),
            code: found.code.to_owned(),
            tool: found.tool.clone(),
            message: found.message.clone(),
        }
    }
}

/// Removes the known problems from `loaded`, or writes all of them to a new file.
pub(super) fn apply(file: &Path, loaded: &mut Loaded) -> Result<(), CommandError> {
    let error = |why: String| CommandError::machine(format!("`{}`: {why}", file.display()));
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => {
            let all = loaded.diagnostics.len();
            atomic_file::replace(file, to_text(loaded).as_bytes(), Access::Usual)
                .map_err(|why| error(why.to_string()))?;
            terminal::note(&format!("wrote {} to {}", count(all, "known problem"), file.display()));
            loaded.diagnostics.clear();
            return Ok(());
        }
        Err(why) => return Err(error(why.to_string())),
    };
    let baseline: Baseline =
        serde_json::from_str(&text).map_err(|why| error(format!("not a baseline: {why}")))?;
    if baseline.version != VERSION {
        return Err(error(format!("version {} is not supported", baseline.version)));
    }
    let mut known: BTreeMap<_, _> =
        baseline.known.into_iter().map(|known| (known.problem, known.count)).collect();
    let before = loaded.diagnostics.len();
    loaded.diagnostics.retain(|found| match known.get_mut(&Problem::new(found)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    let gone: usize = known.values().sum();
    let hidden = before - loaded.diagnostics.len();
    terminal::note(&format!(
        "{} not shown; {} solved since",
        count(hidden, "known problem"),
        count(gone, "problem")
    ));
    Ok(())
}

fn to_text(loaded: &Loaded) -> String {
    let mut counts = BTreeMap::<_, usize>::new();
    for found in &loaded.diagnostics {
        *counts.entry(Problem::new(found)).or_default() += 1;
    }
    let known = counts.into_iter().map(|(problem, count)| Known { problem, count }).collect();
    let baseline = Baseline { version: VERSION, known };
    let text = serde_json::to_string_pretty(&baseline).expect("strings and numbers serialize");
    text + "\n"
}
