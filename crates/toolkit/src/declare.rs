//! Declaring a tool where it is defined, and collecting what was declared.
//!
//! [`declare!`](crate::declare) leaves a function in a section of the program that the linker puts
//! together. Nothing runs before `main`. A crate that nothing refers to is not linked, and its
//! declarations with it: name it, with `use that_crate as _;`, or hand its tools to a [`Toolset`].

use std::sync::atomic::{AtomicBool, Ordering};

use crate::Native;

/// The functions that were declared, in the order of the linker.
#[doc(hidden)]
#[linkme::distributed_slice]
pub static DECLARED: [fn() -> Native];

/// Declares a tool: `declare!(greet_tool);` beside `fn greet_tool() -> Native`. The function stays
/// what it is and can be called as before.
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

/// What was declared, to be taken once. Each server of a process has its own.
#[derive(Debug, Default)]
pub struct Declarations {
    taken: AtomicBool,
}

impl Declarations {
    /// Everything that was declared, by name, the first time; nothing after that.
    pub fn take_once(&self) -> Vec<Native> {
        if self.taken.swap(true, Ordering::SeqCst) {
            return Vec::new();
        }
        let mut natives: Vec<_> = DECLARED.iter().map(|declared| declared()).collect();
        natives.sort_by(|a, b| a.tool.name.cmp(&b.tool.name));
        natives
    }
}
