//! Declaring tools next to their definition, and collecting the declarations.

use std::{sync::Arc, thread};

use toolkit::{Declarations, Toolset, ToolsetOptions};

use crate::greeter::{greeter, zz_greet};

fn names(natives: &[toolkit::Native]) -> Vec<&str> {
    natives.iter().map(|native| native.tool.name.as_str()).collect()
}

#[test]
fn tool_declaration_leaves_the_function_callable() {
    assert_eq!(zz_greet().tool.name, "zz_greet");
}

#[test]
fn tool_module_import_triggers_collection_and_collection_retrieval_is_in_a_stable_order() {
    assert_eq!(names(&Declarations::default().take_once()), ["aa_greet", "zz_greet"]);
}

#[test]
fn double_registration_prevention_the_second_collection_is_empty() {
    let declarations = Declarations::default();
    assert_eq!(declarations.take_once().len(), 2);
    assert!(declarations.take_once().is_empty());
}

#[test]
fn thread_safety_exactly_one_of_many_threads_collects() {
    let declarations = Arc::new(Declarations::default());
    let takers: Vec<_> = (0..32)
        .map(|_| {
            thread::spawn({
                let declarations = declarations.clone();
                move || declarations.take_once().len()
            })
        })
        .collect();
    let taken: Vec<_> = takers.into_iter().map(|taker| taker.join().unwrap()).collect();
    assert_eq!(taken.iter().filter(|count| **count == 2).count(), 1);
    assert_eq!(taken.iter().sum::<usize>(), 2);
}

#[test]
fn several_servers_of_one_process_each_have_all_tools() {
    for _ in 0..2 {
        let natives = Toolset::default()
            .with_declared(&Declarations::default())
            .build(&ToolsetOptions::default())
            .unwrap();
        assert_eq!(names(&natives), ["aa_greet", "zz_greet"]);
    }
}

#[test]
fn duplicates_are_fatal() {
    let twice = Toolset::default()
        .with(greeter("greet"))
        .with(greeter("greet"))
        .build(&ToolsetOptions::default());
    assert_eq!(twice.err().unwrap().0, ["two tools have the name `greet`"]);
    let declared =
        Toolset::default().with(greeter("aa_greet")).with_declared(&Declarations::default());
    assert!(declared.build(&ToolsetOptions::default()).is_err());
}

#[test]
fn tools_can_be_added_one_by_one() {
    let set = Toolset::default().with(greeter("b")).with(greeter("a"));
    assert_eq!(names(&set.build(&ToolsetOptions::default()).unwrap()), ["a", "b"]);
}
