//! The rows, one file per family of vendors.

mod ai;
mod chat;
mod ci;
mod cloud;
mod code_hosting;
mod commerce;
mod database;
mod generic;
mod identity;
mod keys;
mod mail;
mod monitoring;
mod payment;
mod social_maps;

use super::row::Row;

/// All families.
pub(super) const FAMILIES: &[&[Row]] = &[
    cloud::ROWS,
    code_hosting::ROWS,
    ci::ROWS,
    ai::ROWS,
    chat::ROWS,
    mail::ROWS,
    payment::ROWS,
    commerce::ROWS,
    monitoring::ROWS,
    database::ROWS,
    social_maps::ROWS,
    identity::ROWS,
    keys::ROWS,
    generic::ROWS,
];
