//! Error types as text: one section for `explain`, all of them for the reference.

use catalog::{ErrorType, Fault};

/// One error type: who can fix it, the exit code, what happened and what to do.
pub fn render_error_type(error_type: ErrorType) -> String {
    render_section(error_type, "#")
}

/// All error types: a table, then a section for each.
pub fn render_errors_reference() -> String {
    let mut page = "# Error types\n\nThe `error_type` of a call that was rejected or failed. Texts never change, so scripts may \
                    match on them. `toolcrib explain ERROR_TYPE` prints one of them. A tool can report types of its own, \
                    which are not listed here and have exit code 1.\n\n"
        .to_owned();
    page.push_str(
        "The fault names who can fix the failure:\n\n| fault | who can fix it |\n|---|---|\n",
    );
    for fault in Fault::ALL {
        page.push_str(&format!("| {} | {} |\n", fault.as_str(), describe_fault(fault)));
    }
    page.push_str("\n| error type | fault | exit code |\n|---|---|---|\n");
    for error_type in ErrorType::ALL {
        page.push_str(&format!(
            "| [{error_type}](#{error_type}) | {} | {} |\n",
            error_type.fault().as_str(),
            error_type.exit_code()
        ));
    }
    for error_type in ErrorType::ALL {
        page.push('\n');
        page.push_str(&render_section(*error_type, "##"));
    }
    page
}

fn render_section(error_type: ErrorType, heading: &str) -> String {
    format!(
        "{heading} {error_type}\n\nFault: {}. Exit code of `toolcrib call`: {}.\n\n{}\n\nWhat to do: {}\n",
        error_type.fault().as_str(),
        error_type.exit_code(),
        error_type.meaning(),
        error_type.advice()
    )
}

fn describe_fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Caller => "the caller: other arguments or another request would succeed",
        Fault::Approval => "a person: an approval, an answer or a policy decides",
        Fault::Tool => "the author of the tool: its definition, program or document is wrong",
        Fault::Setup => "the operator: something is missing or not allowed on this machine",
        Fault::Server => "the server itself",
    }
}
