//! `report.html`: one file, without scripts, that needs nothing from elsewhere.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::manifest::duration;
use super::text::{escape, html, plain};
use super::{Block, Column, ColumnKind, Figure, Mark, Outcome, Picture, Report, Section, Table, Verdict};

const STYLE: &str = include_str!("style.css");
/// The browser itself keeps the page from loading anything.
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/// Running numbers of captions.
#[derive(Default)]
struct Numbers {
    tables: usize,
    figures: usize,
}

impl Report {
    pub(super) fn html(&self) -> String {
        let mut numbers = Numbers::default();
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
            escape(&self.title)
        );
        page += &self.contents();
        page += "<main>\n";
        page += &self.head();
        for (index, section) in self.sections.iter().enumerate() {
            page += &self.section_html(index, section, &mut numbers);
        }
        page += &self.foot();
        page + "</main>\n</body>\n</html>\n"
    }

    fn contents(&self) -> String {
        let entry = |(index, section): (usize, &Section)| {
            format!("<li><a href=\"#section-{}\">{}</a></li>\n", index + 1, escape(&section.title))
        };
        let entries: String = self.sections.iter().enumerate().map(entry).collect();
        format!(
            "<nav aria-label=\"Contents\">\n<a class=\"home\" href=\"#top\">{}</a>\n<ol>\n{entries}\
             <li><a href=\"#manifest\">How it was run</a></li>\n</ol>\n</nav>\n",
            escape(&self.study)
        )
    }

    fn head(&self) -> String {
        let quick = if self.manifest.quick { "quick run, not a result: no claim is judged" } else { "" };
        let wall = duration(self.manifest.wall_seconds);
        let version = format!("Muslin {}", self.manifest.version);
        let facts = [version.as_str(), &self.manifest.started, &wall];
        let mut facts: Vec<String> =
            facts.iter().filter(|fact| !fact.is_empty()).map(|fact| escape(fact)).collect();
        if !quick.is_empty() {
            facts.push(format!("<strong class=\"quick\">{quick}</strong>"));
        }
        let facts = facts.join(" <span aria-hidden=\"true\">·</span> ");
        format!(
            "<header id=\"top\">\n<p class=\"kicker\">Muslin lab <span aria-hidden=\"true\">/</span> {}</p>\n\
             <h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}<p class=\"facts\">{facts}</p>\n</header>\n",
            escape(&self.study),
            escape(&self.title),
            html(&self.lead),
            self.scores()
        )
    }

    /// How many claims hold, hold partly, are overturned and were not tested.
    fn scores(&self) -> String {
        let score = |outcome: Option<Outcome>| {
            let count = self.verdicts().filter(|verdict| verdict.outcome() == outcome).count();
            let word = match (outcome, count) {
                (_, 0) => return String::new(),
                (Some(Outcome::Holds), 1) => "claim holds",
                (Some(Outcome::Holds), _) => "claims hold",
                (Some(Outcome::Partly), 1) => "claim holds partly",
                (Some(Outcome::Partly), _) => "claims hold partly",
                (Some(Outcome::Overturned), 1) => "claim overturned",
                (Some(Outcome::Overturned), _) => "claims overturned",
                (None, 1) => "claim not tested",
                (None, _) => "claims not tested",
            };
            format!("<li class=\"{}\"><strong>{count}</strong> {word}</li>\n", class(outcome))
        };
        let scores: String = Outcome::ALL.into_iter().map(Some).chain([None]).map(score).collect();
        if scores.is_empty() { scores } else { format!("<ul class=\"scores\">\n{scores}</ul>\n") }
    }

    fn section_html(&self, index: usize, section: &Section, numbers: &mut Numbers) -> String {
        let blocks: String = section.blocks.iter().map(|block| self.block_html(block, numbers)).collect();
        format!(
            "<section id=\"section-{}\">\n<h2>{}</h2>\n{blocks}</section>\n",
            index + 1,
            escape(&section.title)
        )
    }

    fn block_html(&self, block: &Block, numbers: &mut Numbers) -> String {
        match block {
            Block::Text(text) => format!("<p>{}</p>\n", html(text)),
            Block::Verdict(verdict) => verdict_html(&self.shown(verdict)),
            Block::Table(table) => {
                numbers.tables += 1;
                table_html(table, numbers.tables)
            }
            Block::Figure(figure) => {
                numbers.figures += 1;
                figure_html(figure, numbers.figures)
            }
            Block::Picture(picture) => {
                numbers.figures += 1;
                picture_html(picture, numbers.figures)
            }
        }
    }

    fn foot(&self) -> String {
        let row = |(name, value): (String, String)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(&name), escape(&value))
        };
        let rows: String = self.manifest.entries().into_iter().map(row).collect();
        format!(
            "<details id=\"manifest\">\n<summary>How it was run</summary>\n\
             <table class=\"settings\"><tbody>\n{rows}</tbody></table>\n</details>\n"
        )
    }
}

