//! May this call be made at all? Asked once the arguments are known to be good.

use catalog::{Failure, Tool};

/// Refuses what needs a person's yes: there is no way to ask for one yet.
pub(crate) fn admit(tool: &Tool) -> Result<(), Failure> {
    match tool.marks.requires_approval {
        Some(true) => Err(Failure::new(
            "approval_required",
            format!("`{}` needs a person's approval, and this version cannot ask for one yet; nothing was run", tool.name),
        )),
        Some(false) | None => Ok(()),
    }
}
