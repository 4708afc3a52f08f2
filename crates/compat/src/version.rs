//! The version that changes need: breaking ones a major step, all others that callers can notice a patch at least.
//!
//! The rule makes no exception below 1.0.0: there, too, what breaks callers is a new major version. A pre-release of a
//! version that is a large enough step is one itself, and so is the next pre-release of the same.

use semver::{Prerelease, Version};

use crate::Class;

/// The version of a tool that never had one.
const FIRST: &str = "1.0.0";

/// A step from one version to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bump {
    /// None is needed.
    None,
    /// The third number.
    Patch,
    /// The second.
    Minor,
    /// The first.
    Major,
}

impl Bump {
    /// The least step that a class of changes needs.
    pub(crate) fn needed(class: Class) -> Self {
        match class {
            Class::None | Class::Metadata => Self::None,
            Class::Behavioural | Class::Compatible => Self::Patch,
            Class::Breaking => Self::Major,
        }
    }

    /// The step that tells people most: additions are for a minor version, although a patch is enough.
    fn suggested(class: Class) -> Self {
        if class == Class::Compatible { Self::Minor } else { Self::needed(class) }
    }

    /// The word that is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        }
    }

    /// The version that is this step above another. A pre-release is already on its way to one.
    fn from(self, version: &Version) -> Version {
        let Version { major, minor, patch, .. } = *version;
        let is_before = |is_round: bool| !version.pre.is_empty() && is_round;
        match self {
            Self::None => version.clone(),
            Self::Patch if is_before(true) => Version::new(major, minor, patch),
            Self::Patch => Version::new(major, minor, patch.saturating_add(1)),
            Self::Minor if is_before(patch == 0) => Version::new(major, minor, 0),
            Self::Minor => Version::new(major, minor.saturating_add(1), 0),
            Self::Major if is_before(minor == 0 && patch == 0) => Version::new(major, 0, 0),
            Self::Major => Version::new(major.saturating_add(1), 0, 0),
        }
    }

    /// Whether `new` is at least this step above `old`.
    fn is_made(self, old: &Version, new: &Version) -> bool {
        let released = Version { pre: Prerelease::EMPTY, ..new.clone() };
        self == Self::None && new >= old || new > old && released >= self.from(old)
    }
}

/// Whether a declared version is high enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether it is.
    pub ok: bool,
    /// The version to use, if another is needed or would say more.
    pub use_version: Option<String>,
    /// What is to be said about the version, if anything is.
    pub remark: Option<String>,
}

impl Verdict {
    fn fine() -> Self {
        Self { ok: true, use_version: None, remark: None }
    }

    fn of(ok: bool, use_version: String, remark: String) -> Self {
        Self { ok, use_version: Some(use_version), remark: Some(remark) }
    }
}

/// Judges the version of a tool whose changes are of a class and need a step.
pub(crate) fn judge(class: Class, bump: Bump, old: Option<&str>, new: Option<&str>) -> Verdict {
    match (old.map(read), new.map(read)) {
        (Some(Some(old)), Some(Some(new))) => between(class, bump, &old, &new),
        _ if class != Class::Breaking => Verdict::fine(),
        // What never had a version makes its first step with the first that it gets.
        (None | Some(None), Some(Some(first))) if first.major > 0 => Verdict::fine(),
        (Some(Some(old)), _) => {
            let next = Bump::Major.from(&old).to_string();
            let remark =
                format!("a breaking change needs a version, and there is none: use {next}");
            Verdict::of(false, next, remark)
        }
        (_, Some(Some(_))) => Verdict::of(
            false,
            FIRST.to_owned(),
            format!("a breaking change needs a major version: use {FIRST}"),
        ),
        _ => Verdict::of(
            false,
            FIRST.to_owned(),
            format!("a breaking change needs a version, and there is none: use {FIRST}"),
        ),
    }
}

/// Judges a tool that is gone, and with it whatever could have declared that.
pub(crate) fn undeclared(old: Option<&str>) -> Verdict {
    let use_version = old.and_then(read).map(|old| Bump::Major.from(&old).to_string());
    let remark =
        "nothing declares that it is gone: bring it back, or allow `tool-removed` with a reason"
            .to_owned();
    Verdict { ok: false, use_version, remark: Some(remark) }
}

fn between(class: Class, bump: Bump, old: &Version, new: &Version) -> Verdict {
    if bump.is_made(old, new) {
        let suggested = Bump::suggested(class).from(old);
        return match bump < Bump::suggested(class) && !Bump::suggested(class).is_made(old, new) {
            true => Verdict::of(
                true,
                suggested.to_string(),
                format!("enough; {suggested} would tell of the addition"),
            ),
            false => Verdict::fine(),
        };
    }
    let next = Bump::suggested(class).from(old);
    let least = bump.from(old);
    let remark = match (bump, least == next) {
        (Bump::None, _) => format!("the version goes back: use {next} or higher"),
        (_, true) => format!("too low: use {next}"),
        (_, false) => format!("too low: use {next}, or at least {least}"),
    };
    Verdict::of(false, next.to_string(), remark)
}

