//! Environment variables that a call may add to those chosen by the operator.

use catalog::{ErrorType, Failure};

use crate::failures;

/// Variables that make programs load code, run other programs, or trust other files.
const FORBIDDEN: [&str; 38] = [
    "PATH",
    "IFS",
    "ENV",
    "HOME",
    "SHELL",
    "TMPDIR",
    "TMP",
    "TEMP",
    "BASH_ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "CDPATH",
    "ZDOTDIR",
    "PERLLIB",
    "RUBYOPT",
    "RUBYLIB",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "CLASSPATH",
    "PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "GCONV_PATH",
    "LOCPATH",
    "NLSPATH",
    "OPENSSL_CONF",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
];

/// Prefixes of such variables.
const FORBIDDEN_PREFIXES: [&str; 26] = [
    "LD_",
    "DYLD_",
    "BASH_FUNC_",
    "PYTHON",
    "PERL5",
    "GIT_SSH",
    "GIT_EXEC_PATH",
    "GIT_CONFIG",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "GIT_TEMPLATE_DIR",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RUSTC",
    "RUSTFLAGS",
    "RUSTDOC",
    "CARGO_",
    "R_PROFILE",
    "R_ENVIRON",
    "R_LIBS",
    "R_HOME",
    "MALLOC_",
];

/// Rejects malformed names, and variables with which a caller could run their own code unless the
/// definition lists them. Policy asks a person about all others that it does not list.
pub(crate) fn check_name(parameter: &str, name: &str, is_listed: bool) -> Result<(), Failure> {
    // A name with `=` would set another variable than the one that was checked.
    if !is_name(name) {
        let message = format!(
            "'{name}' is not a name for an environment variable; use letters, digits and `_`, no digit first"
        );
        return Err(failures::argument_failure(
            parameter,
            message,
            "names of letters, digits and `_`",
            name,
        ));
    }
    if !is_listed && is_forbidden(name) {
        let message = format!(
            "the environment variable `{name}` may not be set by a call: programs take code or trust from it"
        );
        return Err(failures::failure_at_argument(
            parameter,
            ErrorType::VariableRefused,
            message,
            "other variables",
            name,
        ));
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Ignores case, because programs read `http_proxy` like `HTTP_PROXY`.
fn is_forbidden(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    FORBIDDEN.contains(&name.as_str())
        || FORBIDDEN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        // A proxy could read and change everything that the program sends.
        || name.ends_with("_PROXY")
}

#[cfg(test)]
mod tests {
    use super::check_name;

    #[test]
    fn rejects_variables_that_inject_code_or_redirect() {
        for name in [
            "PATH",
            "LD_PRELOAD",
            "BASH_ENV",
            "PYTHONPATH",
            "git_ssh_command",
            "https_proxy",
            "R_PROFILE_USER",
            "PERL5OPT",
        ] {
            assert!(check_name("env_vars", name, false).is_err(), "{name}");
        }
    }

    #[test]
    fn rejects_malformed_names() {
        for name in ["", "1A", "A=B", "A B", "É", "A\0"] {
            assert!(check_name("env_vars", name, false).is_err(), "{name}");
        }
    }

    #[test]
    fn accepts_ordinary_names() {
        for name in ["DEBUG", "_x", "GIT_AUTHOR_NAME", "LANG", "RUST_LOG", "PATHS"] {
            assert!(check_name("env_vars", name, false).is_ok(), "{name}");
        }
    }
}
