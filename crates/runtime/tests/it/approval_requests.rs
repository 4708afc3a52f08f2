//! What a person sees who is asked to approve a call.

use std::time::SystemTime;

use runtime::{
    Approval, Digest, Emphasis, Rendering,
    operation::{ApprovalId, Owner},
    render_request,
};
use serde_json::{Value, json};

fn request(argv: Value, stdin: &str) -> Approval {
    let plan = json!({
        "tool": "wipe",
        "program": "/usr/bin/rm",
        "argv": argv,
        "cwd": "/crib",
        "env": ["PATH"],
        "stdin": stdin,
        "timeout_seconds": 30,
        "confinement": {"enforced": true, "level": "landlock", "network": false, "read": ["/crib"], "write": []},
    });
    Approval {
        id: ApprovalId::random(),
        owner: Owner("owner".to_owned()),
        tool: "wipe".to_owned(),
        digest: Digest { tool: String::new(), arguments: String::new(), plan: String::new() },
        reason: "it is marked as dangerous, which is a long reason for a person".to_owned(),
        plan,
        created: SystemTime::UNIX_EPOCH,
        expires: SystemTime::UNIX_EPOCH,
        uses: 1,
        ruling: None,
    }
}

/// Each part of the word fills a line of a terminal with 60 columns.
#[test]
fn no_value_looks_like_a_line_of_the_plan() {
    let lines = ["x".repeat(45), "program    /bin/true".to_owned(), "漢".repeat(50)];
    let argv = json!(["rm", lines.map(|line| format!("{line:60}")).concat(), "last"]);
    let request = request(argv, &format!("{:>69}\nnetwork    yes", "program    /bin/ls"));
    let rendering = Rendering { width: Some(60), emphasis: Emphasis::Bold, ..Rendering::default() };
    let expected = [
        "\x1b[1mruns       rm 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "                          program    /bin/true              ",
        "                                     ",
        "           漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢",
        "           漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢漢",
        "           漢漢          ' last\x1b[0m",
        "",
        "`wipe` asks for your approval: it is marked as dangerous, ",
        "           which is a long reason for a person",
        "program    /usr/bin/rm",
        "in         /crib",
        "variables  PATH",
        "input                                                       ",
        "             program    /bin/ls",
        "           network    yes",
        "at most    30 seconds",
        "sandbox    landlock",
        "reads      /crib, and system folders",
        "writes     nothing",
        "network    no",
    ];
    let text = render_request(&request, rendering);
    assert!(text.lines().eq(expected), "{text}");
}
