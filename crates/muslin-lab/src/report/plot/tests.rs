use super::*;
use proptest::prelude::*;

fn figure(scale: Scale, points: &[[f64; 2]]) -> Figure {
    let axis = Axis { scale, ..Axis::linear("x") };
    let styles = [Style::Line, Style::Points, Style::LinePoints, Style::Dashed];
    let series = styles.map(|style| Series {
        name: format!("{style:?}"),
        points: points.to_vec(),
        style,
        ..Series::default()
    });
    Figure { name: "f".into(), x: axis.clone(), y: axis, series: series.into(), ..Figure::default() }
}

fn assert_sound(svg: &str) {
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert_eq!(svg.matches("<g").count(), svg.matches("</g>").count());
    assert_eq!(svg.matches('<').count(), svg.matches('>').count());
}

#[test]
fn odd_points_are_drawn_around() {
    let nan = f64::NAN;
    for points in [
        vec![],
        vec![[1.0, 1.0]],
        vec![[0.0, 0.0]],
        vec![[nan, nan], [1.0, 2.0], [nan, 3.0], [2.0, f64::INFINITY], [3.0, -1.0]],
        vec![[0.0, 0.0], [1.0, 0.0], [10.0, 5.0]],
        vec![[f64::MAX, f64::MIN], [f64::MIN_POSITIVE, 5e-324]],
        vec![[3.0, 7.0]; 5],
    ] {
        for scale in [Scale::Linear, Scale::Log] {
            assert_sound(&figure(scale, &points).svg());
        }
    }
    assert_sound(&Figure::default().svg());
}

#[test]
fn an_empty_figure_says_so() {
    assert!(figure(Scale::Log, &[[0.0, 0.0]]).svg().contains(">no data<"));
    assert!(!figure(Scale::Linear, &[[0.0, 0.0]]).svg().contains(">no data<"));
}

#[test]
fn a_gap_breaks_the_line() {
    let mut figure =
        figure(Scale::Linear, &[[0.0, 0.0], [1.0, 1.0], [2.0, f64::NAN], [3.0, 1.0], [4.0, 2.0]]);
    figure.series.truncate(1);
    let svg = figure.svg();
    let path = svg.split("<title>Line</title><path d=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(path.matches('M').count(), 2, "{path}");
}

#[test]
fn a_million_points_make_a_small_file() {
    let wave = |i: u32| [f64::from(i), (f64::from(i) * 0.1).sin() * f64::from(i % 1000)];
    let svg = figure(Scale::Linear, &(0..1_000_000).map(wave).collect::<Vec<_>>()).svg();
    assert_sound(&svg);
    assert!(svg.len() < 4_000_000, "{} bytes", svg.len());
}

#[test]
fn guides_of_every_kind() {
    let mut figure = figure(Scale::Log, &[[1e-3, 1e-6], [1e-1, 1e-2]]);
    figure.guides = vec![
        Guide::Horizontal { at: 1e-4, label: "level".into() },
        Guide::Vertical { at: 0.08, label: "upright".into() },
        Guide::Slope { from: [1e-2, 1e-5], to: 3e-2, slope: 2.0, label: "2".into() },
        Guide::Horizontal { at: f64::NAN, label: "nowhere".into() },
        Guide::Slope { from: [0.0, 0.0], to: f64::NAN, slope: f64::INFINITY, label: "nothing".into() },
    ];
    let svg = figure.svg();
    assert_sound(&svg);
    assert!(svg.contains("level") && svg.contains("upright"));
    assert!(!svg.contains("nowhere") && !svg.contains("nothing"));
}

#[test]
fn a_slope_guide_has_its_slope() {
    let log = figure(Scale::Log, &[]);
    assert!((slope_end(&log, [0.1, 5.0], 1.0, 2.0) - 500.0).abs() < 1e-9);
    let linear = figure(Scale::Linear, &[]);
    assert_eq!(slope_end(&linear, [1.0, 5.0], 3.0, 2.0), 9.0);
}

#[test]
fn text_is_escaped() {
    let mut figure = figure(Scale::Linear, &[[0.0, 1.0]]);
    let odd = "<b>&\"odd\"</b>";
    figure.caption = odd.into();
    figure.x = Axis::linear(odd).unit(odd);
    figure.y = Axis::linear(odd).unit(odd);
    figure.series[0].name = odd.into();
    figure.guides = vec![Guide::Horizontal { at: 1.0, label: odd.into() }];
    let svg = figure.svg();
    assert_sound(&svg);
    assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;&amp;&quot;odd&quot;"));
}

#[test]
fn long_names_go_below() {
    let mut figure = figure(Scale::Linear, &[[0.0, 1.0], [1.0, 2.0]]);
    assert!(figure.inline_svg().contains("viewBox=\"0 0 720 430\""));
    figure.series[0].name = "a name that is much too long to stand beside the plot".into();
    assert!(figure.inline_svg().contains("viewBox=\"0 0 720 488\""));
}

proptest! {
    #[test]
    fn any_figure_is_drawn(
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..20),
        range in any::<Option<[f64; 2]>>(),
    ) {
        for scale in [Scale::Linear, Scale::Log] {
            let mut figure = figure(scale, &points.iter().map(|&(x, y)| [x, y]).collect::<Vec<_>>());
            figure.y.range = range;
            assert_sound(&figure.svg());
        }
    }
}
