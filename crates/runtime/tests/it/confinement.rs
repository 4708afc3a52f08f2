//! What a sandboxed process can and cannot do, on the real kernel.

use std::{
    collections::HashSet,
    fs,
    net::{TcpListener, UdpSocket},
    os::unix::net::UnixListener,
    sync::{Arc, Mutex},
};

use runtime::{SandboxLevel, sandbox_level, sandbox_support};
use serde_json::json;
use testing::{RuntimeFixture, field, has_programs, script_tool, skip, skip_without, text};
use tokio_util::sync::CancellationToken;

/// Whether the kernel can restrict files and network; skips the test otherwise.
pub(crate) fn has_sandbox() -> bool {
    let support = sandbox_support();
    let has_sandbox = support.files && support.network;
    if !has_sandbox {
        skip(&format!("this kernel cannot sandbox: {:?}", support.missing));
    }
    has_sandbox
}

#[tokio::test]
async fn reads_and_writes_only_inside_the_roots() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::new();
    fs::write(crib.path("crib/in"), "inside").unwrap();
    fs::write(crib.path("outside/secret"), "secret").unwrap();
    let outcome =
        crib.run_script("cat in; cp in copy; cat copy; cat ../outside/secret; echo x > ../outside/new; ls ../outside; true").await;
    assert_eq!(text(&outcome, 0), "insideinside");
    let stderr = field(&outcome, "stderr").as_str().unwrap().to_owned();
    // In a mount namespace the folder has no name at all.
    let expected = match sandbox_level() {
        SandboxLevel::Namespaces => [0, 2, 1],
        _ => [3, 0, 0],
    };
    let refusals = ["ermission denied", "No such file", "nonexistent"];
    assert_eq!(refusals.map(|reason| stderr.matches(reason).count()), expected, "{stderr}");
    assert!(!crib.path("outside/new").exists());
}

#[tokio::test]
async fn a_link_does_not_bypass_the_sandbox() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::new();
    fs::write(crib.path("outside/secret"), "secret").unwrap();
    std::os::unix::fs::symlink(crib.path("outside/secret"), crib.path("crib/link")).unwrap();
    assert!(crib.run_script("cat link").await.failed);
}

#[tokio::test]
async fn a_read_only_tool_cannot_write_into_a_root() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::new();
    fs::write(crib.path("crib/file"), "kept").unwrap();
    let mut reader = script_tool(
        "sh",
        "cat file; echo changed > file; rm -f file; mkdir new; echo t > $TMPDIR/t && cat $TMPDIR/t",
    );
    reader.annotations.mutates = Some(false);
    let outcome = crib.call(reader, json!({})).await;
    assert_eq!(text(&outcome, 0), "keptt\n");
    assert_eq!(fs::read_to_string(crib.path("crib/file")).unwrap(), "kept");
    assert!(!crib.path("crib/new").exists());
}

#[tokio::test]
async fn paths_added_by_the_operator_are_accessible() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::with_settings(|settings| {
        let beside = settings.crib.parent().unwrap().to_owned();
        settings.read.push(beside.join("outside"));
        settings.write.push(beside.join("cache"));
        fs::create_dir(beside.join("cache")).unwrap();
    });
    fs::write(crib.path("outside/data"), "data").unwrap();
    let outcome =
        crib.run_script("cat ../outside/data; echo x > ../cache/y; echo x > ../outside/z").await;
    assert_eq!(text(&outcome, 0), "data");
    assert!(crib.path("cache/y").exists() && !crib.path("outside/z").exists());
}

#[tokio::test]
async fn ordinary_programs_work_in_the_sandbox() {
    let crib = RuntimeFixture::new();
    let outcome = crib
        .run_script("cat /dev/null && echo x > /dev/null && head -c 1 /dev/urandom | wc -c && date > /dev/null && id -un && \
             echo t > $TMPDIR/t && cat $TMPDIR/t && cat $HOME/t && ls / > /dev/null 2>&1 || echo no root; bash -c 'cat <(echo sub)'")
        .await;
    assert!(text(&outcome, 0).ends_with("t\nt\nno root\nsub\n"), "{outcome:?}");
}

#[tokio::test]
async fn git_and_interpreters_work_in_the_sandbox() {
    let crib = RuntimeFixture::with_settings(|settings| {
        settings.environment.push(("HOME".into(), "/root".into()))
    });
    let scripts = [
        (
            "git",
            "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git log --format=%s",
            "first\n",
        ),
        (
            "python3",
            "python3 -c 'import tempfile, subprocess; print(tempfile.mkdtemp() != \"\", subprocess.check_output([\"echo\", \"x\"]))'",
            "True b'x\\n'\n",
        ),
        ("perl", "perl -e 'print 6 * 7'", "42"),
    ];
    for (program, script, expected) in scripts {
        if !has_programs(&[program]) {
            continue;
        }
        let outcome = crib.run_script(script).await;
        assert_eq!(text(&outcome, 0), expected, "{program}: {outcome:?}");
    }
}

#[tokio::test]
async fn root_loses_administrative_capabilities() {
    let outcome = RuntimeFixture::new().run_script("grep CapEff /proc/self/status").await;
    let effective =
        u64::from_str_radix(text(&outcome, 0).split_whitespace().last().unwrap(), 16).unwrap();
    let (sys_admin, sys_ptrace, perfmon, net_admin) = (1 << 21, 1 << 19, 1 << 38, 1 << 12);
    assert_eq!(effective & (sys_admin | sys_ptrace | perfmon | net_admin), 0);
}

