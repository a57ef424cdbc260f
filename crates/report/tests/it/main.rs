//! The formats as their readers see them: snapshots, and structure against the shipped schema.

mod difference;
mod fixture;
mod json;
mod plain;
mod sarif;
mod schema;
