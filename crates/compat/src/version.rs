//! The version that changes require: a major step if something breaks, otherwise at least a patch
//! if callers can notice a difference.
//!
//! There is no exception below 1.0.0: models and scripts call version 0.4 of a tool like any other,
//! so a breaking change is a new major version there too. A pre-release of a sufficient version is
//! sufficient, and so is the next pre-release of the same version.

use semver::{Prerelease, Version};

use crate::Class;

/// Suggested for a tool that never had a version.
const FIRST_VERSION: &str = "1.0.0";

/// A step from one version to the next. The order is that of size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// The version may stay.
    None,
    /// `1.2.3` to `1.2.4`.
    Patch,
    /// `1.2.3` to `1.3.0`.
    Minor,
    /// `1.2.3` to `2.0.0`.
    Major,
}

impl Bump {
    /// The smallest step that a class of changes requires.
    pub(crate) fn required_for(class: Class) -> Self {
        match class {
            Class::None | Class::Metadata => Self::None,
            Class::Behavioural | Class::Compatible => Self::Patch,
            Class::Breaking => Self::Major,
        }
    }

    /// The step that semantic versioning suggests: a minor version announces an addition, although
    /// a patch is accepted.
    fn suggested_for(class: Class) -> Self {
        if class == Class::Compatible { Self::Minor } else { Self::required_for(class) }
    }

    /// The name in output.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// The lowest version that is this step above `version`.
    fn apply_to(self, version: &Version) -> Version {
        let Version { major, minor, patch, .. } = *version;
        // `2.0.0-beta.1` already announces the step to 2.0.0, so the release itself is enough; but
        // `2.1.0-beta.1` only announces a minor step, so a major one leads to 3.0.0.
        let announces = |is_round: bool| !version.pre.is_empty() && is_round;
        match self {
            Self::None => version.clone(),
            Self::Patch if announces(true) => Version::new(major, minor, patch),
            Self::Patch => Version::new(major, minor, patch.saturating_add(1)),
            Self::Minor if announces(patch == 0) => Version::new(major, minor, 0),
            Self::Minor => Version::new(major, minor.saturating_add(1), 0),
            Self::Major if announces(minor == 0 && patch == 0) => Version::new(major, 0, 0),
            Self::Major => Version::new(major.saturating_add(1), 0, 0),
        }
    }

    /// Whether `new` is at least this step above `old`.
    fn is_taken(self, old: &Version, new: &Version) -> bool {
        // Semantic versioning orders `2.0.0-beta.1` below `2.0.0`; as a step it counts as 2.0.0.
        let released = Version { pre: Prerelease::EMPTY, ..new.clone() };
        self == Self::None && new >= old || new > old && released >= self.apply_to(old)
    }
}

/// Whether the declared version of a tool is high enough for its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionCheck {
    /// Whether the version is high enough.
    pub ok: bool,
    /// The version to use, if the declared one is too low or another would be more informative.
    pub suggestion: Option<String>,
    /// A sentence for people, if there is something to report.
    pub message: Option<String>,
}

impl VersionCheck {
    fn passed() -> Self {
        Self { ok: true, suggestion: None, message: None }
    }

    fn failed(suggestion: String, message: String) -> Self {
        Self { ok: false, suggestion: Some(suggestion), message: Some(message) }
    }
}

/// Checks the declared versions of a tool whose changes are of `class` and require `bump`.
pub(crate) fn check(
    class: Class,
    bump: Bump,
    old: Option<&str>,
    new: Option<&str>,
) -> VersionCheck {
    match (old.and_then(parse), new.and_then(parse)) {
        (Some(old), Some(new)) => check_step(class, bump, &old, &new),
        // Versions are optional as long as nothing breaks.
        _ if class != Class::Breaking => VersionCheck::passed(),
        // The first version that a tool gets is a step in itself.
        (None, Some(first)) if first.major > 0 => VersionCheck::passed(),
        // `0.x` does not announce a breaking change here, because versions below 1.0.0 get no
        // exception.
        (None, Some(_)) => VersionCheck::failed(
            FIRST_VERSION.to_owned(),
            format!("a breaking change needs a major version: use {FIRST_VERSION}"),
        ),
        (Some(old), None) => fail_without_version(new, Bump::Major.apply_to(&old).to_string()),
        (None, None) => fail_without_version(new, FIRST_VERSION.to_owned()),
    }
}

/// Checks a removed tool whose document has no version either, so that nothing can declare the
/// removal.
pub(crate) fn check_removed(old: Option<&str>) -> VersionCheck {
    let suggestion = old.and_then(parse).map(|old| Bump::Major.apply_to(&old).to_string());
    let message =
        "no version declares the removal: restore the tool, or allow `tool-removed` with a reason"
            .to_owned();
    VersionCheck { ok: false, suggestion, message: Some(message) }
}

fn fail_without_version(declared: Option<&str>, next: String) -> VersionCheck {
    let problem = match declared {
        Some(text) => format!("a breaking change needs a version and `{text}` is not one"),
        None => "a breaking change needs a version and the tool has none".to_owned(),
    };
    let message = format!("{problem}: use {next}");
    VersionCheck::failed(next, message)
}

fn check_step(class: Class, required: Bump, old: &Version, new: &Version) -> VersionCheck {
    let suggested = Bump::suggested_for(class);
    let next = suggested.apply_to(old);
    if required.is_taken(old, new) {
        if required >= suggested || suggested.is_taken(old, new) {
            return VersionCheck::passed();
        }
        let message = format!("sufficient; {next} would announce the addition");
        return VersionCheck {
            ok: true,
            suggestion: Some(next.to_string()),
            message: Some(message),
        };
    }
    let least = required.apply_to(old);
    let message = if required == Bump::None {
        format!("the version went down: use {next} or higher")
    } else if least == next {
        format!("too low: use {next}")
    } else {
        format!("too low: use {next}, or at least {least}")
    };
    VersionCheck::failed(next.to_string(), message)
}

