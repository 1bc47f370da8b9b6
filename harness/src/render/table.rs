//! Tables for a terminal: split into titled parts rather than cut.

use comfy_table::{Cell, CellAlignment, LineStyle, Table, TableStyle};
use textwrap::{Options, WordSplitter};
use unicode_width::UnicodeWidthStr;

use super::section::{OF_THE_LAST, Section};

/// Paragraphs wrapped to the width.
pub fn lines(lines: &[String], width: usize) -> String {
    lines.iter().map(|line| wrap(line, "", width)).collect()
}

/// A titled list, wrapped to the width.
pub fn list(title: &str, items: &[String], width: usize) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items = items
        .iter()
        .map(|item| wrap(&format!("• {item}"), "  ", width));
    format!("\n{title}\n{}", items.collect::<String>())
}

/// All sections that have rows, one below the other.
pub fn sections(sections: &[Section], width: usize) -> String {
    let filled = sections.iter().filter(|section| !section.is_empty());
    filled.map(|section| one(section, width)).collect()
}

fn one(section: &Section, width: usize) -> String {
    let mut text = String::new();
    for (part, columns) in split(section, width).into_iter().enumerate() {
        let more = if part == 0 { "" } else { " (continued)" };
        text += &format!("\n{}{more}\n", section.title);
        if part == 0 && !section.about.is_empty() {
            text += &wrap(&section.about, "", width);
        }
        text += &draw(section, &columns);
    }
    text
}

/// Packs the columns into as few parts as the width allows; each repeats the naming columns, and a
/// figure stands with its law and what else is said of it.
fn split(section: &Section, width: usize) -> Vec<Vec<usize>> {
    let widths: Vec<usize> = (0..section.heads.len())
        .map(|column| {
            let cells = section.rows().map(|row| display_width(&row[column]));
            cells
                .chain([display_width(&section.heads[column])])
                .max()
                .unwrap_or(0)
                + PADDING
        })
        .collect();
    let names: Vec<usize> = (0..section.names).collect();
    let start: usize = names.iter().map(|&column| widths[column]).sum();
    let mut parts = vec![names.clone()];
    let mut used = start;
    let columns: Vec<usize> = (section.names..section.heads.len()).collect();
    let further = |column: usize| OF_THE_LAST.contains(&&*section.heads[column]);
    let sum = |columns: &[usize]| columns.iter().map(|&column| widths[column]).sum::<usize>();
    for figure in columns.chunk_by(|_, &next| further(next)) {
        for (at, &column) in figure.iter().enumerate() {
            let needed = match at {
                0 => sum(figure),
                _ => widths[column],
            };
            // Where a part cannot hold all that is said of a figure, the next repeats the figure.
            let again = &figure[..at.min(1)];
            let filled = parts[parts.len() - 1].len() > names.len() + again.len();
            if used + needed > width && filled {
                parts.push([&names, again].concat());
                used = start + sum(again);
            }
            used += widths[column];
            parts
                .last_mut()
                .into_iter()
                .for_each(|part| part.push(column));
        }
    }
    parts
}

/// One blank on each side of a cell.
const PADDING: usize = 2;

/// A rule below the heads and nothing else.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

fn draw(section: &Section, columns: &[usize]) -> String {
    let mut table = Table::new();
    table.load_style(STYLE);
    let cell = |text: &str, column: usize| {
        let alignment = match section.is_text(column) {
            true => CellAlignment::Left,
            false => CellAlignment::Right,
        };
        Cell::new(text).set_alignment(alignment)
    };
    table.set_header(
        columns
            .iter()
            .map(|&column| cell(&section.heads[column], column)),
    );
    for (index, group) in section
        .groups
        .iter()
        .filter(|group| !group.is_empty())
        .enumerate()
    {
        if index > 0 {
            table.add_row(columns.iter().map(|&column| cell("", column)));
        }
        for row in group {
            table.add_row(columns.iter().map(|&column| cell(&row[column], column)));
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text += line.trim_end();
        text.push('\n');
    }
    text
}

fn display_width(text: &str) -> usize {
    text.width()
}

/// Breaks a line at blanks so that it fits; later lines begin with `indent`.
fn wrap(text: &str, indent: &str, width: usize) -> String {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(text, options) + "\n"
}
