//! What a path reads.

use super::{MAX_PLACES, Mask, Place, Step, step};
use crate::extract::jsonpath::{Expression, JsonPath, Operand, Segment, Selector};

impl JsonPath {
    /// The part of an object that the path reads.
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::default();
        if let Some(segments) = self.segments() {
            for place in walk(segments, vec![Place::new()], &mut mask) {
                mask.keep_place(&place);
            }
        }
        mask.root.seal();
        mask
    }
}

/// Follows steps from some places; returns where they end, unless the mask keeps everything there already.
fn walk(segments: &[Segment], mut places: Vec<Place>, mask: &mut Mask) -> Vec<Place> {
    for segment in segments {
        let selectors = match segment {
            Segment::Children(selectors) if places.len() * selectors.len() <= MAX_PLACES => selectors,
            Segment::Children(_) | Segment::Descend => {
                for place in &places {
                    mask.keep_place(place);
                }
                return Vec::new();
            }
        };
        let mut next = Vec::new();
        for place in &places {
            mask.keep_presence(place);
            for selector in selectors {
                choose(selector, place, mask, &mut next);
            }
        }
        places = next;
    }
    places
}

fn choose(selector: &Selector, place: &[Step], mask: &mut Mask, next: &mut Vec<Place>) {
    match selector {
        Selector::Name(name) => next.push(step(place, Step::Member(name.clone()))),
        Selector::NameOrPath(name, path) => {
            next.push(step(place, Step::Member(name.clone())));
            next.extend(walk(path, vec![place.to_vec()], mask));
        }
        Selector::Index(_) | Selector::Slice(_) => next.push(step(place, Step::Items)),
        Selector::Wildcard => next.extend(children(place)),
        Selector::Filter(expression) => {
            condition(expression, &children(place), mask);
            next.extend(children(place));
        }
    }
}

fn children(place: &[Step]) -> [Place; 2] {
    [step(place, Step::Items), step(place, Step::AnyMember)]
}

fn condition(expression: &Expression, current: &[Place; 2], mask: &mut Mask) {
    match expression {
        Expression::Or(terms) | Expression::And(terms) => {
            for term in terms {
                condition(term, current, mask);
            }
        }
        Expression::Not(inner) => condition(inner, current, mask),
        Expression::Exists(value) => {
            for place in operand(value, current, mask) {
                mask.keep_presence(&place);
            }
        }
        Expression::Compare(left, _, right) => {
            for side in [left, right] {
                for place in operand(side, current, mask) {
                    mask.keep_place(&place);
                }
            }
        }
    }
}

fn operand(operand: &Operand, current: &[Place; 2], mask: &mut Mask) -> Vec<Place> {
    match operand {
        Operand::Literal(_) => Vec::new(),
        Operand::Current(segments) => walk(segments, current.to_vec(), mask),
        Operand::Root(segments) => walk(segments, vec![Place::new()], mask),
    }
}
