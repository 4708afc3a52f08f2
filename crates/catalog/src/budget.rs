//! Limits the work that untrusted input can cause on one thread.
//!
//! Validators and parsers of other crates cannot be interrupted from outside, and some of their
//! inputs take exponential time. They call [`spend`] wherever they look at the input; once the
//! budget of the thread is used up, `spend` unwinds to the [`Budget::run`] that set it. There is no
//! clock here: a caller with a deadline sets the flag of [`Budget::with_deadline_flag`] when it has
//! passed.

use std::{
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Steps between two checks of the flag. A step takes a few nanoseconds.
const FLAG_INTERVAL: u64 = 1 << 12;

thread_local! {
    static STEPS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
    static EXPIRED: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// A limit on the amount of work.
#[derive(Clone, Debug)]
pub struct Budget {
    steps: u64,
    expired: Option<Arc<AtomicBool>>,
}

/// The work was given up because its budget was used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// A number of steps: roughly, looks at a node of the input.
    pub fn steps(steps: u64) -> Self {
        Self { steps, expired: None }
    }

    /// Work until the flag is set by another thread.
    pub fn with_deadline_flag(expired: Arc<AtomicBool>) -> Self {
        Self { steps: u64::MAX, expired: Some(expired) }
    }

    /// Runs `work` on this thread within the budget. Inside of another `run`, its budget applies as
    /// well, and is not handled here when it is the one that is used up.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Result<T, Exhausted> {
        let outer_steps = STEPS_LEFT.get();
        let outer_flag = EXPIRED.with_borrow(Clone::clone);
        let steps = self.steps.min(outer_steps);
        STEPS_LEFT.set(steps);
        if let Some(flag) = &self.expired {
            EXPIRED.set(Some(Arc::clone(flag)));
        }
        let result = catch_unwind(AssertUnwindSafe(work));
        let outer_left = outer_steps - (steps - STEPS_LEFT.get());
        STEPS_LEFT.set(outer_left);
        EXPIRED.set(outer_flag);
        match result {
            Ok(done) => Ok(done),
            Err(panic) if !panic.is::<Exhausted>() => resume_unwind(panic),
            // The outer budget is used up as well. By now, the flag is that of the outer one.
            Err(panic) if outer_left == 0 || is_flag_set() => resume_unwind(panic),
            Err(_) => Err(Exhausted),
        }
    }
}

/// Counts steps against the budget of this thread, if it has one. Unwinds when it is used up.
pub fn spend(steps: u64) {
    let before = STEPS_LEFT.get();
    let after = before.saturating_sub(steps);
    STEPS_LEFT.set(after);
    // The flag is shared by two threads, so looking at it each time would be slow.
    let is_flag_due = before / FLAG_INTERVAL != after / FLAG_INTERVAL;
    if after == 0 || (is_flag_due && is_flag_set()) {
        // Not `panic!`: the panic hook would print a message for each such request.
        resume_unwind(Box::new(Exhausted));
    }
}

fn is_flag_set() -> bool {
    EXPIRED.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, atomic::AtomicBool};

    use super::{Budget, Exhausted, spend};

    #[test]
    fn gives_up_when_the_steps_are_spent() {
        let count = |steps: u64| (0..steps).for_each(|_| spend(1));
        assert_eq!(Budget::steps(10).run(|| count(9)), Ok(()));
        assert_eq!(Budget::steps(10).run(|| count(10)), Err(Exhausted));
        count(100_000);
    }

    #[test]
    fn gives_up_when_the_flag_is_set() {
        let expired = Arc::new(AtomicBool::new(true));
        assert_eq!(
            Budget::with_deadline_flag(expired).run(|| (0..u64::MAX).for_each(|_| spend(1))),
            Err(Exhausted)
        );
    }

    #[test]
    fn an_inner_budget_is_handled_inside_and_an_outer_one_outside() {
        let inner = || Budget::steps(5).run(|| spend(7)).is_err();
        assert_eq!(Budget::steps(10).run(inner), Ok(true));
        let both = || Budget::steps(50).run(|| spend(20)).is_err();
        assert_eq!(Budget::steps(10).run(both), Err(Exhausted));
    }
}
