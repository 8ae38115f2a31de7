//! `cargo xtask hashes`: the pinned state hashes. A commit either changes none of them, or says which and why.
//!
//! `scenes/state-hashes.txt` holds one line per run: the hash of its last state, then the arguments of `muslin run`. Every scene
//! has a line; further lines are for solvers and laws that no scene uses. The runs are checked against the scenes' own bounds, too.
//!
//! Bits depend on the processor and on the mathematical library. Hashes are compared on x86-64 with AVX2 and FMA if sines,
//! logarithms and the like have the bits that they had on a machine for which the file was written, and the processor has registers
//! and caches of the same sizes, by which faer may choose the order of its sums; elsewhere the runs are made, and only their bounds
//! count. `--renew` on another machine that makes the same hashes adds that machine to the file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::run::{RELEASE_BUILD, TemporaryFolder, Workspace, run as run_program, stem};

const FILE: &str = "scenes/state-hashes.txt";

const HEAD: &str = "\
# State hashes at the end of `muslin run ARGUMENTS`, in release builds on x86-64 with AVX2 and FMA.
# `cargo xtask hashes` compares, `cargo xtask hashes --renew` writes this file anew. To add a run, write a line with 0 as its hash.
";

/// The pinned runs, and the fingerprints of the machines that make them.
#[derive(Debug, PartialEq)]
struct Pinned {
    machines: Vec<u64>,
    /// Hash and arguments.
    runs: Vec<(u64, String)>,
}

/// Compares, or with `--renew` writes the file anew.
pub fn run(workspace: &Workspace, words: &[&str]) -> Result<(), String> {
    run_program(&mut workspace.cargo(RELEASE_BUILD))?;
    match words {
        [] => check(workspace),
        ["--renew"] => renew(workspace),
        _ => Err("the only option is --renew".to_owned()),
    }
}

/// Makes every pinned run with the released command and compares hashes; the command itself checks the bounds of scenes.
pub fn check(workspace: &Workspace) -> Result<(), String> {
    let pinned = Pinned::read(workspace)?;
    for scene in workspace.scenes()? {
        if !pinned.runs.iter().any(|(_, arguments)| *arguments == stem(&scene)) {
            return Err(format!("{FILE} has no line for the scene {}", stem(&scene)));
        }
    }
    let why_not = pinned.why_not_comparable();
    let mut changed = Vec::new();
    for (pinned, arguments) in &pinned.runs {
        let hash = state_hash(workspace, arguments)?;
        if why_not.is_none() && hash != *pinned {
            println!("changed: {arguments}: {pinned:016x} is now {hash:016x}");
            changed.push(arguments.as_str());
        }
    }
    let count = pinned.runs.len();
    if let Some(reason) = why_not {
        println!("{count} runs made, hashes not compared: {reason}");
    } else {
        println!("{} of {count} state hashes unchanged", count - changed.len());
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} state hashes changed; if this is meant, `cargo xtask hashes --renew` and tell why",
        changed.len()
    ))
}

fn renew(workspace: &Workspace) -> Result<(), String> {
    let pinned = Pinned::read(workspace)?;
    let (mut runs, mut machines) = (Vec::new(), pinned.machines);
    for (before, arguments) in pinned.runs {
        let hash = state_hash(workspace, &arguments)?;
        if hash != before {
            println!("changed: {arguments}: {before:016x} is now {hash:016x}");
            // Of a run that is new, other machines may make the same.
            if before != 0 {
                machines.clear();
            }
        }
        runs.push((hash, arguments));
    }
    if !machines.contains(&machine()) {
        machines.push(machine());
    }
    let renewed = Pinned { machines, runs };
    fs::write(workspace.root.join(FILE), renewed.text())
        .map_err(|error| format!("cannot write {FILE}: {error}"))
}

