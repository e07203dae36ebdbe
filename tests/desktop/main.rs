//! desktop tests.
