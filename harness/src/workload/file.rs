//! Real keys from a file: one a line, with requests and sizes where columns are announced.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::num::{IntErrorKind, ParseIntError};
use std::path::Path;

use algorithms::KeyHash;
use clap::ValueEnum;

use super::Workload;
use crate::error::Error;
use crate::input;

/// What a TAB-separated column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Column {
    /// The key.
    Key,
    /// Requests for the key on this line.
    Count,
    /// Size of the key's object in bytes.
    Size,
}

impl Column {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Count => "count",
            Self::Size => "size",
        }
    }
}

/// Reads keys from a file, or from standard input for `-`.
///
/// Without `columns` the whole line is the key: any bytes up to LF or CRLF. A line that comes again
/// adds to the key's requests; of several sizes the last one counts.
///
/// # Errors
/// When the file cannot be read, has no line or no request, or a line lacks a column or has no number in it.
pub fn read(path: &Path, columns: &[Column], hash: KeyHash) -> Result<Workload, Error> {
    let text = input::bytes(path)?;
    let name = match path.as_os_str() == "-" {
        true => "stdin".into(),
        false => path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    };
    parse(&name, path, &text, columns, hash)
}

fn parse(
    name: &str,
    path: &Path,
    text: &[u8],
    columns: &[Column],
    hash: KeyHash,
) -> Result<Workload, Error> {
    let mut keys: HashMap<&[u8], usize> = HashMap::new();
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    let (mut requests, mut sizes) = (Vec::new(), Vec::new());
    let (mut total, mut total_size) = (0u64, 0u64);
    for (index, line) in lines(text).enumerate() {
        let at = |column: Column, problem: String| Error::KeyLine {
            path: path.into(),
            line: index + 1,
            column: column.name(),
            problem,
        };
        let line = Line::parse(line, columns, at)?;
        let position = match keys.entry(line.key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                bytes.extend(line.key);
                ends.push(bytes.len());
                requests.push(0u64);
                sizes.push(0u64);
                *new.insert(ends.len() - 1)
            }
        };
        let above = |what: &str| format!("takes the sum of {what} above 2^64 − 1");
        let sum = total.checked_add(line.count);
        total = sum.ok_or_else(|| at(Column::Count, above("requests")))?;
        requests[position] += line.count;
        let sum = (total_size - sizes[position]).checked_add(line.size);
        total_size = sum.ok_or_else(|| at(Column::Size, above("sizes")))?;
        sizes[position] = line.size;
    }
    if ends.is_empty() {
        return Err(Error::NoKeys { path: path.into() });
    }
    if total == 0 {
        return Err(Error::NoRequests { path: path.into() });
    }
    let name = name.replace(|letter: char| letter.is_control() || letter == '/', "?");
    let id = format!("{name}-{:016x}", algorithms::hash::XXH3.of(text));
    let mut workload = Workload::new(id, bytes, ends, hash);
    let repeated = requests.iter().any(|&count| count != 1);
    workload.requests = (repeated || columns.contains(&Column::Count)).then_some(requests);
    workload.sizes = columns.contains(&Column::Size).then_some(sizes);
    Ok(workload)
}

/// Lines without their LF or CRLF; the last one may lack it.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

struct Line<'a> {
    key: &'a [u8],
    count: u64,
    size: u64,
}

impl<'a> Line<'a> {
    fn parse(
        line: &'a [u8],
        columns: &[Column],
        error: impl Fn(Column, String) -> Error,
    ) -> Result<Self, Error> {
        let mut parsed = Self {
            key: line,
            count: 1,
            size: 0,
        };
        let mut fields = line.splitn(columns.len().max(1), |&byte| byte == b'\t');
        for &column in columns {
            let missing = || error(column, "is missing; separate columns by one TAB".into());
            let field = fields.next().ok_or_else(missing)?;
            let number = || {
                let text = String::from_utf8_lossy(field);
                let wanted = |problem: ParseIntError| match problem.kind() {
                    IntErrorKind::PosOverflow => format!("{text} is above 2^64 − 1"),
                    _ => format!("{text:?} is not a whole number"),
                };
                text.parse()
                    .map_err(|problem| error(column, wanted(problem)))
            };
            match column {
                Column::Key => parsed.key = field,
                Column::Count => parsed.count = number()?,
                Column::Size => parsed.size = number()?,
            }
        }
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use algorithms::hash::XXH3;

    fn of(text: &[u8], columns: &[Column]) -> Result<Workload, Error> {
        parse("t", Path::new("keys.txt"), text, columns, XXH3)
    }

    #[test]
    fn the_whole_line_is_the_key_whatever_its_bytes_and_line_ends() {
        let keys = of(b"a\tb\r\n\xff\x00\n\nlast", &[]).unwrap();
        let listed: Vec<&[u8]> = keys.keys().collect();
        assert_eq!(listed, [b"a\tb".as_slice(), b"\xff\x00", b"", b"last"]);
        assert_eq!(keys.hashes[0], XXH3.of(b"a\tb"));
        assert!(keys.requests.is_none() && keys.sizes.is_none());
    }

    #[test]
    fn repeated_lines_are_requests_and_columns_add_up() {
        let keys = of(b"a\nb\na\n", &[]).unwrap();
        assert_eq!(keys.requests, Some(vec![2, 1]));
        let columns = [Column::Key, Column::Count, Column::Size];
        let keys = of(b"a\t3\t10\nb\t0\t7\na\t4\t12\n", &columns).unwrap();
        assert_eq!(keys.requests, Some(vec![7, 0]));
        assert_eq!(keys.sizes, Some(vec![12, 7]));
        let keys = of(b"5\tkey\twith tabs\n", &[Column::Count, Column::Key]).unwrap();
        assert_eq!(keys.keys().next(), Some(b"key\twith tabs".as_slice()));
    }

    #[test]
    fn the_sizes_of_all_keys_fit_together() {
        let columns = [Column::Key, Column::Size];
        let half = 1u64 << 63;
        let twice = format!("a\t{half}\na\t{half}\n");
        assert_eq!(
            of(twice.as_bytes(), &columns).unwrap().sizes,
            Some(vec![half])
        );
        let two = format!("a\t{half}\nb\t{half}\n");
        let error = of(two.as_bytes(), &columns).unwrap_err();
        assert_eq!(
            error.to_string(),
            "keys.txt:2: size takes the sum of sizes above 2^64 − 1"
        );
    }

    #[test]
    fn a_bad_line_is_named_with_its_column() {
        let columns = [Column::Key, Column::Count];
        for (text, said) in [
            (
                "a\t1\nb\n",
                "keys.txt:2: count is missing; separate columns by one TAB",
            ),
            ("a\tx\n", "keys.txt:1: count \"x\" is not a whole number"),
            (
                "a\t18446744073709551616\n",
                "keys.txt:1: count 18446744073709551616 is above 2^64 − 1",
            ),
            ("a\t-1\n", "keys.txt:1: count \"-1\" is not a whole number"),
            (
                "a\t18446744073709551615\nb\t1\n",
                "keys.txt:2: count takes the sum of requests above 2^64 − 1",
            ),
            ("", "keys.txt has no keys; give one key a line"),
            (
                "a\t0\nb\t0\n",
                "keys.txt has no requests: all counts are 0; give counts above 0, or leave the column out",
            ),
        ] {
            let error = of(text.as_bytes(), &columns).unwrap_err();
            assert_eq!(error.to_string(), said);
        }
    }
}
