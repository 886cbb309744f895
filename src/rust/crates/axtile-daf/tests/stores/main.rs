//! Stores of every kind: those of other writers, and what comes back from ours.

mod answers;
mod cached;
mod chains;
mod damage;
mod faults;
mod foreign;
mod packed;
mod rules;
mod support;
mod types;
mod views;
mod zarr;
