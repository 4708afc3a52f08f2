//! The implementation of a tool, as plain data. The runtime turns it and arguments into a plan.
//!
//! The `Debug` form of these types is part of the digests in lock files and approvals: renaming a
//! field or a variant invalidates them.

use serde_json::Value;

/// The parameter that sets the working directory of a program. Formats add it to every tool.
pub const WORKING_DIRECTORY: &str = "working_directory";

/// Description of [`WORKING_DIRECTORY`] for people. It is left out of `tools/list`: models
/// understand the name, and every tool would repeat the text.
pub const WORKING_DIRECTORY_DESCRIPTION: &str = "Folder to run in";

/// The implementation of a tool.
#[derive(Clone, Debug, PartialEq)]
pub enum Implementation {
    /// A program.
    Process(Process),
    /// Other tools, in order.
    Sequence(Sequence),
    /// A function of an R package.
    R(RFunction),
    /// A function of a Python module.
    Python(PythonFunction),
    /// Another tool of the catalog, by its name, with the same arguments.
    Tool(String),
    /// A Rust function registered under the name of the tool.
    Native,
    /// Nothing: the tool is documented but cannot be called.
    Missing,
}

impl Implementation {
    /// A phrase for people: `a program`, `a function of the server`.
    pub fn summary(&self) -> &'static str {
        match self {
            Self::Process(_) => "a program",
            Self::Sequence(_) => "other tools, in order",
            Self::R(_) => "an R function",
            Self::Python(_) => "a Python function",
            Self::Tool(_) => "another tool",
            Self::Native => "a function of the server",
            Self::Missing => "nothing: it has no implementation, so it is not served",
        }
    }

    /// The language of a function, as code blocks name it; `None` for everything that is not
    /// written in one.
    pub fn language(&self) -> Option<&'static str> {
        match self {
            Self::R(_) => Some("r"),
            Self::Python(_) => Some("python"),
            _ => None,
        }
    }
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
    /// The parameters, in the order of the command line.
    pub fn bindings(&self) -> impl Iterator<Item = &Binding> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Parameter(binding) => Some(binding),
            Piece::Word(_) | Piece::DoubleDash | Piece::Json => None,
        })
    }

    /// Whether it reads its arguments as JSON from stdin and prints its result as JSON.
    pub fn speaks_json(&self) -> bool {
        self.pieces.contains(&Piece::Json)
    }
}

/// One part of a command line.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// A fixed word.
    Word(String),
    /// The value of a parameter.
    Parameter(Binding),
    /// `--`, if a positional value follows.
    DoubleDash,
    /// Not on the command line: the arguments are one JSON object on stdin, the result one JSON
    /// value on stdout.
    Json,
}

/// How the value of one parameter reaches the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name of the property in the input schema.
    pub parameter: String,
    /// How it is passed.
    pub pass_by: PassBy,
    /// The flag, with its dashes; `None` for a positional argument.
    pub flag: Option<String>,
    /// The flag for `false`, such as `--no-color`.
    pub negate: Option<String>,
    /// The separator between the flag and its value.
    pub separator: Separator,
    /// How the items of an array or the members of an object are passed.
    pub items: Items,
    /// Whether the value is a path.
    pub kind: ValueKind,
    /// Whether a value may start with a dash where the program could read it as an option.
    pub allow_dash: bool,
    /// How the program uses the path, if declared.
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

    /// Whether its values are paths that the program works on. The working directory does not
    /// count.
    pub fn is_path(&self) -> bool {
        self.kind != ValueKind::Plain && self.pass_by != PassBy::Folder
    }
}

/// The flag for a parameter name: `-x` for a letter, `--word` for a word; existing dashes are kept.
pub fn flag_for(name: &str) -> String {
    match name.chars().count() {
        _ if name.starts_with('-') => name.to_owned(),
        1 => format!("-{name}"),
        _ => format!("--{name}"),
    }
}

