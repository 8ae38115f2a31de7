use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;

const ODD: &str = "<b>&\"odd\"</b>";

/// The smallest head of a png file that states a size.
fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend([0, 0, 1, 64, 0, 0, 0, 200]);
    bytes
}

/// A report with `word` in every place that takes free text.
fn report(word: &str) -> Report {
    let word = || word.to_string();
    let table = Table {
        name: "numbers".into(),
        caption: word(),
        columns: vec![Column::plain(word()).unit(word()), Column::published("x"), Column::measured("x")],
        rows: vec![vec![word().into(), Cell::missing(), Cell::number(0.1 + 0.2).bad()]],
    };
    let figure = Figure {
        name: "curve".into(),
        caption: word(),
        x: Axis::log(word()).unit(word()),
        y: Axis::linear(word()).unit(word()),
        series: vec![Series { name: word(), points: vec![[1.0, 2.0], [10.0, 3.0]], ..Series::default() }],
        guides: vec![Guide::Horizontal { at: 2.5, label: word() }],
    };
    let set_up = SetUp::default().stated(word(), word(), word()).assumed(word(), word());
    let verdict = Claim::new(word(), word()).under(set_up).judged(Outcome::Partly, word());
    let blocks = vec![
        Block::Text(word()),
        Block::Verdict(verdict),
        Block::Table(table),
        Block::Figure(figure),
        Block::Picture(Picture { name: "view".into(), caption: word(), png: png() }),
    ];
    Report {
        study: word(),
        title: word(),
        lead: word(),
        sections: vec![Section { title: word(), blocks }],
        manifest: Manifest {
            version: word(),
            started: word(),
            settings: serde_json::json!({ word(): word() }),
            machine: Machine { os: word(), arch: word(), cores: 2, cpu: Some(word()) },
            wall_seconds: 12.0,
            ..Manifest::default()
        },
    }
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

#[test]
fn a_folder_holds_every_file_and_no_other() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("deep/er/study");
    let paths = report("word").write(&folder).unwrap();
    let files = contents(&folder);
    let expected = [
        "curve.points.csv",
        "curve.svg",
        "manifest.json",
        "numbers.csv",
        "report.html",
        "summary.md",
        "view.png",
    ];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    assert_eq!(paths.len(), expected.len());
    assert!(paths.iter().all(|path| path.is_file()));
    assert_eq!(files["view.png"], png());
    let manifest: serde_json::Value = serde_json::from_slice(&files["manifest.json"]).unwrap();
    assert_eq!(manifest["files"].as_array().unwrap().len(), expected.len());
    assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1, "no leftovers beside it");
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    let place = tempfile::tempdir().unwrap();
    let [first, second] = ["a", "b"].map(|name| place.path().join(name));
    report(ODD).write(&first).unwrap();
    report(ODD).write(&second).unwrap();
    assert_eq!(contents(&first), contents(&second));
}

#[test]
fn html_needs_nothing_from_elsewhere() {
    let html = report("word").html();
    for outside in ["http://", "https://", "<link", "<script", "@import", "url(http", "src=\"//", "<iframe"] {
        assert!(!html.contains(outside), "{outside}");
    }
    for attribute in ["src=\"", "href=\""] {
        for target in html.split(attribute).skip(1) {
            assert!(target.starts_with('#') || target.starts_with("data:"), "{target:.40}");
        }
    }
}

#[test]
fn html_escapes_everything() {
    let html = report(ODD).html();
    assert!(!html.contains("<b>&") && !html.contains("\"odd\"") && !html.contains("odd\""));
    // Every place arrives: as many as with a harmless word.
    let harmless = report("harmless").html().matches("harmless").count();
    assert_eq!(html.matches("&lt;b&gt;&amp;&quot;odd&quot;&lt;/b&gt;").count(), harmless);
}

