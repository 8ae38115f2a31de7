//! Tables: rounded for people, in full precision for programs.

use std::fmt::Write as _;

use super::number;

/// Rows of cells under named columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// File stem, of `a-z`, `0-9`, `-` and `_`.
    pub name: String,
    /// What it tells.
    pub caption: String,
    /// From left to right.
    pub columns: Vec<Column>,
    /// One cell a column each.
    pub rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name of the quantity.
    pub title: String,
    /// Its unit, without brackets.
    pub unit: Option<String>,
    /// Where its numbers come from.
    pub kind: ColumnKind,
}

/// Where the numbers of a column come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnKind {
    /// A label or a setting.
    #[default]
    Plain,
    /// Taken from a publication.
    Published,
    /// Measured by this study.
    Measured,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What it says.
    pub value: Value,
    /// Whether that is good news.
    pub mark: Mark,
}

/// What a cell says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Words, without markup.
    Text(String),
    /// A quantity, shown with so many significant digits.
    Number {
        /// In the column's unit.
        value: f64,
        /// Significant digits shown to people; files have all of them.
        digits: u8,
    },
    /// A whole number, shown with all its digits.
    Count(u64),
    /// Not published or not measured.
    Missing,
}

/// Whether a cell is good news.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Neither.
    #[default]
    Neutral,
    /// As hoped, or as published.
    Good,
    /// Not so.
    Bad,
}

impl Column {
    /// A column of labels or settings.
    pub fn plain(title: impl Into<String>) -> Self {
        Self { title: title.into(), unit: None, kind: ColumnKind::Plain }
    }

    /// A column of published numbers.
    pub fn published(title: impl Into<String>) -> Self {
        Self { kind: ColumnKind::Published, ..Self::plain(title) }
    }

    /// A column of measured numbers.
    pub fn measured(title: impl Into<String>) -> Self {
        Self { kind: ColumnKind::Measured, ..Self::plain(title) }
    }

    /// The same column with a unit.
    #[must_use]
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self { unit: Some(unit.into()), ..self }
    }

    /// `stretch [%] (measured)`.
    pub(super) fn heading(&self) -> String {
        let unit = self.unit.as_ref().map_or(String::new(), |unit| format!(" [{unit}]"));
        let kind = self.kind.word().map_or(String::new(), |word| format!(" ({word})"));
        format!("{}{unit}{kind}", self.title)
    }
}

impl ColumnKind {
    /// The tag in the column's head.
    pub(super) fn word(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Published => Some("published"),
            Self::Measured => Some("measured"),
        }
    }
}

impl Cell {
    /// Significant digits unless [`Cell::digits`] says otherwise.
    pub const DIGITS: u8 = 4;

    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { value: Value::Text(text.into()), mark: Mark::Neutral }
    }

    /// A quantity.
    pub fn number(value: f64) -> Self {
        Self { value: Value::Number { value, digits: Self::DIGITS }, mark: Mark::Neutral }
    }

    /// A whole number.
    pub fn count(count: usize) -> Self {
        Self { value: Value::Count(count as u64), mark: Mark::Neutral }
    }

    /// Nothing published, or nothing measured.
    pub fn missing() -> Self {
        Self { value: Value::Missing, mark: Mark::Neutral }
    }

    /// The same number, shown with so many significant digits.
    #[must_use]
    pub fn digits(mut self, shown: u8) -> Self {
        if let Value::Number { digits, .. } = &mut self.value {
            *digits = shown;
        }
        self
    }

    /// The same cell, marked as good news.
    #[must_use]
    pub fn good(self) -> Self {
        Self { mark: Mark::Good, ..self }
    }

    /// The same cell, marked as bad news.
    #[must_use]
    pub fn bad(self) -> Self {
        Self { mark: Mark::Bad, ..self }
    }

    /// As people read it.
    pub(super) fn shown(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            Value::Number { value, digits } => number::rounded(*value, *digits),
            Value::Count(value) => number::count(*value),
            Value::Missing => "–".into(),
        }
    }

    fn csv(&self) -> String {
        match &self.value {
            Value::Text(text) => text.clone(),
            Value::Number { value, .. } => full_precision(*value),
            Value::Count(value) => value.to_string(),
            Value::Missing => String::new(),
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl From<usize> for Cell {
    fn from(value: usize) -> Self {
        Self::count(value)
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(Self::missing, Into::into)
    }
}

impl Table {
    /// Whether a column holds numbers and nothing else, so that it is set flush right.
    pub(super) fn is_numeric(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        let number = |cell: &Cell| !matches!(cell.value, Value::Text(_));
        cells.clone().any(|cell| number(cell) && cell.value != Value::Missing) && cells.all(number)
    }

    /// A row of headings, then the rows; missing values are empty fields.
    pub(super) fn csv(&self) -> String {
        let mut csv = csv_record(self.columns.iter().map(Column::heading));
        csv.extend(self.rows.iter().map(|row| csv_record(row.iter().map(Cell::csv))));
        csv
    }
}

/// The shortest decimal that reads back as the same number.
pub(super) fn full_precision(value: f64) -> String {
    format!("{value:?}")
}

/// One line of a csv file.
pub(super) fn csv_record(fields: impl Iterator<Item = String>) -> String {
    let mut record = String::new();
    for (index, field) in fields.enumerate() {
        let comma = if index > 0 { "," } else { "" };
        // An empty first field is quoted, else a lone one would be an empty line, which readers skip.
        let quote = field.contains([',', '"', '\n', '\r']) || (index == 0 && field.is_empty());
        let written = if quote {
            write!(record, "{comma}\"{}\"", field.replace('"', "\"\""))
        } else {
            write!(record, "{comma}{field}")
        };
        debug_assert!(written.is_ok(), "a string takes every write");
    }
    record.push('\n');
    record
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn table(rows: Vec<Vec<Cell>>) -> Table {
        let columns = vec![Column::plain("what, \"and\" how"), Column::measured("v").unit("m/s")];
        Table { name: "t".into(), caption: String::new(), columns, rows }
    }

    #[test]
    fn headings_name_unit_and_origin() {
        assert_eq!(table(vec![]).csv(), "\"what, \"\"and\"\" how\",v [m/s] (measured)\n");
    }

    #[test]
    fn columns_of_numbers_are_known() {
        let table = table(vec![vec!["a".into(), 1.0.into()], vec![Cell::missing(), Cell::missing()]]);
        assert!(!table.is_numeric(0));
        assert!(table.is_numeric(1));
        assert!(!table.is_numeric(2));
    }

    #[test]
    fn an_option_becomes_a_cell() {
        assert_eq!(Cell::from(None::<f64>), Cell::missing());
        assert_eq!(Cell::from(Some(2.0)), Cell::number(2.0));
    }

    proptest! {
        #[test]
        fn csv_reads_back_in_full_precision(
            rows in prop::collection::vec((any::<String>(), any::<f64>()), 0..8),
        ) {
            let cells = rows.iter().map(|(text, value)| vec![text.clone().into(), (*value).into()]);
            let csv = table(cells.collect()).csv();
            let mut reader = csv::Reader::from_reader(csv.as_bytes());
            let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
            prop_assert_eq!(records.len(), rows.len());
            for (record, (text, value)) in records.iter().zip(&rows) {
                prop_assert_eq!(&record[0], text);
                let read: f64 = record[1].parse().unwrap();
                prop_assert!(read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()));
            }
        }
    }
}
