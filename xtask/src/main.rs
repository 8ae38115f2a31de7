//! The project's own chores: `cargo xtask test`, `tidy`, `gallery`, `hashes`, `soak` and `exports`.

mod exports;
mod gallery;
mod hashes;
mod run;
mod soak;
mod test;
mod tidy;

use std::process::ExitCode;

use run::Workspace;

/// A command's name, what it does, and the function that does it.
struct Command {
    name: &'static str,
    about: &'static str,
    run: Run,
}

/// Commands that stand alone, and those that take words.
enum Run {
    Alone(fn(&Workspace) -> Result<(), String>),
    With(fn(&Workspace, &[&str]) -> Result<(), String>),
}

const COMMANDS: [Command; 6] = [
    Command {
        name: "test",
        about: "everything that must hold before a commit: format, tidy, lints, tests, docs, examples, scenes",
        run: Run::Alone(test::run),
    },
    Command {
        name: "tidy",
        about: "the textual rules alone, in well under a second",
        run: Run::Alone(tidy::run),
    },
    Command {
        name: "gallery",
        about: "run every scene of scenes/ and renew the picture beside it",
        run: Run::Alone(gallery::run),
    },
    Command {
        name: "hashes",
        about: "compare the state hashes of scenes/state-hashes.txt; --renew writes them anew",
        run: Run::With(hashes::run),
    },
    Command {
        name: "soak",
        about: "random scenes under an independent judge: --minutes N --seed S, or --help for more",
        run: Run::With(soak::run),
    },
    Command {
        name: "exports",
        about: "open animated exports in Blender (bpy, 1 GB, fetched once) and compare every frame; takes a folder",
        run: Run::With(exports::run),
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
        [name, ref words @ ..] => match COMMANDS.iter().find(|command| command.name == name) {
            Some(Command { name, run: Run::Alone(run), .. }) if words.is_empty() => {
                finish(name, run(&Workspace::locate()))
            }
            Some(Command { name, run: Run::With(run), .. }) => finish(name, run(&Workspace::locate(), words)),
            Some(_) => misused(&format!("`{name}` stands alone, without arguments")),
            None => misused(&format!("there is no command `{name}`")),
        },
    }
}

fn finish(name: &str, result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{name}: {message}");
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
