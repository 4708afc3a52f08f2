//! Plots are returned by the call that drew them.

use catalog::Content;
use serde_json::json;

use super::r_fixture::{RFixture, function, returning};
use testing::{skip_without, text};

#[tokio::test]
async fn plots_are_returned_as_images() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() { plot(1:3); hist(c(1, 2, 2)); 'drawn' }\nplain <- function() 1",
    );
    let outcome = fixture.run("f").await;
    assert_eq!(text(&outcome, 0), "[1] \"drawn\"\n");
    let pictures = outcome.content.iter().filter(|content| {
        matches!(content, Content::Image { data, mime_type } if mime_type == "image/png" && data.starts_with(b"\x89PNG"))
    });
    assert_eq!(pictures.count(), 2, "{:?}", outcome.content.len());
    assert_eq!(fixture.run("plain").await.content.len(), 1, "nothing is left to be drawn");
    assert!(!fixture.crib.path("crib/Rplots.pdf").exists());
}

#[tokio::test]
async fn plots_of_closed_devices_are_returned_as_images() {
    skip_without!("R");
    let fixture = RFixture::new(
        "f <- function() { plot(1:3); dev.off(); plot(3:1); dev.off(); 'drawn' }\nplain <- function() 1",
    );
    let outcome = fixture.run("f").await;
    let pictures: Vec<_> = outcome
        .content
        .iter()
        .filter_map(
            |content| {
                if let Content::Image { data, .. } = content { Some(data) } else { None }
            },
        )
        .collect();
    assert!(pictures.len() == 2 && pictures[0] != pictures[1], "{:?}", pictures.len());
    assert_eq!(fixture.run("plain").await.content.len(), 1, "nothing is left to be drawn");
}

/// Like `ggplot2`: printing the returned value draws it.
#[tokio::test]
async fn a_plot_drawn_by_printing_belongs_to_its_call() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) registerS3method('print', 'sketch', function(x, ...) plot(1:3))
         f <- function() invisible(structure(list(), class = 'sketch'))\nplain <- function() 1",
    );
    for tool in [function("f", &[]), returning("f", json!({"type": "string"}))] {
        let outcome = fixture.call(tool, json!({})).await;
        assert!(matches!(outcome.content.last(), Some(Content::Image { .. })), "{outcome:?}");
        assert_eq!(fixture.run("plain").await.content.len(), 1, "nothing is left to be drawn");
    }
}

#[tokio::test]
async fn reports_a_plot_that_cannot_be_drawn() {
    skip_without!("R");
    let fixture = RFixture::new(
        ".onLoad <- function(...) {
           space <- asNamespace('grDevices')
           unlockBinding('png', space)
           assign('png', function(...) stop('no png support in this R'), envir = space)
         }
         f <- function() { plot(1:3); 'done' }",
    );
    let outcome = fixture.run("f").await;
    assert!(!outcome.failed, "{outcome:?}");
    assert_eq!(text(&outcome, 0), "[1] \"done\"\n");
    let said = text(&outcome, 1);
    assert!(said.contains("the plot could not be drawn: no png support in this R"), "{said}");
    assert!(outcome.content.iter().all(|content| !matches!(content, Content::Image { .. })));
}
