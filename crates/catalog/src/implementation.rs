//! How a tool is started, as data. Turning it and arguments into a plan is the runtime's work.

use serde_json::Value;

/// How a tool is started.
#[derive(Clone, Debug, PartialEq)]
pub enum Implementation {
    /// A program.
    Process(Process),
    /// Other tools, one after the other.
    Sequence(Sequence),
    /// A function of an R package.
    R(RFunction),
    /// A function of a Python module.
    Python(PythonFunction),
    /// Another tool of the catalog, by its name, with the same arguments.
    Tool(String),
    /// A function registered under the tool's name.
    Native,
    /// Nothing: the tool is documented, not served.
    Missing,
}

/// A program and how arguments reach it.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// A program name, or a path inside the crib.
    pub program: String,
    /// The command line, in order.
    pub pieces: Vec<Piece>,
}

impl Process {
    /// Whether the program is a shell told to run its argument as a script.
    pub fn is_shell_script(&self) -> bool {
        const SHELLS: [&str; 8] =
            ["sh", "bash", "zsh", "dash", "ksh", "fish", "pwsh", "powershell"];
        let name = self.program.rsplit('/').next().unwrap_or_default();
        SHELLS.contains(&name) && self.pieces.iter().map_while(as_flag).any(is_script_flag)
    }

    /// The parameters, in the order in which they stand on the command line.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Parameter(binding) => Some(binding),
            Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
        })
    }

    /// Whether it is given its arguments as JSON, and answers with JSON.
    pub fn speaks_json(&self) -> bool {
        self.pieces.contains(&Piece::Json)
    }
}

/// A piece that a shell reads as one of its own flags; it stops at the first word that is none.
fn as_flag(piece: &Piece) -> Option<&str> {
    match piece {
        Piece::Word(word) => word.starts_with('-').then_some(word),
        Piece::Parameter(binding) => Some(binding.flag.as_deref().unwrap_or_default()),
        Piece::DoubleDash | Piece::Json => None,
    }
}

fn is_script_flag(flag: &str) -> bool {
    let is_short = flag.starts_with('-') && !flag.starts_with("--");
    is_short && flag.contains('c') || flag.eq_ignore_ascii_case("-command")
}

/// One part of a command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A fixed word.
    Word(String),
    /// What a parameter's value becomes.
    Parameter(Binding),
    /// `--`, if a positional value follows.
    DoubleDash,
    /// Not on the line: all arguments are one JSON object on standard input, and standard output is one JSON value.
    Json,
}

/// How the value of one parameter reaches the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The property's name in the input schema.
    pub parameter: String,
    /// By which way.
    pub pass_by: PassBy,
    /// The flag, spelled out; a positional has none.
    pub flag: Option<String>,
    /// The flag for false.
    pub negate: Option<String>,
    /// What stands between flag and value.
    pub separator: Separator,
    /// What becomes of an array's items.
    pub items: Items,
    /// What the value names.
    pub kind: ValueKind,
    /// Whether a positional value may begin with a dash.
    pub allow_dash: bool,
    /// What the program does with the file or folder that the value names, if that is said.
    pub access: Option<Access>,
}

impl Binding {
    /// A flag with its value as the next argument.
    pub fn option(parameter: impl Into<String>, flag: impl Into<String>) -> Self {
        Self { flag: Some(flag.into()), ..Self::positional(parameter) }
    }

    /// A value without a flag.
    pub fn positional(parameter: impl Into<String>) -> Self {
        Self {
            parameter: parameter.into(),
            pass_by: PassBy::Argument,
            flag: None,
            negate: None,
            separator: Separator::Space,
            items: Items::Each,
            kind: ValueKind::Plain,
            allow_dash: false,
            access: None,
        }
    }

    /// Whether its values name files or folders that the program works on. The folder it runs in is
    /// none of them.
    pub fn is_path(&self) -> bool {
        self.kind != ValueKind::Plain && self.pass_by != PassBy::Folder
    }
}

/// The flag that a parameter's name stands for: a dash is kept, a letter gets one, a word two.
pub fn flag_for(name: &str) -> String {
    match name.chars().count() {
        _ if name.starts_with('-') => name.to_owned(),
        1 => format!("-{name}"),
        _ => format!("--{name}"),
    }
}

/// By which way a value reaches the program.
#[derive(Clone, Debug, PartialEq)]
pub enum PassBy {
    /// On the command line.
    Argument,
    /// On standard input.
    Stdin,
    /// In the environment variable of this name.
    Env(String),
    /// In a file whose path stands on the command line.
    File,
    /// On the command line, but text of several lines in a file, behind this flag.
    FileIfMultiline(String),
    /// As the folder the program runs in.
    Folder,
    /// As environment variables: an object of names and values.
    Variables,
}

