//! A receipt as a page.

use super::{Layout, Part};

const STYLE: &str = "body{font:14px/1.4 ui-monospace,monospace;max-width:26em;margin:1em auto}\
    p{margin:0;white-space:pre-wrap}.c{text-align:center}.m{text-align:center;font-weight:bold}\
    .f{display:flex;justify-content:space-between}.t{font-weight:bold;font-size:1.2em}\
    hr{border:0;border-top:1px dashed}";

/// The receipt as one HTML document without outside resources.
pub fn html(title: &str, layout: &Layout) -> String {
    let mut body = String::new();
    for part in &layout.0 {
        body.push_str(&match part {
            Part::Centre(text) => format!("<p class=c>{}</p>", escape(text)),
            Part::Mark(text) => format!("<p class=m>*** {} ***</p>", escape(text)),
            Part::Line(text) => format!("<p>{}</p>", escape(text)),
            Part::Figure(text, figure) => row("f", text, figure),
            Part::Total(text, figure) => row("f t", text, figure),
            Part::Rule => "<hr>".to_owned(),
        });
        body.push('\n');
    }
    page(title, STYLE, &body)
}

fn row(class: &str, text: &str, figure: &str) -> String {
    format!("<p class=\"{class}\"><span>{}</span><span>{}</span></p>", escape(text), escape(figure))
}

/// A page with a style of its own and nothing from outside.
pub(crate) fn page(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{}</title>\n<style>{style}</style>\n\
         {body}</html>\n",
        escape(title)
    )
}

/// A text between tags or in quotes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::html;
    use crate::receipt::{Layout, Part};

    #[test]
    fn typed_html_is_escaped() {
        let name = "<script>alert('1')</script> & \"co\"".to_owned();
        let page = html("<t>", &Layout(vec![Part::Line(name.clone()), Part::Figure(name, "1".to_owned())]));
        assert!(!page.contains("<script") && !page.contains("<t>"), "{page}");
        assert!(
            page.contains("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &amp; &quot;co&quot;"),
            "{page}"
        );
    }
}
