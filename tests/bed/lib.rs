//! Starts the real servers that the tests of Kollect run against, without a container engine.
