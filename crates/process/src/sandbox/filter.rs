//! Compiles the rules for system calls to a seccomp filter.
//!
//! The kernel runs a filter for every possible call when it is installed, to find out which calls are
//! always allowed. With the linear list of comparisons that a rule builder makes this takes longer
//! than starting a program; the binary search built here takes a few microseconds.

use libc::c_long;
use seccompiler::{BpfProgram, sock_filter};

use super::system_calls::{CREATES, Conditions, FILE_SYSTEMS, SET_ID, SystemCallRule, rules};

// Opcodes of classic BPF (`linux/bpf_common.h`).
const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_BITS: u16 = 0x45;
const RETURN: u16 = 0x06;
const AND: u16 = 0x54;

// Return values of a filter (`linux/seccomp.h`).
const ALLOW: u32 = 0x7fff_0000;
const ERROR: u32 = 0x0005_0000;
const KILL: u32 = 0x8000_0000;

/// Offsets in `struct seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

const NETLINK: u32 = 16;

/// The bits of an `ioctl` request number that encode its type.
const REQUEST_TYPE: u32 = 0xff00;

/// The architecture as the kernel names it; absent if its calls are not known here.
const OWN_ARCHITECTURE: Option<u32> = if cfg!(target_arch = "x86_64") {
    Some(0xc000_003e)
} else if cfg!(target_arch = "aarch64") {
    Some(0xc000_00b7)
} else if cfg!(target_arch = "riscv64") {
    Some(0xc000_00f3)
} else {
    None
};

/// The filter for a program; `None` on an architecture whose calls are not known.
pub(super) fn build(conditions: Conditions) -> Option<BpfProgram> {
    let architecture = OWN_ARCHITECTURE?;
    let mut filter = vec![
        load(ARCHITECTURE),
        jump(JUMP_IF_EQUAL, architecture, 1, 0),
        // Numbers mean other calls there.
        finish(KILL),
        load(NUMBER),
    ];
    filter.extend(search(&segments(rules(conditions))));
    Some(filter)
}

/// The numbers from `start` to the next segment.
#[derive(Clone, Copy, Debug)]
struct Segment {
    start: u32,
    rule: SystemCallRule,
}

/// All numbers from 0 on, in order.
fn segments(mut rules: Vec<(c_long, SystemCallRule)>) -> Vec<Segment> {
    rules.sort_by_key(|(number, _)| *number);
    let mut segments: Vec<Segment> = Vec::new();
    let mut add = |start: u32, rule: SystemCallRule| {
        if segments.last().is_none_or(|last| last.rule != rule) {
            segments.push(Segment { start, rule });
        }
    };
    let mut next = 0;
    for (number, rule) in rules {
        let number = u32::try_from(number).expect("numbers of system calls are small");
        if number > next {
            add(next, SystemCallRule::Deny(libc::EPERM));
        }
        add(number, rule);
        next = number + 1;
    }
    // Unknown newer calls: with ENOSYS, programs fall back to the older calls. This segment includes
    // calls of the x32 ABI, whose numbers have bit 30 set.
    add(next, SystemCallRule::Deny(libc::ENOSYS));
    segments
}

/// A binary search for the segment of the loaded number.
fn search(segments: &[Segment]) -> BpfProgram {
    match segments {
        [] => Vec::new(),
        [segment] => decide(segment.rule),
        segments => {
            let (below, above) = segments.split_at(segments.len() / 2);
            let (below, rest) = (search(below), search(above));
            // Conditional jumps reach only 255 instructions.
            let mut code = vec![jump(JUMP_IF_AT_LEAST, above[0].start, 0, 1), skip(below.len())];
            code.extend(below);
            code.extend(rest);
            code
        }
    }
}

