//! The `error_type` of every refused or failed call: one table of texts, faults and advice.
//!
//! Clients and scripts match on the texts, so a text never changes once it has been released. Tools
//! may report types of their own in their replies; those pass through as plain text.

use std::fmt;

use serde::{Serialize, Serializer};

/// Who can fix a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The caller: other arguments or another request would succeed.
    Caller,
    /// A person: the call is waiting for, or was denied by, an approval or a policy.
    Approval,
    /// The author of the tool: its definition or its program is wrong.
    Tool,
    /// The operator: something is missing or not allowed on this machine.
    Setup,
    /// The server itself.
    Server,
}

impl Fault {
    /// Every fault, in the order of the reference page.
    pub const ALL: [Self; 5] =
        [Self::Caller, Self::Approval, Self::Tool, Self::Setup, Self::Server];

    /// The name in documentation.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Caller => "caller",
            Self::Approval => "approval",
            Self::Tool => "tool",
            Self::Setup => "setup",
            Self::Server => "server",
        }
    }
}

macro_rules! error_types {
    ($($variant:ident = $text:literal, $fault:ident, $meaning:literal, $advice:literal;)+) => {
        /// Why a call was refused or failed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorType {
            $(#[doc = $meaning] $variant,)+
        }

        impl ErrorType {
            /// Every type, in the order of the reference page.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The text on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }

            /// Who can fix it.
            pub const fn fault(self) -> Fault {
                match self { $(Self::$variant => Fault::$fault),+ }
            }

            /// What happened, for the reference page.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),+ }
            }

            /// What to do about it, for the reference page.
            pub const fn advice(self) -> &'static str {
                match self { $(Self::$variant => $advice),+ }
            }

            /// The type with this text; `None` for the own types of a tool.
            pub fn from_text(text: &str) -> Option<Self> {
                match text { $($text => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

error_types! {
    // The request.
    InvalidArguments = "invalid_arguments", Caller,
        "The arguments do not match the tool's input schema.",
        "Correct the arguments listed in the details and call again.";
    ValidationError = "validation_error", Caller,
        "A native tool rejected its arguments.",
        "Read the message; it names the argument to change.";
    ArgumentsTooLong = "arguments_too_long", Caller,
        "The arguments do not fit on a command line or into a request to a worker.",
        "Send less, or pass the data as a file.";
    TooComplex = "too_complex", Caller,
        "Checking the arguments took too long and was given up.",
        "Send less, or simplify the schema of the tool.";
    InvalidRequest = "invalid_request", Caller,
        "The request cannot be carried out as it was made.",
        "Read the message; it names the part to change.";
    InvalidExpression = "invalid_expression", Caller,
        "A content expression or one of its patterns cannot be parsed.",
        "Correct the expression at the position in the details.";
    InvalidFilename = "invalid_filename", Caller,
        "The name of a document is not allowed.",
        "Use a plain file name with an extension that the tool accepts.";
    InvalidRange = "invalid_range", Caller,
        "A range of lines is outside the document.",
        "Read the document to see how many lines it has.";
    NotFound = "not_found", Caller,
        "There is no such document, section or resource.",
        "List what exists, then use one of those names.";
    AlreadyExists = "already_exists", Caller,
        "A document of that name exists.",
        "Choose another name, or update the existing document.";
    Conflict = "conflict", Caller,
        "The document changed since it was read.",
        "Read it again and repeat the change with the new hash.";
    CircularCollection = "circular_collection", Tool,
        "A collection of documents contains itself.",
        "Remove the cycle from `[content]` in `toolcrib.toml`.";
    PathOutsideRoots = "path_outside_roots", Caller,
        "A path leads outside the roots of the crib.",
        "Use a path inside the roots, or add the folder to `[crib] roots`.";
    PathProtected = "path_protected", Caller,
        "A path names a file that calls must not change.",
        "Use another path.";
    PathNotText = "path_not_text", Caller,
        "A path is not valid UTF-8.",
        "Rename the file or folder.";
    VariableRefused = "variable_refused", Caller,
        "An environment variable may not be set by a call.",
        "Leave it out, or list it in the definition.";
    UnknownOperation = "unknown_operation", Caller,
        "There is no operation with this id that the caller may see.",
        "Call `status` to list your operations.";
    UnknownOutput = "unknown_output", Caller,
        "There is no stored output with this address that the caller may read.",
        "Use the address in a result. Old outputs are deleted: repeat the call.";
    TooManyCalls = "too_many_calls", Caller,
        "Too many calls are waiting.",
        "Wait for earlier calls to finish and try again.";

    // A person's decision.
    ApprovalRequired = "approval_required", Approval,
        "The call waits for a person's approval.",
        "Ask the user; `toolcrib approve` lists the waiting calls.";
    Denied = "denied", Approval,
        "A policy or a person denied the call.",
        "Do not repeat it; the details give the reason.";
    Unanswered = "unanswered", Approval,
        "The tool asked a question that was not answered.",
        "Call again from a client that can answer, or give the value as an argument.";
    MissingCapability = "missing_capability", Approval,
        "The client cannot do what the tool asked of it.",
        "Use a client with that capability.";

    // The definition.
    InvalidDefinition = "invalid_definition", Tool,
        "The definition of the tool is broken.",
        "Run `toolcrib check`.";
    NotCallable = "not_callable", Tool,
        "The tool is documented but has nothing to run.",
        "Bind it to a function or a program.";
    NotSupported = "not_supported", Tool,
        "This kind of tool cannot do what was asked.",
        "Read the message for an alternative.";
    OutputMismatch = "output_mismatch", Tool,
        "The result does not match the tool's output schema.",
        "Correct the tool or its output schema.";
    InvalidResult = "invalid_result", Tool,
        "The value of an R function does not match `returns` in its definition.",
        "Correct `returns`, or the function.";
    NotJson = "not_json", Tool,
        "The program was expected to print JSON and did not.",
        "Print one JSON value, and nothing else, on standard output.";
    ResultTooLarge = "result_too_large", Tool,
        "The result is larger than the limit.",
        "Return less, or write it to a file.";
    TooLong = "too_long", Tool,
        "A program printed more than the limit.",
        "Print less.";
    TemplateError = "template_error", Tool,
        "A template of a document failed.",
        "Correct the template at the line in the message.";
    FrontMatterError = "front_matter_error", Tool,
        "The front matter of a document cannot be read.",
        "Correct the YAML between the `---` lines.";
    FileReadError = "file_read_error", Setup,
        "A document cannot be read.",
        "Check its permissions and its encoding (UTF-8).";
    TooManyFiles = "too_many_files", Caller,
        "The expression matches more documents than the limit.",
        "Narrow the expression.";

    // The run.
    NonzeroExit = "nonzero_exit", Tool,
        "The program failed with an exit code other than 0.",
        "Read its output; it is part of the result.";
    KilledBySignal = "killed_by_signal", Tool,
        "The program was killed by a signal.",
        "Look at its output; it may have crashed or exceeded a limit.";
    TimedOut = "timed_out", Tool,
        "The call reached its time limit and was stopped.",
        "Ask for less, or raise `timeout_seconds`.";
    Cancelled = "cancelled", Caller,
        "The call was cancelled.",
        "Nothing; call again if it is still wanted.";
    StepFailed = "step_failed", Tool,
        "A step of a sequence failed.",
        "Look at the step in the details; the steps after it did not run.";
    Lost = "lost", Server,
        "The server stopped while the operation ran, so its result is unknown.",
        "Check what the operation changed before you repeat it.";
    RError = "r_error", Tool,
        "The R function raised an error.",
        "Read the R message and the traceback in the details.";
    REnded = "r_ended", Tool,
        "R exited during the call.",
        "Correct the function; the next call starts a new R process.";
    PythonEnded = "python_ended", Tool,
        "Python exited during the call.",
        "Correct the function; the next call starts a new Python process.";

    // The machine.
    RPackageMissing = "r_package_missing", Setup,
        "An R package that the function needs is not installed.",
        "Install the package in the message.";
    RFunctionMissing = "r_function_missing", Tool,
        "The R package has no such function.",
        "Correct the name in the definition, or install the version that has it.";
    ProgramNotFound = "program_not_found", Setup,
        "The program of the tool is not installed.",
        "Install it, or add its folder to `PATH`.";
    ProgramOutsideCrib = "program_outside_crib", Tool,
        "The relative path of the program leads out of the crib.",
        "Use an absolute path.";
    NotAvailable = "not_available", Setup,
        "The availability check of the tool failed.",
        "Follow the instructions in the message.";
    CannotStart = "cannot_start", Setup,
        "The program exists but could not be started.",
        "Check its permissions and its interpreter.";
    RMissing = "r_missing", Setup,
        "R is not installed.",
        "Install R.";
    PythonNotFound = "python_not_found", Setup,
        "Python is not installed.",
        "Install Python 3, or create `.venv` in the crib.";
    NotEnabled = "not_enabled", Setup,
        "The feature is switched off in this crib.",
        "Switch it on in `toolcrib.toml`.";
    NotKept = "not_kept", Setup,
        "The server has no storage for tools.",
        "Serve the tool with a store.";
    Unreadable = "unreadable", Setup,
        "A document or its folder cannot be read.",
        "Check its permissions.";
    NotText = "not_text", Caller,
        "The document is not UTF-8 text.",
        "Convert it to UTF-8.";
    TooLarge = "too_large", Caller,
        "The document is larger than the limit.",
        "Split it, or raise `max_bytes` in `[documents]`.";
    StorageError = "storage_error", Setup,
        "A document cannot be written or removed.",
        "Check permissions and free space.";
    StoreFailed = "store_failed", Server,
        "The store of the crib could not be read or written.",
        "Try again; the log of the server names the cause.";
    InternalError = "internal_error", Server,
        "The server failed.",
        "Report it with the server's log.";

    // Renders.
    RenderFailed = "render_failed", Tool,
        "The document could not be rendered.",
        "Correct the document at the place in the details.";
    NoBackend = "no_backend", Setup,
        "No render backend is available.",
        "Run `toolcrib doctor`.";
    LocalNotAllowed = "local_not_allowed", Setup,
        "Rendering on this machine is not allowed.",
        "Set `allow_local = true` in `[documents]`, or use Docker.";
    MissingComponent = "missing_component", Setup,
        "A program or package that rendering needs is missing.",
        "Install the component in the message.";
    ComposeMissing = "compose_missing", Setup,
        "Docker Compose is not installed.",
        "Install it, or choose another backend.";
    DockerUnavailable = "docker_unavailable", Setup,
        "The Docker engine cannot be reached.",
        "Start it, or choose another backend.";
    DockerFailed = "docker_failed", Setup,
        "The Docker engine refused or failed.",
        "Read the message of the engine in the details.";
    ImageMissing = "image_missing", Setup,
        "The image that `image` in `[documents]` names is not on this machine.",
        "Pull it, or remove the key to build the default image.";
    ImageBuildFailed = "image_build_failed", Setup,
        "The image for rendering could not be built.",
        "Read the build log in the details.";
    DiskFull = "disk_full", Setup,
        "The disk is full.",
        "Free some space and try again.";
    OutOfMemory = "out_of_memory", Tool,
        "All processes of a call together used more memory than its limit.",
        "Use less data, or raise `memory_bytes` in `[limits]`, for a render `memory_mib` in `[documents]`.";
    TooManyProcesses = "too_many_processes", Tool,
        "A call had more processes and threads than its limit.",
        "Start fewer, or raise `processes` in `[limits]`, for a render in `[documents]`.";
    TooMuchDisk = "too_much_disk", Tool,
        "A call wrote more to its temporary folder than its limit.",
        "Write less, or raise `temp_bytes` in `[limits]`.";
    ProtectedFileReplaced = "protected_file_replaced", Setup,
        "A file that only people may change was replaced or removed during the call, which could write to the new one, so the call was killed.",
        "Check that the file has the content that you want, then call again.";
    OutputTooLarge = "output_too_large", Tool,
        "The rendered output is larger than its limit.",
        "Make the document smaller.";
}

impl ErrorType {
    /// The exit code of `toolcrib call` for this failure, as its help documents: 4 for arguments
    /// that could not be accepted, 5 for a missing approval, 1 for everything else.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::InvalidArguments | Self::PathOutsideRoots | Self::PathProtected => 4,
            Self::ApprovalRequired => 5,
            _ => 1,
        }
    }
}

impl fmt::Display for ErrorType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<ErrorType> for &'static str {
    fn from(error_type: ErrorType) -> Self {
        error_type.as_str()
    }
}

impl Serialize for ErrorType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::ErrorType;

    #[test]
    fn texts_are_unique_and_round_trip() {
        let texts: HashSet<_> = ErrorType::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(texts.len(), ErrorType::ALL.len());
        for kind in ErrorType::ALL {
            assert_eq!(ErrorType::from_text(kind.as_str()), Some(*kind));
        }
    }
}
