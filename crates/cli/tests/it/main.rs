//! The commands as their users meet them: exit codes, streams, input shapes, formats.

mod activity;
mod clients;
#[path = "../../../store/tests/it/cluster.rs"]
#[allow(dead_code, reason = "these tests need less of a server than those of the store")]
mod cluster;
#[cfg(target_os = "linux")]
mod confined;
mod database;
mod demo;
mod doctor;
mod eval;
mod examples;
mod explain;
#[path = "../../../gateway/tests/it/fixture.rs"]
mod fixture;
#[cfg(unix)]
mod found;
mod gate;
mod help;
mod home;
mod import;
mod importing;
mod installed;
#[cfg(unix)]
mod live;
mod living;
mod lock;
mod manual;
mod names;
mod nodes;
#[cfg(unix)]
mod packaging;
mod process;
#[cfg(unix)]
mod reached;
mod recorded;
mod relay;
mod replay;
mod rules;
mod scan;
mod security;
mod sensitive;
mod serve;
mod service;
mod serving;
mod shapes;
#[cfg(unix)]
mod signing;
mod suppress;
mod terminal;
mod unrun;
mod world;
