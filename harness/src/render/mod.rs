//! Renderers: pure functions of a record. None of them measures.

pub(crate) mod bencher;
mod bounded;
mod cascade;
mod compare;
mod csv;
mod drain;
mod findings;
pub(crate) mod github_action;
mod growth;
mod hashes;
mod header;
mod hits;
mod hot;
pub(crate) mod json;
mod list;
pub(crate) mod live;
mod markdown;
pub mod numbers;
mod replicas;
mod reproduce;
mod scale;
pub mod section;
mod sections;
mod size;
pub(crate) mod speed;
mod table;
#[cfg(test)]
mod tests;
mod trend;
mod weights;

use crate::bounded::Report as Bounded;
use crate::cascade::Cascades;
use crate::compare::Comparison;
use crate::error::Error;
use crate::growth::Study;
use crate::hashes::Survey;
use crate::hits::Hits;
use crate::hot::Report as Hot;
use crate::options::{Format, OutputOptions};
use crate::record::Record;
use crate::replicas::Copies;
use crate::reproduce::Report;
use crate::size::Sizes;
use crate::trend::Trend;
use crate::weights::{Drained, Weighed};
pub use header::origin;
use json::json;
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
/// When JSON or CSV cannot be made.
pub(crate) fn list(options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        sections: vec![list::section()],
        ..Page::default()
    };
    page.show(
        options,
        || Ok(csv::section(&list::section())?),
        || json(&list::Algorithms::all()),
    )
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
    let page = Page {
        lines: compare::lines(comparison),
        sections: compare::sections(comparison, all),
        lists: vec![("How to read this", compare::legend(comparison))],
    };
    page.show(
        options,
        || Ok(csv::comparison(comparison)?),
        || json(comparison),
    )
}

/// A trend in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn trend(trend: &Trend, options: &OutputOptions) -> Result<String, Error> {
    // Markdown takes several blanks for one.
    let blank = match options.format {
        Format::Markdown => '\u{a0}',
        _ => ' ',
    };
    let page = Page {
        lines: trend::lines(trend),
        sections: trend::sections(trend, blank),
        lists: Vec::new(),
    };
    page.show(
        options,
        || Ok(csv::write(trend::rows(trend))?),
        || json(trend),
    )
}

/// A study of growth in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn growth(study: &Study, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: growth::lines(study),
        sections: growth::sections(study),
        lists: vec![
            ("Left out", growth::left_out(study)),
            ("How to read this", growth::legend(study)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(growth::rows(study))?),
        || json(study),
    )
}

/// A survey of hashes in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn hashes(survey: &Survey, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: hashes::lines(survey),
        sections: hashes::sections(survey),
        lists: vec![
            ("What the figures show", hashes::findings(survey)),
            ("How to read this", hashes::legend(survey)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(hashes::rows(survey))?),
        || json(survey),
    )
}

/// The right sizes in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn sizes(sizes: &Sizes, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: size::lines(sizes),
        sections: size::sections(sizes),
        lists: vec![
            ("What is not as asked", size::reasons(sizes)),
            ("How to read this", size::legend(sizes)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(size::rows(sizes))?),
        || json(sizes),
    )
}

/// Copies of keys in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn copies(copies: &Copies, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: replicas::lines(copies),
        sections: replicas::sections(copies),
        lists: vec![
            ("What is not as asked", replicas::reasons(copies)),
            ("How to read this", replicas::legend(copies)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(replicas::rows(copies))?),
        || json(copies),
    )
}

/// A node drained in steps in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn drained(drained: &Drained, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: drain::lines(drained),
        sections: drain::sections(drained),
        lists: vec![
            ("What is not as asked", drain::reasons(drained)),
            ("How to read this", drain::legend(drained)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(drain::rows(drained))?),
        || json(drained),
    )
}

/// Shares beside weights in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn weighed(weighed: &Weighed, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: weights::lines(weighed),
        sections: weights::sections(weighed),
        lists: vec![
            ("What is not as asked", weights::reasons(weighed)),
            ("How to read this", weights::legend(weighed)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(weights::rows(weighed))?),
        || json(weighed),
    )
}

