//! Renderers: pure functions of a record. None of them measures.

pub(crate) mod bencher;
mod compare;
mod csv;
mod findings;
pub(crate) mod github_action;
mod header;
mod list;
mod markdown;
mod numbers;
mod section;
mod sections;
mod table;
#[cfg(test)]
mod tests;
mod trend;

use crate::compare::Comparison;
use crate::error::Error;
use crate::options::{Format, OutputOptions};
use crate::record::Record;
use crate::trend::Trend;
use section::Section;

/// Columns that a table may take where there is no terminal.
const WIDTH: u16 = 120;

/// The report in the wanted form.
///
/// # Errors
/// When JSON cannot be made.
pub(crate) fn report(record: &Record, options: &OutputOptions) -> Result<String, Error> {
    render(record, sections::report(record), true, options)
}

/// The outcome of a verification in the wanted form.
///
/// # Errors
/// When JSON cannot be made.
pub(crate) fn verification(record: &Record, options: &OutputOptions) -> Result<String, Error> {
    render(record, sections::verification(record), false, options)
}

/// The algorithms in the wanted form.
///
/// # Errors
/// When JSON cannot be made.
pub(crate) fn list(options: &OutputOptions) -> Result<String, Error> {
    Ok(match options.format {
        Format::Table => table::sections(&[list::section()], width(options)),
        Format::Markdown => markdown::sections(&[list::section()]),
        Format::Csv => csv::section(&list::section())?,
        Format::Json => serde_json::to_string_pretty(&list::json())? + "\n",
    })
}

/// A comparison in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn comparison(
    comparison: &Comparison,
    all: bool,
    options: &OutputOptions,
) -> Result<String, Error> {
    let lines = compare::lines(comparison);
    let sections = compare::sections(comparison, all);
    let legend = compare::legend(comparison);
    let title = "How to read this";
    Ok(match options.format {
        Format::Table => {
            let width = width(options);
            table::lines(&lines, width)
                + &table::sections(&sections, width)
                + &table::list(title, &legend, width)
        }
        Format::Markdown => {
            markdown::lines(&lines)
                + &markdown::sections(&sections)
                + &markdown::list(title, &legend)
        }
        Format::Csv => csv::comparison(comparison)?,
        Format::Json => serde_json::to_string_pretty(comparison)? + "\n",
    })
}

/// A trend in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn trend(trend: &Trend, options: &OutputOptions) -> Result<String, Error> {
    let lines = trend::lines(trend);
    Ok(match options.format {
        Format::Table => {
            let width = width(options);
            table::lines(&lines, width) + &table::sections(&trend::sections(trend, ' '), width)
        }
        // Markdown takes several blanks for one.
        Format::Markdown => {
            markdown::lines(&lines) + &markdown::sections(&trend::sections(trend, '\u{a0}'))
        }
        Format::Csv => csv::write(trend::rows(trend))?,
        Format::Json => serde_json::to_string_pretty(trend)? + "\n",
    })
}

fn render(
    record: &Record,
    sections: Vec<Section>,
    measured: bool,
    options: &OutputOptions,
) -> Result<String, Error> {
    let mut lists = vec![("Failed", header::failures(record))];
    if measured {
        lists.push(("How to read this", header::legend(record)));
        lists.push(("What the figures show", findings::findings(record)));
    }
    Ok(match options.format {
        Format::Table => {
            let width = width(options);
            let mut text = table::lines(&header::lines(record, measured), width);
            text += &table::sections(&sections, width);
            for (title, items) in &lists {
                text += &table::list(title, items, width);
            }
            text
        }
        Format::Markdown => {
            let mut text = markdown::lines(&header::lines(record, measured));
            text += &markdown::sections(&sections);
            for (title, items) in &lists {
                text += &markdown::list(title, items);
            }
            text
        }
        Format::Csv => csv::record(record)?,
        Format::Json => record.to_json()?,
    })
}

fn width(options: &OutputOptions) -> usize {
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|size| size.0.0);
    usize::from(options.width.or_else(terminal).unwrap_or(WIDTH).max(40))
}
