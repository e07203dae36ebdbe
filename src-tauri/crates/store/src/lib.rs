//! Countersign's SQLite store: applies changes in one transaction, answers queries, holds no opinions.