/// What can be reproduced, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn reproductions(options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        sections: vec![reproduce::list()],
        lists: vec![("Claims", reproduce::claims())],
        ..Page::default()
    };
    page.show(
        options,
        || Ok(csv::write(reproduce::list_rows())?),
        || json(&reproduce::listed()),
    )
}

/// What was reproduced, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn reproduced(report: &Report, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: reproduce::lines(report),
        sections: reproduce::sections(report),
        lists: vec![
            ("Failed", reproduce::failures(report)),
            ("Holds only for", reproduce::conditions(report)),
            ("How to read this", reproduce::legend()),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(reproduce::rows(report))?),
        || json(report),
    )
}

/// What bounds on the load do, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn bounded(report: &Bounded, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: bounded::lines(report),
        sections: bounded::sections(report),
        lists: vec![
            ("Failed", bounded::failures(report)),
            ("How to read this", bounded::legend(report)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(bounded::rows(report))?),
        || json(report),
    )
}

/// What helps against hot keys, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn hot(report: &Hot, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: hot::lines(report),
        sections: hot::sections(report),
        lists: vec![
            ("Failed", hot::failures(report)),
            ("How to read this", hot::legend(report)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(hot::rows(report))?),
        || json(report),
    )
}

/// Cascades in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn cascades(cascades: &Cascades, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: cascade::lines(cascades),
        sections: cascade::sections(cascades),
        lists: vec![
            ("What is not as asked", cascade::reasons(cascades)),
            ("How to read this", cascade::legend(cascades)),
        ],
    };
    page.show(
        options,
        || Ok(csv::write(cascade::rows(cascades))?),
        || json(cascades),
    )
}

/// Hit rates in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn hits(hits: &Hits, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: hits::lines(hits),
        sections: hits::sections(hits),
        lists: vec![
            ("Failed", hits::reasons(hits)),
            ("How to read this", hits::legend(hits)),
        ],
    };
    page.show(options, || Ok(csv::write(hits::rows(hits))?), || json(hits))
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
        lists.push(("Against theory", findings::theory(record)));
    }
    let page = Page {
        lines: header::lines(record, measured),
        sections,
        lists,
    };
    page.of_record(record, options)
}

/// What a command shows to people: lines, tables and titled lists, in this order.
#[derive(Debug, Default)]
pub struct Page {
    /// Paragraphs.
    pub lines: Vec<String>,
    /// Tables.
    pub sections: Vec<Section>,
    /// Lists below their titles.
    pub lists: Vec<(&'static str, Vec<String>)>,
}

impl Page {
    /// The wanted form of a record that the page was made from.
    ///
    /// # Errors
    /// When JSON or CSV cannot be made.
    pub fn of_record(&self, record: &Record, options: &OutputOptions) -> Result<String, Error> {
        self.show(
            options,
            || Ok(csv::record(record)?),
            || Ok(record.to_json()?),
        )
    }

    /// The wanted form; those for programs are not made from the page.
    fn show(
        &self,
        options: &OutputOptions,
        csv: impl FnOnce() -> Result<String, Error>,
        json: impl FnOnce() -> Result<String, Error>,
    ) -> Result<String, Error> {
        Ok(match options.format {
            Format::Table => {
                let width = width(options);
                let mut text = table::lines(&self.lines, width);
                text += &table::sections(&self.sections, width);
                for (title, items) in &self.lists {
                    text += &table::list(title, items, width);
                }
                text
            }
            Format::Markdown => {
                let mut text = markdown::lines(&self.lines);
                text += &markdown::sections(&self.sections);
                for (title, items) in &self.lists {
                    text += &markdown::list(title, items);
                }
                text
            }
            Format::Csv => csv()?,
            Format::Json => json()?,
        })
    }
}

fn width(options: &OutputOptions) -> usize {
    let terminal = || terminal_size::terminal_size_of(std::io::stdout()).map(|size| size.0.0);
    usize::from(options.width.or_else(terminal).unwrap_or(WIDTH).max(60))
}
