//! Which sessions of legacy clients are in use.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Instant,
};

use parking_lot::Mutex;

/// When sessions were last used. Most clients never close theirs, so that the one that is unused for
/// the longest time has to make room for a new one.
#[derive(Clone, Default)]
pub(super) struct SessionActivity(Arc<Mutex<HashMap<Arc<str>, LastUse>>>);

#[derive(Clone, Copy)]
struct LastUse {
    /// Requests and streams that are open.
    open: usize,
    ended: Instant,
}

impl SessionActivity {
    /// Counts a request or a stream of a session until the result is dropped.
    pub(super) fn begin(&self, session: &str) -> SessionUse {
        let session: Arc<str> = session.into();
        let mut all = self.0.lock();
        let last = all.entry(Arc::clone(&session));
        last.or_insert(LastUse { open: 0, ended: Instant::now() }).open += 1;
        SessionUse { activity: self.clone(), session }
    }

    /// The session that is unused for the longest time, of those that exist; `None` if all are in
    /// use. Forgets others.
    pub(super) fn longest_unused(&self, existing: &HashSet<Arc<str>>) -> Option<Arc<str>> {
        let mut all = self.0.lock();
        all.retain(|session, last| last.open > 0 || existing.contains(session));
        // One that was never seen here was opened and not used since.
        if let Some(unknown) = existing.iter().find(|session| !all.contains_key(*session)) {
            return Some(Arc::clone(unknown));
        }
        let unused =
            all.iter().filter(|(session, last)| last.open == 0 && existing.contains(*session));
        unused.min_by_key(|(_, last)| last.ended).map(|(session, _)| Arc::clone(session))
    }
}

/// A request or stream of a session.
pub(super) struct SessionUse {
    activity: SessionActivity,
    session: Arc<str>,
}

impl Drop for SessionUse {
    fn drop(&mut self) {
        if let Some(last) = self.activity.0.lock().get_mut(&self.session) {
            last.open -= 1;
            last.ended = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::SessionActivity;

    #[test]
    fn finds_the_least_recently_used_session() {
        let activity = SessionActivity::default();
        let existing: HashSet<_> = ["a", "b", "c"].map(Into::into).into();
        let streaming = activity.begin("a");
        for session in ["c", "b", "gone"] {
            drop(activity.begin(session));
        }
        assert_eq!(activity.longest_unused(&existing).as_deref(), Some("c"));
        drop(activity.begin("c"));
        assert_eq!(activity.longest_unused(&existing).as_deref(), Some("b"));
        let _all = (activity.begin("b"), activity.begin("c"));
        assert_eq!(activity.longest_unused(&existing), None);
        drop(streaming);
        assert_eq!(activity.longest_unused(&existing).as_deref(), Some("a"));
    }
}