fn verdict_html(verdict: &Verdict) -> String {
    let source = match verdict.source.as_str() {
        "" => String::new(),
        source => format!(" <cite>{}</cite>", escape(source)),
    };
    let set_up = match verdict.set_up.words() {
        words if words.is_empty() => words,
        words => format!("<p class=\"set-up\">{}</p>\n", html(&words)),
    };
    format!(
        "<aside class=\"verdict {}\">\n<p class=\"word\">{}</p>\n<div>\n<p class=\"claim\">{}{source}</p>\n\
         <p class=\"finding\">{}</p>\n{set_up}</div>\n</aside>\n",
        class(verdict.outcome()),
        verdict.word(),
        html(&verdict.claim),
        html(verdict.finding())
    )
}

fn table_html(table: &Table, number: usize) -> String {
    let head: String =
        table.columns.iter().enumerate().map(|(i, column)| column_html(table, i, column)).collect();
    let cell = |(index, cell): (usize, &super::Cell)| {
        let mark = match cell.mark {
            Mark::Neutral => "",
            Mark::Good => " good",
            Mark::Bad => " bad",
        };
        format!("<td class=\"{}{mark}\">{}</td>", cell_class(table, index), escape(&cell.shown()))
    };
    let row = |row: &Vec<super::Cell>| {
        format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>())
    };
    let rows: String = table.rows.iter().map(row).collect();
    let name = escape(&table.name);
    let csv = STANDARD.encode(table.csv());
    let caption = caption_html("Table", number, &table.caption);
    format!(
        "<figure id=\"table-{name}\" class=\"wide\">\n<figcaption>{caption} <a class=\"file\" \
         download=\"{name}.csv\" href=\"data:text/csv;base64,{csv}\">csv</a></figcaption>\n\
         <div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n\
         </figure>\n"
    )
}

fn column_html(table: &Table, index: usize, column: &Column) -> String {
    let tag = column.kind.word().map_or(String::new(), |word| format!("<span class=\"tag\">{word}</span>"));
    let unit = match &column.unit {
        Some(unit) => format!(" <span class=\"unit\">[{}]</span>", escape(unit)),
        None => String::new(),
    };
    format!(
        "<th scope=\"col\" class=\"{}\">{tag}{}{unit}</th>",
        cell_class(table, index),
        escape(&column.title)
    )
}

fn cell_class(table: &Table, index: usize) -> String {
    let kind = match table.columns.get(index).map(|column| column.kind) {
        Some(ColumnKind::Published) => "published",
        Some(ColumnKind::Measured) => "measured",
        Some(ColumnKind::Plain) | None => "plain",
    };
    format!("{kind}{}", if table.is_numeric(index) { " number" } else { "" })
}

fn figure_html(figure: &Figure, number: usize) -> String {
    format!(
        "<figure id=\"figure-{}\" class=\"wide\">\n<div class=\"scroll plot\">{}</div>\n\
         <figcaption>{}</figcaption>\n</figure>\n",
        escape(&figure.name),
        figure.inline_svg(),
        caption_html("Figure", number, &figure.caption)
    )
}

fn picture_html(picture: &Picture, number: usize) -> String {
    let [width, height] = picture.size().unwrap_or_default();
    format!(
        "<figure id=\"picture-{}\" class=\"wide\">\n<img width=\"{width}\" height=\"{height}\" alt=\"{}\" \
         src=\"data:image/png;base64,{}\">\n<figcaption>{}</figcaption>\n</figure>\n",
        escape(&picture.name),
        escape(&plain(&picture.caption)),
        STANDARD.encode(&picture.png),
        caption_html("Figure", number, &picture.caption)
    )
}

fn caption_html(what: &str, number: usize, caption: &str) -> String {
    format!("<b>{what}\u{a0}{number}.</b> {}", html(caption))
}

fn class(outcome: Option<Outcome>) -> &'static str {
    match outcome {
        Some(Outcome::Holds) => "holds",
        Some(Outcome::Overturned) => "overturned",
        Some(Outcome::Partly) => "partly",
        None => "untested",
    }
}
