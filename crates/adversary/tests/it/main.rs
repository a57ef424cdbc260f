//! The binary as clients and readers meet it.
