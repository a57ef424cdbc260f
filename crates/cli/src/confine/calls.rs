//! System calls: a confined process has no sockets but pairs of its own, and changes neither modes nor owners of files,
//! which Landlock does not watch.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};

/// Calls that are refused. The ring of io_uring makes other calls past any filter.
const REFUSED: [i64; 13] = [
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_io_uring_setup,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];
/// Newer calls, which have one number everywhere: fchmodat2, setxattrat, removexattrat, file_setattr.
const NEWER: [i64; 4] = [452, 463, 466, 469];
/// Calls that only older machines have.
#[cfg(target_arch = "x86_64")]
const OLDER: [i64; 3] = [libc::SYS_chmod, libc::SYS_chown, libc::SYS_lchown];
#[cfg(not(target_arch = "x86_64"))]
const OLDER: [i64; 0] = [];
/// The same calls under the numbers of a second table that some kernels of this machine have.
#[cfg(target_arch = "x86_64")]
const TABLES: [i64; 2] = [0, 0x4000_0000];
#[cfg(not(target_arch = "x86_64"))]
const TABLES: [i64; 1] = [0];

/// Confines the calling thread and what it starts.
pub(super) fn confine() -> Result<(), String> {
    apply_filter(&filter().map_err(|why| why.to_string())?).map_err(|why| why.to_string())
}

fn filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules = BTreeMap::new();
    for table in TABLES {
        let refused = REFUSED.iter().chain(&NEWER).chain(&OLDER);
        rules.extend(refused.map(|call| (table + call, Vec::new())));
        // A pair of a kind whose messages may each go somewhere else is a way out.
        let kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW].map(|kind| {
            let is_kind = SeccompCmpOp::MaskedEq(0xf);
            let kind = u64::from(kind.unsigned_abs());
            SeccompRule::new(vec![SeccompCondition::new(1, SeccompCmpArgLen::Dword, is_kind, kind)?])
        });
        let kinds = kinds.into_iter().collect::<Result<_, _>>()?;
        rules.insert(table + libc::SYS_socketpair, kinds);
    }
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let machine = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, refusal, machine)?.try_into()
}
