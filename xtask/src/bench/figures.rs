//! The figures of one run: what was measured, in which unit, and the bar it should keep.

use serde_json::{Value, json};

/// What a figure should be.
#[derive(Clone, Copy)]
pub(crate) enum Bar {
    AtLeast(f64),
    AtMost(f64),
    /// For the reader's information.
    None,
}

impl Bar {
    fn is_kept(self, value: f64) -> bool {
        match self {
            Bar::AtLeast(least) => value >= least,
            Bar::AtMost(most) => value <= most,
            Bar::None => true,
        }
    }

    fn shown(self) -> String {
        match self {
            Bar::AtLeast(least) => format!(">= {least}"),
            Bar::AtMost(most) => format!("<= {most}"),
            Bar::None => String::new(),
        }
    }
}

struct Figure {
    group: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    bar: Bar,
    note: String,
}

/// All figures, in the order in which they were taken.
#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

impl Figures {
    pub(crate) fn add(&mut self, group: &'static str, name: &str, value: f64, unit: &'static str, bar: Bar) {
        self.0.push(Figure { group, name: name.to_owned(), value, unit, bar, note: String::new() });
    }

    /// A remark on the figure added last.
    pub(crate) fn note(&mut self, note: &str) {
        if let Some(last) = self.0.last_mut() {
            last.note = note.to_owned();
        }
    }

    /// A table for people.
    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let mut group = "";
        for figure in &self.0 {
            if figure.group != group {
                group = figure.group;
                text.push_str(&format!("\n{group}\n"));
            }
            let Figure { name, value, unit, bar, note, .. } = figure;
            let digits = if *value >= 100.0 { 0 } else { 2 };
            let verdict = if bar.is_kept(*value) { "" } else { "MISSED" };
            let line =
                format!("  {name:<44} {value:>12.digits$} {unit:<14} {:<10} {verdict} {note}", bar.shown());
            text.push_str(line.trim_end());
            text.push('\n');
        }
        let missed = self.0.iter().filter(|figure| !figure.bar.is_kept(figure.value)).count();
        text.push_str(&format!("\n{} figures, {missed} missed their bar\n", self.0.len()));
        text
    }

    /// The same for programs.
    pub(crate) fn json(&self) -> String {
        let figure = |figure: &Figure| {
            let (least, most) = match figure.bar {
                Bar::AtLeast(least) => (Some(least), None),
                Bar::AtMost(most) => (None, Some(most)),
                Bar::None => (None, None),
            };
            json!({
                "group": figure.group, "name": figure.name, "value": figure.value, "unit": figure.unit,
                "at_least": least, "at_most": most, "kept": figure.bar.is_kept(figure.value), "note": figure.note,
            })
        };
        let figures: Vec<Value> = self.0.iter().map(figure).collect();
        format!("{:#}\n", json!({"schema": "portcullis.bench/1", "figures": figures}))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_which_bar_was_missed() {
        let mut figures = Figures::default();
        figures.add("group", "fast", 50.0, "tools/s", Bar::AtLeast(40.0));
        figures.add("group", "slow", 2.0, "s", Bar::AtMost(1.0));
        figures.note("cut");
        let table = figures.table();
        assert!(
            table.contains("<= 1       MISSED cut") && table.ends_with("2 figures, 1 missed their bar\n"),
            "{table}"
        );
        let json: Value = serde_json::from_str(&figures.json()).unwrap();
        assert_eq!((&json["figures"][0]["kept"], &json["figures"][1]["kept"]), (&json!(true), &json!(false)));
    }
}
