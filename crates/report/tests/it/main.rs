//! The formats as their readers see them: snapshots, and structure against the shipped schema.

mod difference;
mod fixture;
mod html;
mod json;
mod listings;
mod plain;
mod sarif;
mod sarif_schema;
mod schema;
