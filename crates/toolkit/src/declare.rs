//! Declaring tools next to their definition, and collecting the declarations.
//!
//! [`declare!`](crate::declare) puts a function pointer into a link section, which the linker
//! gathers from all crates; no code runs before `main`. The linker drops crates that nothing refers
//! to, together with their declarations: refer to such a crate with `use that_crate as _;`, or add
//! its tools to a [`Toolset`](crate::Toolset) by hand.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Native;

/// The declared functions, in link order, which differs between builds.
#[doc(hidden)]
#[linkme::distributed_slice]
pub static DECLARED: [fn() -> Native];

/// Declares a tool: `declare!(greet_tool);` next to `fn greet_tool() -> Native`. The function
/// itself is unchanged and can still be called.
#[macro_export]
macro_rules! declare {
    ($function:path) => {
        const _: () = {
            #[expect(unsafe_code, reason = "a link section is how declarations are collected")]
            #[$crate::linkme::distributed_slice($crate::DECLARED)]
            #[linkme(crate = $crate::linkme)]
            static DECLARATION: fn() -> $crate::Native = $function;
        };
    };
}

/// The declared tools of this program, for one server. Taking them twice would register every tool
/// twice; each server of a process has its own value.
#[derive(Debug, Default)]
pub struct Declarations {
    is_taken: AtomicBool,
}

impl Declarations {
    /// All declared tools, sorted by name, on the first call; none afterwards.
    pub fn take_once(&self) -> Vec<Native> {
        if self.is_taken.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        let mut natives: Vec<_> = DECLARED.iter().map(|declared| declared()).collect();
        // Link order differs between builds, and the list of tools must not.
        natives.sort_by(|a, b| a.tool.name.cmp(&b.tool.name));
        natives
    }
}