#[tokio::test]
async fn the_network_is_off_unless_declared() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::new();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let script = format!(
        "(echo x > /dev/tcp/127.0.0.1/{}) && echo tcp; (echo x > /dev/udp/127.0.0.1/{}) && echo udp; true",
        tcp.local_addr().unwrap().port(),
        udp.local_addr().unwrap().port()
    );
    let outcome = crib.call(script_tool("bash", &script), json!({})).await;
    assert_eq!(field(&outcome, "stdout"), "", "{outcome:?}");
    let mut online = script_tool("bash", &script);
    online.annotations.network = Some(true.into());
    assert_eq!(text(&crib.call(online, json!({})).await, 0), "tcp\nudp\n");
}

#[tokio::test]
async fn unix_sockets_of_daemons_are_unreachable() {
    if !has_sandbox() {
        return;
    }
    skip_without!("perl");
    let crib = RuntimeFixture::new();
    let _daemon = UnixListener::bind(crib.path("crib/daemon")).unwrap();
    let script = "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Peer => \"daemon\") or die $!; print \"reached\"'";
    assert!(crib.run_script(script).await.failed);
    let pairs = "perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die $!; print \"pair\"'";
    assert_eq!(text(&crib.run_script(pairs).await, 0), "pair");
}

#[tokio::test]
async fn a_child_cannot_signal_or_inspect_the_server() {
    if !has_sandbox() || !sandbox_support().signals {
        return;
    }
    let server = std::process::id();
    let outcome = RuntimeFixture::new()
        .run_script(&format!(
            "kill -0 {server} && echo signalled; cat /proc/{server}/environ; true"
        ))
        .await;
    assert_eq!(field(&outcome, "stdout"), "");
}

#[tokio::test]
async fn a_child_cannot_gain_privileges() {
    let outcome = RuntimeFixture::new().run_script("grep NoNewPrivs /proc/self/status").await;
    assert_eq!(text(&outcome, 0).split_whitespace().last(), Some("1"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn confines_the_children_of_every_worker_but_no_worker() {
    if !has_sandbox() {
        return;
    }
    let crib = Arc::new(RuntimeFixture::with_settings(|settings| settings.concurrency = 16));
    let secret = crib.path("outside/secret");
    fs::write(&secret, "secret").unwrap();
    let workers = Arc::new(Mutex::new(HashSet::new()));
    for _ in 0..20 {
        let calls: Vec<_> = (0..16)
            .map(|_| {
                let (workers, secret) = (Arc::clone(&workers), secret.clone());
                let call = crib.call_with(
                    script_tool("sh", "cat ../outside/secret"),
                    json!({}),
                    CancellationToken::new(),
                    None,
                );
                tokio::spawn(async move {
                    workers.lock().unwrap().insert(std::thread::current().id());
                    let outcome = call.await;
                    assert_eq!(field(&outcome, "stdout"), "", "a child read what it may not");
                    assert_eq!(
                        fs::read_to_string(secret).unwrap(),
                        "secret",
                        "a thread of the server is confined"
                    );
                    UdpSocket::bind("127.0.0.1:0").expect("a thread of the server has no network");
                })
            })
            .collect();
        for call in calls {
            call.await.unwrap();
        }
        if workers.lock().unwrap().len() == 4 {
            return;
        }
    }
    panic!("not every worker took part");
}

#[tokio::test]
async fn the_operator_can_disable_the_sandbox() {
    let crib = RuntimeFixture::with_settings(|settings| settings.confine = false);
    fs::write(crib.path("outside/secret"), "secret").unwrap();
    assert_eq!(text(&crib.run_script("cat ../outside/secret").await, 0), "secret");
    let plan = crib.plan(&script_tool("sh", "true"), json!({})).unwrap();
    assert_eq!(plan["confinement"]["enforced"], false);
}

#[tokio::test]
async fn an_inaccessible_home_is_replaced_by_a_private_one() {
    let crib = RuntimeFixture::with_settings(|settings| {
        let home = settings.crib.parent().unwrap().join("outside");
        settings.environment.push(("HOME".into(), home.to_str().unwrap().into()));
    });
    assert_eq!(
        text(&crib.run_script(r#"[ "$HOME" = "$TMPDIR" ] && echo private"#).await, 0),
        "private\n"
    );
}

#[tokio::test]
async fn a_failure_names_the_part_of_the_sandbox_that_caused_it() {
    if !has_sandbox() {
        return;
    }
    let crib = RuntimeFixture::new();
    fs::write(crib.path("outside/secret"), "secret").unwrap();
    for (script, is_read_only, expected) in [
        (
            "getent ahosts example.org || { echo 'curl: (6) Could not resolve host: example.org' >&2; exit 6; }",
            false,
            "`\"network\": true`",
        ),
        ("touch 'new file'", true, "`\"mutates\": false`"),
        ("cat ../outside/secret", false, "outside"),
        ("exec 3</proc/1/mem", false, ""),
    ] {
        let mut tool = script_tool("sh", script);
        tool.annotations.mutates = Some(!is_read_only);
        let outcome = crib.call(tool, json!({})).await;
        let message = field(&outcome, "error_message").as_str().unwrap().to_owned();
        assert!(message.contains(expected), "{script}: {outcome:?}");
        assert_eq!(message.contains("sandbox"), !expected.is_empty(), "{script}: {message}");
        assert!(text(&outcome, outcome.content.len() - 1).contains(expected));
    }
}
