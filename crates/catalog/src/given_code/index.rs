//! An index of the tables by program name. Every definition looks up its program when it is read,
//! which made a linear search of the tables too slow.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    programs::{CODE_FILES, FORMS, Form, INTERPRETERS, Interpreter, OPERAND_WRAPPERS, WRAPPERS},
    split_version,
};

/// All table entries for one program.
#[derive(Default)]
struct ProgramEntry {
    interpreter: Option<&'static Interpreter>,
    forms: Vec<&'static Form>,
    /// For a wrapper: the number of arguments before the program that it starts.
    operands: Option<usize>,
    file_flags: Option<&'static str>,
}

static KNOWN: LazyLock<HashMap<&'static str, ProgramEntry>> = LazyLock::new(|| {
    let mut known: HashMap<&'static str, ProgramEntry> = HashMap::new();
    let mut add = |names: &'static str, change: &dyn Fn(&mut ProgramEntry)| {
        for name in names.split_ascii_whitespace() {
            change(known.entry(name).or_default());
        }
    };
    for interpreter in &INTERPRETERS {
        add(interpreter.names, &|one| one.interpreter = one.interpreter.or(Some(interpreter)));
    }
    for form in FORMS {
        add(form.names, &|one| one.forms.push(form));
    }
    add(WRAPPERS, &|one| one.operands = Some(0));
    add(OPERAND_WRAPPERS, &|one| one.operands = Some(1));
    for (names, flags) in &CODE_FILES {
        add(names, &|one| one.file_flags = one.file_flags.or(Some(flags)));
    }
    known
});

fn find(program: &str) -> Option<&'static ProgramEntry> {
    let (file, name) = split_version(program);
    KNOWN.get(file).or_else(|| KNOWN.get(name)).filter(|_| !name.is_empty())
}

pub(super) fn find_interpreter(program: &str) -> Option<&'static Interpreter> {
    find(program)?.interpreter
}

/// The command lines of a program that run code from some of their arguments.
pub(super) fn find_forms(program: &str) -> impl Iterator<Item = &'static Form> {
    find(program).into_iter().flat_map(|known| known.forms.iter().copied())
}

/// The number of arguments before the program that a wrapper starts; `None` if the program is not a
/// wrapper.
pub(super) fn count_operands(program: &str) -> Option<usize> {
    find(program)?.operands
}

/// The flags and subcommands of a program that are followed by the name of a file with code.
pub(super) fn find_file_flags(program: &str) -> Option<&'static str> {
    find(program)?.file_flags
}
