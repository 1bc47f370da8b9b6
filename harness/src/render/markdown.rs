//! Tables for a README or a comment on a change.

use super::section::Section;

/// Paragraphs.
pub fn lines(lines: &[String]) -> String {
    lines
        .iter()
        .map(|line| format!("{}  \n", escape(line)))
        .collect()
}

/// A titled list.
pub fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items
        .iter()
        .map(|item| format!("- {}\n", escape(item)))
        .collect();
    format!("\n### {title}\n\n{items}")
}

/// All sections that have rows.
pub fn sections(sections: &[Section]) -> String {
    let filled = sections.iter().filter(|section| !section.is_empty());
    filled.map(one).collect()
}

fn one(section: &Section) -> String {
    let mut text = format!("\n### {}\n\n", escape(&section.title));
    if !section.about.is_empty() {
        text += &format!("{}\n\n", escape(&section.about));
    }
    text += &row(&section.heads);
    let rule = |column: usize| match section.is_text(column) {
        true => "---",
        false => "--:",
    };
    text += &row(&(0..section.heads.len())
        .map(|column| rule(column).to_owned())
        .collect::<Vec<_>>());
    section.rows().for_each(|cells| text += &row(cells));
    text
}

fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escape(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Keeps what Markdown would take as its own: a name from a file may hold anything. An underscore
/// inside a word is none of that.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let in_word = before.is_alphanumeric() && after.is_alphanumeric();
        match letter {
            '\n' | '\r' => escaped.push(' '),
            '_' if in_word => escaped.push(letter),
            '|' | '*' | '_' | '`' | '<' | '\\' => escaped.extend(['\\', letter]),
            _ => escaped.push(letter),
        }
        before = letter;
    }
    escaped
}