/// How a value reaches the program.
#[derive(Clone, Debug, PartialEq)]
pub enum PassBy {
    /// On the command line.
    Argument,
    /// On standard input.
    Stdin,
    /// In the environment variable of this name.
    Env(String),
    /// In a temporary file whose path is on the command line.
    File,
    /// On the command line; text with several lines in a temporary file, after this flag instead.
    FileIfMultiline(String),
    /// As the working directory.
    Folder,
    /// As environment variables: an object that maps names to values.
    Variables,
}

/// The separator between a flag and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Separator {
    /// `--flag value`, two arguments.
    Space,
    /// `--flag=value`.
    Equals,
    /// `-fvalue`.
    Nothing,
}

/// How an array or an object is passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Items {
    /// Each item is an argument, with the flag repeated if there is one.
    Each,
    /// One argument: the items joined by this separator.
    Joined(String),
    /// Each member of an object is an argument `name=value`.
    Pairs {
        /// The text between name and value, such as `=`.
        separator: String,
        /// If set, all members become one argument, joined by this text.
        join: Option<String>,
    },
}

/// Whether a value is a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Not a path.
    Plain,
    /// A file or folder, which must be inside the roots of the crib.
    Path,
    /// A path if it looks like one, else a plain value.
    PathOrValue,
}

/// How a program uses a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads it.
    Read,
    /// Creates or changes it.
    Write,
    /// Reads and changes it.
    ReadWrite,
}

impl Access {
    /// Every value with its keyword in definitions.
    pub const WORDS: [(&'static str, Self); 3] =
        [("read", Self::Read), ("write", Self::Write), ("read_write", Self::ReadWrite)];

    /// The keyword in definitions.
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

/// Other tools, called in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The steps, in the order in which they run.
    pub steps: Vec<Step>,
    /// The delay between two steps, in milliseconds.
    pub delay_ms: u64,
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The served name of the tool to call.
    pub tool: String,
    /// The arguments of the call.
    pub arguments: Value,
    /// The purpose of the step.
    pub description: Option<String>,
    /// Skip the step if this file exists.
    pub skip_if_exists: Option<String>,
    /// Skip the step if this file is missing.
    pub skip_if_missing: Option<String>,
}

/// A function of an R package and how arguments reach it.
///
/// Formals that start with a dot do not appear in definitions; the worker inspects the function to
/// see whether it takes a `.state_env`.
#[derive(Clone, Debug, PartialEq)]
pub struct RFunction {
    /// The name of the package.
    pub package: String,
    /// The function, exported or not.
    pub function: String,
    /// The folder with the sources of the package, relative to the crib (`.` is the crib itself).
    /// `None` if the package must be installed.
    pub sources: Option<String>,
    /// The arguments in the order of the definition. All are passed by name; an absent argument is
    /// not passed, so that R uses its own default and `missing()` works.
    pub formals: Vec<Formal>,
}

/// A formal of an R function. It has the same name in R and in the input schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formal {
    /// The name.
    pub parameter: String,
    /// The R type of its value.
    pub encoding: Encoding,
}

/// How a JSON value is converted to R. `null` is always `NULL`, or `NA` inside a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// A vector of length one.
    Scalar(Atom),
    /// A vector of any length; a single value becomes a vector of length one.
    Vector(Atom),
    /// A matrix, from an array of rows.
    Matrix(Atom),
    /// A data frame, from an array with one object per row.
    DataFrame,
    /// A list: named if it comes from an object, unnamed if it comes from an array.
    List,
    /// The closest R type; the definition declares none.
    Any,
}

/// The element type of an R vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    /// `logical`.
    Logical,
    /// `integer`; a whole number outside its range becomes a `double`.
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

/// A function of a Python module. Arguments are passed by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonFunction {
    /// The dotted module name.
    pub module: String,
    /// The name of the function in the module.
    pub function: String,
    /// Folders to prepend to `sys.path`, relative to the crib.
    pub path: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::flag_for;

    #[test]
    fn derives_flags_from_names() {
        assert_eq!(
            [flag_for("v"), flag_for("verbose"), flag_for("-x"), flag_for("é")],
            ["-v", "--verbose", "-x", "-é"]
        );
    }
}