/// The instructions for one rule. All of them return.
fn decide(rule: SystemCallRule) -> BpfProgram {
    let denied = finish(error(libc::EPERM));
    match rule {
        SystemCallRule::Allow => vec![finish(ALLOW)],
        SystemCallRule::Deny(number) => vec![finish(error(number))],
        SystemCallRule::NoBits(argument, bits) => {
            vec![load_argument(argument), jump(JUMP_IF_BITS, bits, 0, 1), denied, finish(ALLOW)]
        }
        SystemCallRule::Open { flags, mode } => vec![
            load_argument(flags),
            jump(JUMP_IF_BITS, CREATES, 0, 3),
            load_argument(mode),
            jump(JUMP_IF_BITS, SET_ID, 0, 1),
            denied,
            finish(ALLOW),
        ],
        SystemCallRule::OneOf(argument, values) => {
            compare(argument, values, [denied, finish(ALLOW)].to_vec(), 1)
        }
        SystemCallRule::Request { denied: requests, file_system } => {
            let mask = sock_filter { code: AND, jt: 0, jf: 0, k: REQUEST_TYPE };
            // The last two instructions return the results; these are the jump distances to them.
            let to_allow = 1 + FILE_SYSTEMS.len();
            let to_deny = file_system.len() + to_allow + 1;
            let types = find(&FILE_SYSTEMS, vec![finish(ALLOW), denied], 1);
            let others = find(file_system, [vec![mask], types].concat(), to_allow);
            compare(1, requests, others, to_deny)
        }
        SystemCallRule::NoneOf(argument, values) => {
            compare(argument, values, [finish(ALLOW), denied].to_vec(), 1)
        }
        SystemCallRule::AllEqual(pairs) => {
            let mut code = Vec::new();
            for (index, (argument, value)) in pairs.iter().enumerate() {
                let rest = offset((pairs.len() - 1 - index) * 2 + 1);
                code.extend([load_argument(*argument), jump(JUMP_IF_EQUAL, *value, 0, rest)]);
            }
            code.extend([finish(ALLOW), denied]);
            code
        }
        SystemCallRule::SocketPair { family, denied_types } => vec![
            load_argument(0),
            jump(JUMP_IF_EQUAL, family, 0, 2),
            load_argument(1),
            jump(JUMP_IF_BITS, denied_types, 0, 1),
            denied,
            finish(ALLOW),
        ],
        SystemCallRule::Socket { families, protocols } => {
            let denied = finish(error(libc::EACCES));
            // Protocol 0 is NETLINK_ROUTE. Other netlink sockets configure the machine or report
            // its events.
            let mut netlink = vec![
                jump(JUMP_IF_EQUAL, NETLINK, 0, 2),
                load_argument(2),
                jump(JUMP_IF_EQUAL, 0, 1, 0),
                denied.clone(),
            ];
            netlink.extend(if protocols.is_empty() {
                vec![finish(ALLOW)]
            } else {
                compare(2, protocols, vec![denied, finish(ALLOW)], 1)
            });
            // A listed family skips the four instructions for netlink.
            compare(0, families, netlink, 4)
        }
    }
}

/// Loads an argument and jumps to the instruction `target` of `after` if it has one of the values.
fn compare(argument: u8, values: &[u32], after: BpfProgram, target: usize) -> BpfProgram {
    let mut code = vec![load_argument(argument)];
    code.extend(find(values, after, target));
    code
}

/// Like [`compare`], for a value that is already loaded.
fn find(values: &[u32], after: BpfProgram, target: usize) -> BpfProgram {
    let distance = |index| offset(values.len() - 1 - index + target);
    let compared = values.iter().enumerate();
    let compared = compared.map(|(index, value)| jump(JUMP_IF_EQUAL, *value, distance(index), 0));
    compared.chain(after).collect()
}

fn load(offset: u32) -> sock_filter {
    sock_filter { code: LOAD, jt: 0, jf: 0, k: offset }
}

/// The lower half of an argument. The kernel ignores the other half for the calls in question.
fn load_argument(index: u8) -> sock_filter {
    // The lower half comes first, because all architectures above are little-endian.
    load(ARGUMENTS + 8 * u32::from(index))
}

fn jump(code: u16, value: u32, if_true: u8, if_false: u8) -> sock_filter {
    sock_filter { code, jt: if_true, jf: if_false, k: value }
}

fn skip(instructions: usize) -> sock_filter {
    let k = u32::try_from(instructions).expect("a filter is short");
    sock_filter { code: JUMP, jt: 0, jf: 0, k }
}

fn finish(action: u32) -> sock_filter {
    sock_filter { code: RETURN, jt: 0, jf: 0, k: action }
}

fn error(number: i32) -> u32 {
    ERROR | number.cast_unsigned()
}

fn offset(instructions: usize) -> u8 {
    u8::try_from(instructions).expect("a rule is short")
}

#[cfg(test)]
mod tests {
    use super::{
        ALLOW, ARCHITECTURE, ARGUMENTS, Conditions, ERROR, NUMBER, OWN_ARCHITECTURE, build,
    };

    /// `MSG_FASTOPEN`.
    const FAST_OPEN: u32 = 0x2000_0000;

    const CONFINED: Conditions = Conditions {
        network: false,
        restricts_ports: false,
        unix_sockets: false,
        changes_metadata: false,
        has_namespaces: false,
    };

