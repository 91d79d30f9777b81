//! The subset of SVG that a drawing of boxes needs.

use std::fmt::Write;

/// An SVG drawing under construction.
pub(crate) struct Svg {
    body: String,
    width: f64,
    height: f64,
}

/// The position, size and colour of a rectangle.
#[derive(Clone, Copy)]
pub(crate) struct Rect {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

impl Svg {
    pub(crate) fn new() -> Self {
        Self {
            body: String::new(),
            width: 0.0,
            height: 0.0,
        }
    }

    pub(crate) fn rectangle(&mut self, rect: Rect, fill: &str, title: &str) {
        let Rect {
            x,
            y,
            width,
            height,
        } = rect;
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\" stroke=\"#555\" \
             stroke-width=\"0.5\"><title>{}</title></rect>",
            escaped(title)
        ));
        self.grow(x + width, y + height);
    }

    pub(crate) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>",
            escaped(text)
        ));
        let end = if class.contains("middle") {
            0.0
        } else {
            7.0 * text.chars().count() as f64
        };
        self.grow(x + end, y + 4.0);
    }

    fn grow(&mut self, x: f64, y: f64) {
        self.width = self.width.max(x);
        self.height = self.height.max(y);
    }

    fn put(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.body, "{line}");
    }

    pub(crate) fn finish(self) -> String {
        let (width, height) = (self.width + 20.0, self.height + 20.0);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\">\n\
             <style>text {{ font: 11px monospace; fill: #222 }} .head {{ font-weight: bold; font-size: 13px }} \
             .middle {{ text-anchor: middle; font-size: 9px }} .end {{ text-anchor: end }}</style>\n\
             <defs><pattern id=\"outside\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#eee\"/>\
             <line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#c33\" stroke-width=\"2\"/></pattern></defs>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{}</svg>\n",
            self.body
        )
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
