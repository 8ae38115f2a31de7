//! `summary.md`: lead, verdicts and tables in GitHub's markdown.

use super::text::{escape_markdown, markdown};
use super::{Block, Column, Report, Table};

impl Report {
    pub(super) fn markdown(&self) -> String {
        let mut page = format!("# {}\n\n{}\n", escape_markdown(&self.title), markdown(&self.lead));
        if self.manifest.quick {
            page += "\n*A quick run: shortened, for a look and not for a result. It judges no claim.*\n";
        }
        page += &self.verdict_list();
        let mut number = 0;
        for section in &self.sections {
            let tables: Vec<&Table> = section
                .blocks
                .iter()
                .filter_map(|block| if let Block::Table(table) = block { Some(table) } else { None })
                .collect();
            if tables.is_empty() {
                continue;
            }
            page += &format!("\n## {}\n", escape_markdown(&section.title));
            for table in tables {
                number += 1;
                page += &format!("\n**Table {number}.** {}\n\n{}", markdown(&table.caption), rows(table));
            }
        }
        page += &self.image_list();
        page += &format!("\nMuslin {}", escape_markdown(&self.manifest.version));
        if !self.manifest.started.is_empty() {
            page += &format!(", {}", escape_markdown(&self.manifest.started));
        }
        page + ". All of it: [report.html](report.html), [manifest.json](manifest.json).\n"
    }

    fn verdict_list(&self) -> String {
        let mut list = String::new();
        for verdict in self.verdicts() {
            let space = if verdict.source.is_empty() { "" } else { " " };
            list += &format!(
                "- **{}:** {}{space}{}\\\n  {}\n",
                verdict.word(),
                markdown(&verdict.claim),
                escape_markdown(&verdict.source),
                markdown(verdict.finding())
            );
            let set_up = verdict.set_up.words();
            if !set_up.is_empty() {
                list.truncate(list.len() - 1);
                list += &format!("\\\n  {}\n", markdown(&set_up));
            }
        }
        if list.is_empty() { list } else { format!("\n## Verdicts\n\n{list}") }
    }

    fn image_list(&self) -> String {
        let mut list = String::new();
        for block in self.blocks() {
            let (file, caption) = match block {
                Block::Figure(figure) => (format!("{}.svg", figure.name), &figure.caption),
                Block::Picture(picture) => (format!("{}.png", picture.name), &picture.caption),
                Block::Text(_) | Block::Verdict(_) | Block::Table(_) => continue,
            };
            list += &format!("- [{}]({file}): {}\n", escape_markdown(&file), markdown(caption));
        }
        if list.is_empty() { list } else { format!("\n## Figures\n\n{list}") }
    }
}

fn rows(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let rule = |column: usize| if table.is_numeric(column) { "---:" } else { "---" }.to_string();
    let mut text = line(table.columns.iter().map(Column::heading).map(|h| escape_markdown(&h)).collect());
    text += &line((0..table.columns.len()).map(rule).collect());
    for row in &table.rows {
        text += &line(row.iter().map(|cell| escape_markdown(&cell.shown())).collect());
    }
    text
}
