//! `kollect demo`: a sample estate through the real pipeline.

pub mod estate;
