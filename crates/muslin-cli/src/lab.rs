//! `muslin lab`.

use crate::{Failure, interrupt, progress};
use muslin_lab::{Context, STUDIES, Study};
use std::path::PathBuf;

/// Redo a published study and write its report.
#[derive(clap::Args)]
pub struct LabArguments {
    /// Name of the study, or `all`
    study: String,
    /// Folder for the reports
    #[arg(short, long, default_value = "out/lab")]
    output: PathBuf,
    /// A smaller version that ends within a minute
    #[arg(long)]
    quick: bool,
    /// Print nothing but errors
    #[arg(long)]
    quiet: bool,
}

/// Runs one study or all of them.
pub fn lab(arguments: &LabArguments) -> Result<(), Failure> {
    let chosen: Vec<&Study> =
        STUDIES.iter().filter(|s| arguments.study == "all" || arguments.study == s.name).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = STUDIES.iter().map(|study| study.name).collect();
        let hint = muslin_scene::nearest(&arguments.study, names.iter().copied());
        let hint = hint.map_or(String::new(), |hint| format!(" Did you mean \"{hint}\"?"));
        return Err(Failure::Input(format!(
            "there is no study \"{}\".{hint} There are: {}, all",
            arguments.study,
            names.join(", ")
        )));
    }
    interrupt::watch("ending after the present part of the study");
    for study in chosen {
        let bar = progress::bar(1, arguments.quiet);
        bar.set_message(study.name);
        let context = Context::new(arguments.quick, |done, total| {
            bar.set_length(total);
            bar.set_position(done);
            if !arguments.quiet {
                progress::tell_a_log(&bar, study.name);
            }
            if interrupt::is_asked() {
                bar.finish_and_clear();
                eprintln!(
                    "{}: interrupted, no report; those of the studies before it are written",
                    study.name
                );
                std::process::exit(i32::from(interrupt::EXIT_CODE));
            }
        });
        let report = study.run(&context)?;
        bar.finish_and_clear();
        let folder = arguments.output.join(study.name);
        report.write(&folder).map_err(|error| Failure::Run(error.to_string()))?;
        if !arguments.quiet {
            say!("{}", muslin_lab::digest(&report));
            say!("→ {}", folder.join("report.html").display());
        }
    }
    Ok(())
}