    /// Runs a filter as the kernel does.
    fn run(conditions: Conditions, call: libc::c_long, arguments: [u32; 3]) -> u32 {
        let filter = build(conditions).expect("a known architecture");
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &filter[at];
            let branch = |is_true: bool| usize::from(if is_true { step.jt } else { step.jf });
            at += 1 + match step.code {
                super::LOAD => {
                    value = match step.k {
                        NUMBER => u32::try_from(call).expect("a call"),
                        ARCHITECTURE => OWN_ARCHITECTURE.expect("a known architecture"),
                        offset => {
                            arguments[usize::try_from((offset - ARGUMENTS) / 8).expect("small")]
                        }
                    };
                    0
                }
                super::AND => {
                    value &= step.k;
                    0
                }
                super::JUMP => usize::try_from(step.k).expect("small"),
                super::JUMP_IF_EQUAL => branch(value == step.k),
                super::JUMP_IF_AT_LEAST => branch(value >= step.k),
                super::JUMP_IF_BITS => branch(value & step.k != 0),
                _ => return step.k,
            };
        }
    }

    #[test]
    fn allows_ordinary_calls_and_denies_the_rest() {
        let denied = |number: i32| ERROR | number.cast_unsigned();
        let networked = Conditions { network: true, ..CONFINED };
        let narrowed = Conditions { restricts_ports: true, ..networked };
        let isolated = Conditions { has_namespaces: true, ..CONFINED };
        for (conditions, call, arguments, expected) in [
            (CONFINED, libc::SYS_read, [0; 3], ALLOW),
            (CONFINED, libc::SYS_write, [0; 3], ALLOW),
            (CONFINED, libc::SYS_execve, [0; 3], ALLOW),
            (CONFINED, libc::SYS_writev, [0; 3], ALLOW),
            (CONFINED, libc::SYS_keyctl, [0; 3], denied(libc::EPERM)),
            (CONFINED, libc::SYS_mount, [0; 3], denied(libc::EPERM)),
            (CONFINED, libc::SYS_io_uring_setup, [0; 3], denied(libc::EPERM)),
            (CONFINED, libc::SYS_clone, [17; 3], ALLOW),
            (CONFINED, libc::SYS_clone, [0x1000_0011; 3], denied(libc::EPERM)),
            (CONFINED, libc::SYS_clone3, [0; 3], denied(libc::ENOSYS)),
            (CONFINED, 1000, [0; 3], denied(libc::ENOSYS)),
            (CONFINED, libc::SYS_prlimit64, [0; 3], ALLOW),
            (CONFINED, libc::SYS_prlimit64, [7, 0, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_setpriority, [0; 3], ALLOW),
            (CONFINED, libc::SYS_setpriority, [0, 7, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_setpriority, [1, 0, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_shmget, [0; 3], denied(libc::EPERM)),
            (CONFINED, libc::SYS_fchmodat, [0; 3], denied(libc::EPERM)),
            (isolated, libc::SYS_shmget, [0; 3], ALLOW),
            (isolated, libc::SYS_fchmodat, [0; 3], ALLOW),
            (CONFINED, libc::SYS_ioctl, [1, 0x5401, 0], ALLOW),
            (CONFINED, libc::SYS_ioctl, [1, 0x5412, 0], denied(libc::EPERM)),
            // Flags of a file: read and set; sharing blocks; a version; a new subvolume.
            (CONFINED, libc::SYS_ioctl, [1, 0x8008_6601, 0], ALLOW),
            (CONFINED, libc::SYS_ioctl, [1, 0x4008_6602, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_ioctl, [1, 0x4004_9409, 0], ALLOW),
            (CONFINED, libc::SYS_ioctl, [1, 0x4008_7602, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_ioctl, [1, 0x5000_940e, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_personality, [u32::MAX, 0, 0], ALLOW),
            (CONFINED, libc::SYS_personality, [0x40000, 0, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_socket, [2, 1, 0], denied(libc::EACCES)),
            (CONFINED, libc::SYS_socketpair, [1, 1, 0], ALLOW),
            (CONFINED, libc::SYS_socketpair, [1, 0x80801, 0], ALLOW),
            (CONFINED, libc::SYS_socketpair, [1, 5, 0], ALLOW),
            (CONFINED, libc::SYS_socketpair, [1, 2, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_socketpair, [1, 0x80003, 0], denied(libc::EPERM)),
            (CONFINED, libc::SYS_socketpair, [2, 1, 0], denied(libc::EPERM)),
            (networked, libc::SYS_socket, [2, 1, 0], ALLOW),
            (networked, libc::SYS_socket, [10, 1, 0], ALLOW),
            (networked, libc::SYS_socket, [1, 1, 0], denied(libc::EACCES)),
            (networked, libc::SYS_socket, [40, 1, 0], denied(libc::EACCES)),
            (networked, libc::SYS_socket, [16, 3, 0], ALLOW),
            (networked, libc::SYS_socket, [16, 3, 9], denied(libc::EACCES)),
            (networked, libc::SYS_socket, [2, 1, 262], ALLOW),
            (networked, libc::SYS_sendmsg, [3, 0, FAST_OPEN], ALLOW),
            (narrowed, libc::SYS_socket, [2, 1, 0], ALLOW),
            (narrowed, libc::SYS_socket, [10, 1, 6], ALLOW),
            (narrowed, libc::SYS_socket, [2, 2, 17], ALLOW),
            (narrowed, libc::SYS_socket, [2, 1, 262], denied(libc::EACCES)),
            (narrowed, libc::SYS_socket, [2, 1, 132], denied(libc::EACCES)),
            (narrowed, libc::SYS_socket, [1, 1, 0], denied(libc::EACCES)),
            (narrowed, libc::SYS_socket, [16, 3, 0], ALLOW),
            (narrowed, libc::SYS_socket, [16, 3, 6], denied(libc::EACCES)),
            (narrowed, libc::SYS_sendmsg, [3, 0, 0], ALLOW),
            (narrowed, libc::SYS_sendmsg, [3, 0, FAST_OPEN], denied(libc::EPERM)),
        ] {
            assert_eq!(
                run(conditions, call, arguments),
                expected,
                "{conditions:?} {call} {arguments:?}"
            );
        }
    }
}