/// Parses a version leniently: a leading `v` is ignored and missing numbers are zero.
fn parse(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    let numbers = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let dots = text[..numbers].matches('.').count();
    // `1.2` and `v2` are common in definitions, and the semver crate accepts only three numbers.
    let padding = ["", ".0", ".0.0"][2_usize.saturating_sub(dots)];
    Version::parse(&format!("{}{padding}{}", &text[..numbers], &text[numbers..])).ok()
}

#[cfg(test)]
mod tests {
    use super::{Bump, Class, check, parse};

    /// Whether the version is high enough, and the suggestion.
    fn check_optional(
        class: Class,
        old: Option<&str>,
        new: Option<&str>,
    ) -> (bool, Option<String>) {
        let checked = check(class, Bump::required_for(class), old, new);
        (checked.ok, checked.suggestion)
    }

    fn check_versions(class: Class, old: &str, new: &str) -> (bool, Option<String>) {
        check_optional(class, Some(old), Some(new))
    }

    fn suggesting(ok: bool, version: &str) -> (bool, Option<String>) {
        (ok, Some(version.to_owned()))
    }

    #[test]
    fn a_breaking_change_needs_a_major_version() {
        assert_eq!(check_versions(Class::Breaking, "1.4.2", "1.5.0"), suggesting(false, "2.0.0"));
        assert_eq!(check_versions(Class::Breaking, "1.4.2", "2.0.0"), (true, None));
        assert_eq!(check_versions(Class::Breaking, "1.4.2", "3.1.4"), (true, None));
        assert_eq!(
            check_versions(Class::Breaking, "0.4.2", "0.5.0"),
            suggesting(false, "1.0.0"),
            "no exception below 1.0.0"
        );
    }

    #[test]
    fn an_addition_needs_a_patch_and_suggests_a_minor_version() {
        assert_eq!(check_versions(Class::Compatible, "1.4.2", "1.4.2"), suggesting(false, "1.5.0"));
        assert_eq!(check_versions(Class::Compatible, "1.4.2", "1.4.3"), suggesting(true, "1.5.0"));
        assert_eq!(check_versions(Class::Compatible, "1.4.2", "1.5.0"), (true, None));
    }

    #[test]
    fn text_needs_a_patch_and_metadata_nothing() {
        assert_eq!(
            check_versions(Class::Behavioural, "1.4.2", "1.4.2"),
            suggesting(false, "1.4.3")
        );
        assert_eq!(check_versions(Class::Behavioural, "1.4.2", "1.4.3"), (true, None));
        assert_eq!(check_versions(Class::Metadata, "1.4.2", "1.4.2"), (true, None));
        assert_eq!(check_versions(Class::None, "1.4.2", "1.4.2"), (true, None));
        assert_eq!(
            check_versions(Class::Metadata, "1.4.2", "1.4.1"),
            suggesting(false, "1.4.2"),
            "a version must not go down"
        );
    }

    #[test]
    fn a_missing_version_fails_only_if_something_breaks() {
        assert_eq!(check_optional(Class::Breaking, None, None), suggesting(false, "1.0.0"));
        assert_eq!(
            check_optional(Class::Breaking, Some("1.2.0"), None),
            suggesting(false, "2.0.0")
        );
        assert_eq!(
            check_optional(Class::Breaking, None, Some("1.0.0")),
            (true, None),
            "the first version is a step"
        );
        assert_eq!(
            check_optional(Class::Breaking, None, Some("0.2.0")),
            suggesting(false, "1.0.0")
        );
        assert_eq!(
            check_optional(Class::Breaking, None, Some("latest")),
            suggesting(false, "1.0.0")
        );
        assert_eq!(check_optional(Class::Compatible, None, None), (true, None));
        assert_eq!(check_optional(Class::Behavioural, Some("1.2.0"), None), (true, None));
    }

    #[test]
    fn a_pre_release_of_a_sufficient_version_is_sufficient() {
        assert!(check_versions(Class::Breaking, "1.4.2", "2.0.0-beta.1").0);
        assert!(check_versions(Class::Breaking, "2.0.0-beta.1", "2.0.0-beta.2").0);
        assert!(check_versions(Class::Breaking, "2.0.0-beta.1", "2.0.0").0);
        assert_eq!(
            check_versions(Class::Breaking, "2.0.0-beta.1", "2.0.0-beta.1"),
            suggesting(false, "2.0.0")
        );
        assert_eq!(
            check_versions(Class::Breaking, "2.1.0-beta.1", "2.1.0"),
            suggesting(false, "3.0.0")
        );
    }

    #[test]
    fn parses_versions_that_lack_numbers() {
        let parsed = |text| parse(text).map(|version| version.to_string());
        assert_eq!(parsed("1.2"), Some("1.2.0".to_owned()));
        assert_eq!(parsed("v1"), Some("1.0.0".to_owned()));
        assert_eq!(parsed("1.2.3-rc.1+5"), Some("1.2.3-rc.1+5".to_owned()));
        assert_eq!(parsed("1.2-rc.1"), Some("1.2.0-rc.1".to_owned()));
        assert_eq!([parsed("latest"), parsed(""), parsed("1.2.3.4")], [None, None, None]);
    }
}
