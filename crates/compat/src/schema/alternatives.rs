//! Compares schemas that have several branches of one type, such as `anyOf` of two objects.

use std::cell::Cell;

use serde_json::{Map, Value};

use super::{Comparer, PairAddress, branch::Branch};
use crate::{
    Direction, Effect,
    rules::value::{TYPE_CHANGED, TYPE_NARROWED, TYPE_WIDENED},
};

/// The branches of one side that no branch of the other side covers.
struct Uncovered<'a> {
    /// Branches that are certainly not covered.
    branches: Vec<Branch<'a>>,
    /// Whether there are branches of which that is not known.
    has_undecided: bool,
}

/// The documents that a trial comparison resolves references in.
struct Roots<'a> {
    from: &'a Map<String, Value>,
    to: &'a Map<String, Value>,
}

impl<'a> Comparer<'a> {
    /// Compares several branches of one type.
    ///
    /// Alternatives have no names, so nothing tells which old one became which new one. Instead, an
    /// alternative is lost if no new one covers it, and new if no old one covers it. This is
    /// stricter than necessary: a branch may also be covered by several others together, which is
    /// then reported although nothing broke.
    pub(super) fn compare_alternatives(
        &mut self,
        old: &[Branch<'a>],
        new: &[Branch<'a>],
        pointer: &str,
    ) {
        let lost = self.find_uncovered(old, new, Roots { from: self.old_root, to: self.new_root });
        let gained =
            self.find_uncovered(new, old, Roots { from: self.new_root, to: self.old_root });
        let is_decided = !lost.has_undecided && !gained.has_undecided;
        // If exactly one on each side has no counterpart, one became the other: report the
        // difference between the two in detail.
        if let ([old], [new]) = (lost.branches.as_slice(), gained.branches.as_slice())
            && is_decided
            && old.integers_only == new.integers_only
        {
            return self.compare_branches(old, new, pointer);
        }
        let type_name = old[0].json_type.name();
        let subject = self.direction.describe_subject(pointer);
        let count = |count: usize| match count {
            1 => format!("one alternative of type `{type_name}` for {subject} was"),
            count => format!("{count} alternatives of type `{type_name}` for {subject} were"),
        };
        match (lost.branches.len(), gained.branches.len()) {
            (0, 0) => {}
            (lost, 0) => self.push(&TYPE_NARROWED, pointer, format!("{} removed", count(lost))),
            (0, gained) => self.push(&TYPE_WIDENED, pointer, format!("{} added", count(gained))),
            (lost, _) => self.push(&TYPE_CHANGED, pointer, format!("{} changed", count(lost))),
        }
        if !is_decided {
            let reason = format!("the alternatives of type `{type_name}` for {subject} changed");
            self.push_undecided(pointer, &reason);
        }
    }

    fn find_uncovered(
        &mut self,
        branches: &[Branch<'a>],
        others: &[Branch<'a>],
        roots: Roots<'a>,
    ) -> Uncovered<'a> {
        let mut uncovered = Uncovered { branches: Vec::new(), has_undecided: false };
        for branch in branches {
            let best = others.iter().map(|other| self.try_replacing(branch, other, &roots)).min();
            // One counterpart that covers the branch is enough, so the mildest result counts.
            match best.unwrap_or(Effect::Breaking) {
                Effect::Breaking => uncovered.branches.push(branch.clone()),
                Effect::Undecided => uncovered.has_undecided = true,
                Effect::Metadata | Effect::Behavioural | Effect::Compatible => {}
            }
        }
        uncovered
    }

    /// The effect on callers if a parameter with the schema `branch` got the schema `other`: not
    /// breaking if and only if `other` covers `branch`.
    ///
    /// Coverage is a question about input, whatever the direction of the whole comparison: the
    /// mirror image for output follows from asking in both directions.
    fn try_replacing(
        &mut self,
        branch: &Branch<'a>,
        other: &Branch<'a>,
        roots: &Roots<'a>,
    ) -> Effect {
        // The types of single branches are not compared below: that is the task of `compare_types`,
        // which sees all branches at once.
        if other.integers_only && !branch.integers_only {
            return Effect::Breaking;
        }
        if !self.count_step() {
            return Effect::Undecided;
        }
        // The pairs in progress are (old, new). When asking from new to old, they are turned
        // around, or a recursive schema would not recognize itself.
        let is_forward = std::ptr::eq(roots.from, self.old_root);
        let turn = |(old, new): &PairAddress| if is_forward { (*old, *new) } else { (*new, *old) };
        let mut trial = Comparer {
            old_root: roots.from,
            new_root: roots.to,
            direction: Direction::Input,
            ignores_annotations: true,
            in_progress: self.in_progress.iter().map(turn).collect(),
            // Annotations are ignored and the pointer is empty because nothing of a trial is shown:
            // only the worst effect is used.
            steps: Cell::new(self.steps.get()),
            changes: Vec::new(),
        };
        trial.compare_branches(branch, other, "");
        // Trials share the budget, or nested alternatives would multiply it.
        self.steps.set(trial.steps.get());
        trial.changes.iter().map(|change| change.effect).max().unwrap_or(Effect::Metadata)
    }
}
