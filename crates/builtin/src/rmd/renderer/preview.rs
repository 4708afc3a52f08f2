//! A preview of a rendered page for a model: plain text and bitmap figures, both limited in size.

use base64::{Engine, engine::general_purpose::STANDARD};
use toolkit::Content;

/// Maximum length of the text of a preview, in bytes.
const MAX_TEXT: usize = 4000;
/// Limits on the number of figures and on their total size in bytes.
const MAX_FIGURES: usize = 3;
const MAX_FIGURE_BYTES: usize = 512 << 10;
/// Elements whose content is not visible text.
const HIDDEN: [&str; 4] = ["script", "style", "head", "svg"];
/// Block elements: their text starts on a new line.
const BLOCKS: [&str; 14] =
    ["p", "div", "li", "tr", "pre", "br", "h1", "h2", "h3", "h4", "table", "section", "ul", "ol"];

/// Returns the text of an HTML page, then its figures.
pub(super) fn preview(page: &str) -> Vec<Content> {
    let text = to_text(page);
    let shown = &text[..text.floor_char_boundary(MAX_TEXT)];
    let rest = text.len() - shown.len();
    let notice =
        if rest > 0 { format!("\n[… {rest} more bytes of text]") } else { String::new() };
    let mut content = Vec::new();
    content
        .extend((!shown.is_empty()).then(|| Content::Text(format!("Preview:\n{shown}{notice}"))));
    content.extend(decode_figures(page));
    content
}

/// Removes scripts, styles and embedded files, which make up most of a page.
pub(super) fn strip_page(page: &str) -> String {
    rewrite_tags(page, |out, tag| match hidden_element(tag) {
        Some(name) if name != "head" => Some(name),
        _ => {
            out.push_str(&strip_data(tag));
            None
        }
    })
}

/// Calls `rewrite` to write a replacement for each tag. If it returns the name of an element, the
/// rest of that element is dropped. An incomplete tag at the end of the page is kept.
fn rewrite_tags(page: &str, rewrite: impl Fn(&mut String, &str) -> Option<&'static str>) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find('>') else { break };
        rest = match rewrite(&mut out, &rest[..=end]) {
            Some(name) => skip_element(rest, name),
            None => &rest[end + 1..],
        };
    }
    out + rest
}

/// Removes embedded files (`data:` URIs) from the attributes of a tag.
fn strip_data(tag: &str) -> String {
    match tag.split_once("\"data:") {
        Some((before, after)) => {
            let after = after.split_once('"').map_or("", |(_, after)| after);
            format!("{before}\"\"{}", strip_data(after))
        }
        None => tag.to_owned(),
    }
}

fn to_text(page: &str) -> String {
    let text = rewrite_tags(page, |out, tag| {
        let name = tag.trim_start_matches(['<', '/']).split([' ', '>', '/', '\n']).next();
        if name.is_some_and(|name| BLOCKS.contains(&name)) {
            out.push('\n');
        }
        hidden_element(tag)
    });
    let out = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
        ("&nbsp;", " "),
        // Replaced last, or `&amp;lt;` would become `<`.
        ("&amp;", "&"),
    ]
    .into_iter()
    .fold(text, |text, (entity, character)| text.replace(entity, character));
    let lines: Vec<_> =
        out.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).collect();
    lines.join("\n")
}

fn hidden_element(tag: &str) -> Option<&'static str> {
    HIDDEN.into_iter().find(|name| {
        tag[1..].strip_prefix(name).is_some_and(|after| after.starts_with([' ', '>', '\n']))
    })
}

/// Skips the rest of an element, up to and including its end tag.
fn skip_element<'t>(text: &'t str, name: &str) -> &'t str {
    let end = format!("</{name}>");
    text.find(&end).map_or("", |at| &text[at + end.len()..])
}

/// Decodes the bitmaps that are embedded in the page.
fn decode_figures(page: &str) -> Vec<Content> {
    let mut left = MAX_FIGURE_BYTES;
    let sources = page.split("<img").skip(1).filter_map(|tag| {
        let source = tag.split_once("src=\"data:")?.1.split_once('"')?.0;
        let (mime_type, data) = source.split_once(";base64,")?;
        let is_bitmap = matches!(mime_type, "image/png" | "image/jpeg" | "image/gif");
        let data = is_bitmap.then(|| STANDARD.decode(data).ok()).flatten()?;
        Some((mime_type.to_owned(), data))
    });
    let mut found = Vec::new();
    for (mime_type, data) in sources {
        if found.len() < MAX_FIGURES && data.len() <= left {
            left -= data.len();
            found.push(Content::Image { data, mime_type });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use toolkit::Content;

    use super::{preview, strip_page};

    const PAGE: &str = "<html><head><title>x</title><style>p {}</style></head><body>\n<script src=\"data:a,b\">var x = '<p>';</script>\n<h1>Cars &amp; more</h1>\n<p>Some <b>text</b></p>\n<pre>  1 &lt; 2</pre><img src=\"data:image/png;base64,aGk=\" alt=\"a\"/></body></html>";

    #[test]
    fn shows_the_text_and_the_figures_of_a_page() {
        let [Content::Text(text), Content::Image { data, mime_type }] = &preview(PAGE)[..] else {
            panic!("{:?}", preview(PAGE))
        };
        assert_eq!(text, "Preview:\nCars & more\nSome text\n  1 < 2");
        assert_eq!((data.as_slice(), mime_type.as_str()), (&b"hi"[..], "image/png"));
        let long = format!("<p>{}</p>", "ä".repeat(3000));
        let [Content::Text(text)] = &preview(&long)[..] else { panic!("a text") };
        assert!(text.ends_with("ä\n[… 2000 more bytes of text]"), "{text}");
    }

    #[test]
    fn strips_scripts_styles_and_embedded_files() {
        let stripped = strip_page(PAGE);
        assert!(stripped.contains("<img src=\"\" alt=\"a\"/>"), "{stripped}");
        assert!(!stripped.contains("var x") && !stripped.contains("p {}"), "{stripped}");
        assert!(stripped.contains("<title>x</title>") && stripped.ends_with("</body></html>"));
        for broken in ["<", "<p", "a < b", "<script>", "<img src=\"data:"] {
            strip_page(broken);
            preview(broken);
        }
    }
}