/// A version, also one that lacks its last numbers or has a `v` in front.
fn read(text: &str) -> Option<Version> {
    let text = text.trim().trim_start_matches(['v', 'V']);
    let dots =
        text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').filter(|c| *c == '.').count();
    let rest = ["", ".0", ".0.0"][2_usize.saturating_sub(dots).min(2)];
    let numbers = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    Version::parse(&format!("{}{rest}{}", &text[..numbers], &text[numbers..])).ok()
}

#[cfg(test)]
mod tests {
    use super::{Bump, Class, judge, read};

    fn verdict(class: Class, old: Option<&str>, new: Option<&str>) -> (bool, Option<String>) {
        let verdict = judge(class, Bump::needed(class), old, new);
        (verdict.ok, verdict.use_version)
    }

    fn of(class: Class, old: &str, new: &str) -> (bool, Option<String>) {
        verdict(class, Some(old), Some(new))
    }

    fn used(ok: bool, version: &str) -> (bool, Option<String>) {
        (ok, Some(version.to_owned()))
    }

    #[test]
    fn a_breaking_change_needs_a_major_step() {
        assert_eq!(of(Class::Breaking, "1.4.2", "1.5.0"), used(false, "2.0.0"));
        assert_eq!(of(Class::Breaking, "1.4.2", "2.0.0"), (true, None));
        assert_eq!(of(Class::Breaking, "1.4.2", "3.1.4"), (true, None));
        assert_eq!(
            of(Class::Breaking, "0.4.2", "0.5.0"),
            used(false, "1.0.0"),
            "no exception below 1.0.0"
        );
    }

    #[test]
    fn an_addition_needs_a_patch_and_a_minor_step_is_suggested() {
        assert_eq!(of(Class::Compatible, "1.4.2", "1.4.2"), used(false, "1.5.0"));
        assert_eq!(of(Class::Compatible, "1.4.2", "1.4.3"), used(true, "1.5.0"));
        assert_eq!(of(Class::Compatible, "1.4.2", "1.5.0"), (true, None));
    }

    #[test]
    fn text_needs_a_patch_and_what_is_not_for_callers_nothing() {
        assert_eq!(of(Class::Behavioural, "1.4.2", "1.4.2"), used(false, "1.4.3"));
        assert_eq!(of(Class::Behavioural, "1.4.2", "1.4.3"), (true, None));
        assert_eq!(of(Class::Metadata, "1.4.2", "1.4.2"), (true, None));
        assert_eq!(of(Class::None, "1.4.2", "1.4.2"), (true, None));
        assert_eq!(
            of(Class::Metadata, "1.4.2", "1.4.1"),
            used(false, "1.4.2"),
            "a version does not go back"
        );
    }

    #[test]
    fn a_missing_version_is_an_error_only_where_something_breaks() {
        assert_eq!(verdict(Class::Breaking, None, None), used(false, "1.0.0"));
        assert_eq!(verdict(Class::Breaking, Some("1.2.0"), None), used(false, "2.0.0"));
        assert_eq!(
            verdict(Class::Breaking, None, Some("1.0.0")),
            (true, None),
            "the first version is a step"
        );
        assert_eq!(verdict(Class::Breaking, None, Some("0.2.0")), used(false, "1.0.0"));
        assert_eq!(verdict(Class::Breaking, None, Some("latest")), used(false, "1.0.0"));
        assert_eq!(verdict(Class::Compatible, None, None), (true, None));
        assert_eq!(verdict(Class::Behavioural, Some("1.2.0"), None), (true, None));
    }

    #[test]
    fn a_pre_release_of_a_large_enough_step_is_one() {
        assert!(of(Class::Breaking, "1.4.2", "2.0.0-beta.1").0);
        assert!(of(Class::Breaking, "2.0.0-beta.1", "2.0.0-beta.2").0);
        assert!(of(Class::Breaking, "2.0.0-beta.1", "2.0.0").0);
        assert_eq!(of(Class::Breaking, "2.0.0-beta.1", "2.0.0-beta.1"), used(false, "2.0.0"));
        assert_eq!(of(Class::Breaking, "2.1.0-beta.1", "2.1.0"), used(false, "3.0.0"));
    }

    #[test]
    fn reads_versions_that_lack_numbers() {
        let read = |text| read(text).map(|version| version.to_string());
        assert_eq!(read("1.2"), Some("1.2.0".to_owned()));
        assert_eq!(read("v1"), Some("1.0.0".to_owned()));
        assert_eq!(read("1.2.3-rc.1+5"), Some("1.2.3-rc.1+5".to_owned()));
        assert_eq!(read("1.2-rc.1"), Some("1.2.0-rc.1".to_owned()));
        assert_eq!([read("latest"), read(""), read("1.2.3.4")], [None, None, None]);
    }
}