impl Pinned {
    fn read(workspace: &Workspace) -> Result<Self, String> {
        let text = fs::read_to_string(workspace.root.join(FILE))
            .map_err(|error| format!("cannot read {FILE}: {error}"))?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut pinned = Self { machines: Vec::new(), runs: Vec::new() };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let wrong = || format!("{FILE}:{}: `{line}` is not a hash and arguments", number + 1);
            let (hash, arguments) = line.split_once(' ').ok_or_else(wrong)?;
            let hash = u64::from_str_radix(hash, 16).map_err(|_| wrong())?;
            match arguments.trim() {
                "(processor and mathematical library)" => pinned.machines.push(hash),
                arguments => pinned.runs.push((hash, arguments.to_owned())),
            }
        }
        Ok(pinned)
    }

    fn text(&self) -> String {
        let mut text = HEAD.to_owned();
        for machine in &self.machines {
            let _ = writeln!(text, "{machine:016x} (processor and mathematical library)");
        }
        for (hash, arguments) in &self.runs {
            let _ = writeln!(text, "{hash:016x} {arguments}");
        }
        text
    }

    /// Why hashes of this machine cannot be compared with these, if so.
    fn why_not_comparable(&self) -> Option<&'static str> {
        if !has_wide_registers() {
            Some("this processor is not an x86-64 with AVX2 and FMA")
        } else if !self.machines.contains(&machine()) {
            Some("processor or mathematical library differ from those of the file in what may change bits")
        } else {
            None
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_wide_registers() -> bool {
    std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
}

#[cfg(target_arch = "x86_64")]
fn has_widest_registers() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_wide_registers() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_widest_registers() -> bool {
    false
}

/// A fingerprint of what may change bits: functions that the standard leaves to the system's library, the widest registers, and the
/// sizes of the caches.
fn machine() -> u64 {
    let functions: [fn(f64) -> f64; 10] = [
        f64::sin,
        f64::cos,
        f64::tan,
        f64::atan,
        f64::exp,
        f64::ln_1p,
        f64::cbrt,
        |x| x.atan2(0.7),
        |x| x.abs().powf(1.3),
        |x| (x / 40.0).acos(),
    ];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
    for k in 0..4000 {
        let x = std::hint::black_box((f64::from(k) - 2000.0) * 0.019_73);
        for function in functions {
            for byte in function(x).to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let caches = (0..3).map(|k| format!("/sys/devices/system/cpu/cpu0/cache/index{k}/size"));
    let sizes: Vec<String> = caches.map(|path| fs::read_to_string(path).unwrap_or_default()).collect();
    let rest = format!("{} {}", has_widest_registers(), sizes.concat());
    rest.bytes().fold(hash, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Runs and reads the hash from the summary.
fn state_hash(workspace: &Workspace, arguments: &str) -> Result<u64, String> {
    let folder = TemporaryFolder::new()?;
    let mut command = workspace.muslin();
    command.arg("run").args(arguments.split_whitespace());
    command.arg("-o").arg(&folder.path).args(["--picture", "none", "--quiet"]);
    run_program(&mut command)?;
    hash_in(&folder.path.join("summary.json"))
}

fn hash_in(summary: &Path) -> Result<u64, String> {
    let text =
        fs::read_to_string(summary).map_err(|error| format!("cannot read {}: {error}", summary.display()))?;
    let hash = text.split_once("\"state_hash\": \"").and_then(|(_, rest)| rest.split('"').next());
    hash.and_then(|hash| u64::from_str_radix(hash, 16).ok())
        .ok_or_else(|| format!("{} has no state_hash", summary.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_they_are_written() {
        let pinned =
            Pinned { machines: vec![7, 9], runs: vec![(0xab, "drape".into()), (1, "flag --dt 0.01".into())] };
        assert_eq!(Pinned::parse(&pinned.text()), Ok(pinned));
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let error = Pinned::parse("# head\n0 drape\nflag\n").unwrap_err();
        assert!(error.contains(":3: `flag`"), "{error}");
    }

    #[test]
    fn a_machine_has_one_fingerprint() {
        assert_eq!(machine(), machine());
    }
}
