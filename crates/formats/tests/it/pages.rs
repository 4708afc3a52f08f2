//! Functions that share a page of documentation, and pages that others take parameters from.