/// What stands between a flag and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separator {
    /// They are two arguments.
    Space,
    /// `--flag=value`.
    Equals,
    /// `-fvalue`.
    Nothing,
}

/// What becomes of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Items {
    /// Each item is an argument, behind its own flag if there is one.
    Each,
    /// One argument, the items joined by this text.
    Joined(String),
}

/// What a value names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Nothing in particular.
    Plain,
    /// A file or folder, which must lie inside the crib's roots.
    Path,
    /// A path if it looks like one, else a plain value.
    PathOrValue,
}

/// What a program does with a file or folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads it.
    Read,
    /// It creates or changes it.
    Write,
    /// It reads it and changes it.
    ReadWrite,
}

impl Access {
    /// Every one, by the word for it in definitions.
    pub const WORDS: [(&'static str, Self); 3] =
        [("read", Self::Read), ("write", Self::Write), ("read_write", Self::ReadWrite)];

    /// The word for it in definitions.
    pub fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read_write",
        }
    }

    /// Whether anything is created or changed.
    pub fn writes(self) -> bool {
        self != Self::Read
    }
}

/// Other tools, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The steps.
    pub steps: Vec<Step>,
    /// The pause between two steps, in milliseconds.
    pub delay_ms: u64,
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The name of the tool to call, as it is served.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// What the step is for.
    pub description: Option<String>,
    /// Skip the step if this file exists.
    pub skip_if_exists: Option<String>,
    /// Skip the step if this file is missing.
    pub skip_if_missing: Option<String>,
}

/// A function of an R package and how arguments reach it.
///
/// Formals whose names begin with a dot are in no definition: whether there is a `.state_env` to be
/// provided, the function itself tells.
#[derive(Clone, Debug, PartialEq)]
pub struct RFunction {
    /// The package.
    pub package: String,
    /// The function, exported or not.
    pub function: String,
    /// The folder of the package's sources, relative to the crib (`.` is the crib itself), where one
    /// lies beside the definition. Without one the package must be installed.
    pub sources: Option<String>,
    /// What the caller gives, in the order of the definition. All are passed by name; one that the
    /// caller leaves out is left out, too, so that R fills in its default.
    pub formals: Vec<Formal>,
}

/// One formal of an R function. Its name in R is its name in the input schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formal {
    /// The name.
    pub parameter: String,
    /// What its value becomes in R.
    pub encoding: Encoding,
}

/// What a JSON value becomes in R. `null` is `NULL`, or `NA` inside a vector, whatever is said here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A vector of length one.
    Scalar(Atom),
    /// A vector, whatever its length; a single value is a vector of one.
    Vector(Atom),
    /// A matrix, from an array of rows.
    Matrix(Atom),
    /// A data frame, from an array of objects, one a row.
    DataFrame,
    /// A list: named from an object, without names from an array.
    List,
    /// Whatever is nearest to the value: nothing is said about it.
    Any,
}

/// What an R vector is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// `logical`.
    Logical,
    /// `integer`; a whole number that does not fit one is a `double`.
    Integer,
    /// `double`.
    Double,
    /// `character`.
    Character,
    /// `Date`, from `2024-12-31`.
    Date,
    /// `POSIXct`, from `2024-12-31T23:59:59Z`.
    DateTime,
}

/// A function of a Python module. Its arguments are passed by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonFunction {
    /// The module, with dots.
    pub module: String,
    /// The function.
    pub function: String,
    /// The folders in which modules are looked for before those of Python, relative to the crib.
    pub path: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{Binding, Piece, Process, flag_for};

    #[test]
    fn spells_flags() {
        assert_eq!(
            [flag_for("v"), flag_for("verbose"), flag_for("-x"), flag_for("é")],
            ["-v", "--verbose", "-x", "-é"]
        );
    }

    #[test]
    fn knows_a_shell_script() {
        let process = |program: &str, word: &str| Process {
            program: program.into(),
            pieces: vec![Piece::Word(word.into())],
        };
        assert!(process("/bin/bash", "-c").is_shell_script());
        assert!(process("sh", "-ec").is_shell_script());
        assert!(!process("sh", "--version").is_shell_script());
        assert!(!process("tar", "-c").is_shell_script());
        let with_file = Process {
            program: "sh".into(),
            pieces: ["head", "-c"].map(|word| Piece::Word(word.into())).into(),
        };
        assert!(!with_file.is_shell_script(), "the flag is the script's, not the shell's");
        let by_flag = Process {
            program: "bash".into(),
            pieces: vec![Piece::Parameter(Binding::option("c", "-c"))],
        };
        assert!(by_flag.is_shell_script());
    }
}
