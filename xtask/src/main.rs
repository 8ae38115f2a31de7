//! The project's own chores: `cargo xtask test`, `tidy` and `gallery`.

mod gallery;
mod run;
mod test;
mod tidy;

use std::process::ExitCode;

use run::Workspace;

/// A command's name, what it does, and the function that does it.
struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&Workspace) -> Result<(), String>,
}

const COMMANDS: [Command; 3] = [
    Command {
        name: "test",
        about: "everything that must hold before a commit: format, tidy, lints, tests, docs, examples, scenes",
        run: test::run,
    },
    Command { name: "tidy", about: "the textual rules alone, in well under a second", run: tidy::run },
    Command {
        name: "gallery",
        about: "run every scene of scenes/ and renew the picture beside it",
        run: gallery::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] | ["help" | "-h" | "--help"] => {
            println!("{}", help());
            ExitCode::SUCCESS
        }
        [name] => match COMMANDS.iter().find(|command| command.name == name) {
            Some(command) => finish(command),
            None => misused(&format!("there is no command `{name}`")),
        },
        _ => misused("a command stands alone, without arguments"),
    }
}

fn finish(command: &Command) -> ExitCode {
    match (command.run)(&Workspace::locate()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}: {message}", command.name);
            ExitCode::FAILURE
        }
    }
}

fn misused(message: &str) -> ExitCode {
    eprintln!("xtask: {message}\n\n{}", help());
    ExitCode::from(2)
}

fn help() -> String {
    let commands =
        COMMANDS.iter().map(|command| (command.name, command.about)).chain([("help", "this list")]);
    let lines: Vec<String> = commands.map(|(name, about)| format!("  {name:<9}{about}")).collect();
    format!("Usage: cargo xtask COMMAND\n\nCommands:\n{}", lines.join("\n"))
}
