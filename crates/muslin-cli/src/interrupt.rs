//! Ctrl-C: the first asks the work to come to an end, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a command that was interrupted, as shells have it: 128 + SIGINT.
pub const EXIT_CODE: u8 = 130;

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C is noted instead of ending the program; `promise` tells the user what comes next.
pub fn watch(promise: &'static str) {
    let note = move || {
        if IS_ASKED.swap(true, Ordering::SeqCst) {
            std::process::exit(i32::from(EXIT_CODE));
        }
        eprintln!("\ninterrupted: {promise}; Ctrl-C again ends at once");
    };
    // Where signals cannot be watched Ctrl-C ends the program, as it does without.
    let _ = ctrlc::set_handler(note);
}

/// Whether Ctrl-C was pressed.
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::SeqCst)
}
