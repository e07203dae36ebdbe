//! journeys tests.
