//! The program on a terminal.

use std::{
    fs::File,
    io::{Read, Write},
    process::Command,
};

use rustix::{
    pty,
    termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize},
};
use testing::TempCrib;

/// Returns the output on a terminal of this width, with colours.
pub(crate) fn on_terminal(crib: &TempCrib, arguments: &[&str], columns: u16) -> String {
    run(without_no_color(crib, arguments), columns, None).1
}

/// Returns the output on a terminal on which a person has already typed these lines.
pub(crate) fn answer_on_terminal(crib: &TempCrib, arguments: &[&str], answers: &str) -> String {
    run(without_no_color(crib, arguments), 100, Some(answers)).1
}

fn without_no_color(crib: &TempCrib, arguments: &[&str]) -> Command {
    let mut command = crib.command(arguments);
    command.env_remove("NO_COLOR");
    command
}

/// Runs a command on a terminal of this width, on which a person has already typed `answers`.
/// Returns its exit code and output.
pub(crate) fn run(mut command: Command, columns: u16, answers: Option<&str>) -> (i32, String) {
    let near = pty::openpt(pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY).expect("a terminal");
    pty::grantpt(&near).expect("ours");
    pty::unlockpt(&near).expect("open");
    let size = Winsize { ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&near, size).expect("a size");
    let name = pty::ptsname(&near, Vec::new()).expect("a name").into_string().expect("text");
    let far = || File::options().read(true).write(true).open(&name).expect("its other end");
    command.stdout(far()).stderr(far());
    let mut near = File::from(near);
    if let Some(answers) = answers {
        command.stdin(far());
        // The answers would be echoed before the questions.
        let mut modes = tcgetattr(&near).expect("a terminal");
        modes.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&near, OptionalActions::Now, &modes).expect("a terminal");
        near.write_all(answers.as_bytes()).expect("room in the buffer");
    }
    let mut child = command.spawn().expect("it starts");
    drop(command);
    let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = near.read(&mut chunk) {
        seen.extend_from_slice(&chunk[..read]);
    }
    let status = child.wait().expect("an end");
    let text = String::from_utf8_lossy(&seen).replace("\r\n", "\n").replace('\x1b', "ESC");
    (status.code().unwrap_or(-1), text)
}