#[test]
fn markdown_escapes_everything() {
    let markdown = report("<b>|*a*|`c`\n# [x](y)").markdown();
    assert!(!markdown.contains("<b>") && !markdown.contains("\n# ["));
    let row = markdown.lines().find(|line| line.contains('–')).unwrap();
    assert_eq!(row.replace("\\|", "").matches('|').count(), 4, "{row}");
}

#[test]
fn a_quick_report_holds_no_verdict_and_says_so() {
    let mut report = report("word");
    let verdicts = Outcome::ALL.map(|outcome| {
        let set_up = SetUp::default().assumed("a", "b");
        Block::Verdict(Claim::new("claimed", "").under(set_up).judged(outcome, "the finding"))
    });
    report.sections[0].blocks.extend(verdicts);
    let pages = |report: &Report| [report.html(), report.markdown(), crate::study::digest(report)];
    let printed = |page: &str| {
        // Words of the page that are no part of its style.
        let page = page.rsplit("</style>").next().unwrap_or_default();
        Outcome::ALL
            .map(Outcome::word)
            .into_iter()
            .chain(["the finding"])
            .filter(|word| page.contains(word))
            .count()
    };
    for page in pages(&report) {
        assert_eq!(printed(&page), 4, "{page}");
    }
    report.manifest.quick = true;
    for page in pages(&report) {
        assert_eq!(printed(&page), 0, "{page}");
        assert!(page.contains("judges no claim") || page.contains("no claim is judged"), "{page}");
    }
    assert!(report.verdicts().all(|verdict| verdict.outcome().is_none()));
}

#[test]
fn a_new_report_replaces_the_old_one_as_a_whole() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("study");
    report("old").write(&folder).unwrap();
    fs::write(folder.join("stale.csv"), "stale").unwrap();
    report("new").write(&folder).unwrap();
    assert!(!folder.join("stale.csv").exists());
    assert!(fs::read_to_string(folder.join("report.html")).unwrap().contains("new"));
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn a_report_that_cannot_be_written_leaves_the_old_one() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("study");
    report("old").write(&folder).unwrap();
    let before = contents(&folder);

    let mut ragged = report("new");
    let Block::Table(table) = &mut ragged.sections[0].blocks[2] else { panic!("the table is third") };
    table.rows.push(vec![]);
    assert!(matches!(
        ragged.write(&folder),
        Err(ReportError::RaggedTable { row: 1, cells: 0, columns: 3, .. })
    ));

    let mut twice = report("new");
    let again = twice.sections[0].clone();
    twice.sections.push(again);
    assert!(matches!(twice.write(&folder), Err(ReportError::SameFile { file }) if file == "numbers.csv"));

    for name in ["", "../escape", "Upper", "a b", "a/b"] {
        let mut named = report("new");
        named.sections[0].blocks =
            vec![Block::Picture(Picture { name: name.into(), caption: String::new(), png: png() })];
        assert!(matches!(named.write(&folder), Err(ReportError::BadName { .. })), "{name}");
    }

    let mut broken = report("new");
    broken.sections[0].blocks =
        vec![Block::Picture(Picture { name: "p".into(), caption: String::new(), png: vec![1, 2, 3] })];
    assert!(matches!(broken.write(&folder), Err(ReportError::NotPng { .. })));

    assert_eq!(contents(&folder), before);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
}

#[test]
fn other_peoples_folders_are_left_alone() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("thesis.tex"), "years of work").unwrap();
    assert!(matches!(report("x").write(place.path()), Err(ReportError::NotAReport { .. })));
    assert!(matches!(
        report("x").write(&place.path().join("thesis.tex")),
        Err(ReportError::NotAReport { .. })
    ));
    assert!(matches!(report("x").write(Path::new("/")), Err(ReportError::NoName { .. })));
    assert_eq!(fs::read_to_string(place.path().join("thesis.tex")).unwrap(), "years of work");
}

#[test]
fn an_empty_report_is_still_a_page() {
    let place = tempfile::tempdir().unwrap();
    assert_eq!(Report::default().write(&place.path().join("empty")).unwrap().len(), 3);
}
