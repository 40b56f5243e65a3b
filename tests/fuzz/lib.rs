//! Texts that are almost right.
//!
//! A seed is a text that is accepted. A mutation cuts, repeats, swaps and inserts pieces of it and of a dictionary, so
//! that what comes out gets deep into a parser before it goes wrong. Texts are taken apart as bytes: what is not UTF-8
//! any more is replaced, unless the reader takes bytes.
//!
//! Short runs belong to the tests; `PROPTEST_CASES` makes them longer. A failure is printed as the shortest text that
//! proptest finds, and becomes a test by its own name.

use proptest::prelude::*;

/// Longest text.
const BYTES_LIMIT: usize = 64 << 10;

#[derive(Debug, Clone)]
enum Mutation {
    Cut {
        at: usize,
        length: usize,
    },
    Repeat {
        at: usize,
        length: usize,
        times: usize,
    },
    Insert {
        at: usize,
        token: usize,
    },
    Set {
        at: usize,
        byte: u8,
    },
    Splice {
        at: usize,
        seed: usize,
        from: usize,
        length: usize,
    },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = any::<usize>;
    prop_oneof![
        (at(), 1..16_usize).prop_map(|(at, length)| Mutation::Cut { at, length }),
        (at(), 1..12_usize, 1..64_usize).prop_map(|(at, length, times)| Mutation::Repeat { at, length, times }),
        (at(), any::<usize>()).prop_map(|(at, token)| Mutation::Insert { at, token }),
        (at(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set { at, byte }),
        (at(), any::<usize>(), any::<usize>(), 1..64_usize).prop_map(|(at, seed, from, length)| Mutation::Splice {
            at,
            seed,
            from,
            length
        }),
    ]
}

/// Mutated bytes of one of the seeds.
pub fn bytes(seeds: &'static [&'static str], tokens: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    (any::<usize>(), prop::collection::vec(mutation(), 0..12)).prop_map(move |(seed, mutations)| {
        let mut text = seeds[seed % seeds.len()].as_bytes().to_vec();
        for mutation in mutations {
            apply(&mut text, &mutation, seeds, tokens);
            text.truncate(BYTES_LIMIT);
        }
        text
    })
}

/// Mutated text of one of the seeds.
pub fn text(seeds: &'static [&'static str], tokens: &'static [&'static str]) -> impl Strategy<Value = String> {
    bytes(seeds, tokens).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn apply(text: &mut Vec<u8>, mutation: &Mutation, seeds: &[&str], tokens: &[&str]) {
    let place = |at: usize, length: usize| at % (length + 1);
    match *mutation {
        Mutation::Cut { at, length } => {
            let from = place(at, text.len());
            let to = (from + length).min(text.len());
            text.drain(from..to);
        }
        Mutation::Repeat { at, length, times } => {
            let from = place(at, text.len());
            let to = (from + length).min(text.len());
            let piece = text[from..to].repeat(times);
            text.splice(from..from, piece);
        }
        Mutation::Insert { at, token } => {
            let from = place(at, text.len());
            text.splice(from..from, tokens[token % tokens.len()].bytes());
        }
        Mutation::Set { at, byte } => {
            if !text.is_empty() {
                let at = at % text.len();
                text[at] = byte;
            }
        }
        Mutation::Splice { at, seed, from, length } => {
            let other = seeds[seed % seeds.len()].as_bytes();
            let from = place(from, other.len());
            let to = (from + length).min(other.len());
            let at = place(at, text.len());
            text.splice(at..at, other[from..to].iter().copied());
        }
    }
}
