//! Building an R package: reads its sources, runs its examples, and keeps its definition files up
//! to date.
//!
//! The crate `roxygen` compiles the sources and decides which files change; everything that touches
//! the disk or starts R is here.

mod examples;
mod output;
mod package;

pub use roxygen::{ExampleRecord, OtherBuilderFiles};

pub use self::{
    examples::{ExampleRunner, ExampleRuns},
    output::{Build, Change},
    package::{PackageError, RPackage},
};
pub(crate) use self::{
    examples::{FAILED_EXAMPLE, NO_R},
    output::{FOREIGN_FILE, STALE_FILE},
    package::package_name,
};
