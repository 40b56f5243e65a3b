//! Evaluates the steps of a path.

use serde_json::Value;
use thiserror::Error;

use super::ast::{Comparison, Expression, Operand, Segment, Selector, Slice};
use super::compare;

/// Nodes one evaluation may visit: about ten times what the largest object the API server stores contains.
const MAX_VISITS: usize = 2_000_000;

/// A path that visits more nodes than one evaluation may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the path visits more than {MAX_VISITS} nodes of the object; use fewer `..` steps")]
pub struct TooExpensive;

/// The nodes a path selected, in document order.
#[derive(Debug, Clone, PartialEq)]
pub struct Nodes<'a> {
    values: Vec<&'a Value>,
    exhausted_list: bool,
}

impl<'a> Nodes<'a> {
    pub(super) fn constant(value: &'a Value) -> Self {
        Self {
            values: vec![value],
            exhausted_list: false,
        }
    }

    /// The selected values.
    pub fn values(&self) -> &[&'a Value] {
        &self.values
    }

    /// Whether nothing was selected because a list that exists has no (fitting) element.
    pub fn exhausted_list(&self) -> bool {
        self.exhausted_list
    }
}

/// Evaluates steps against an object.
pub(super) fn select<'a>(segments: &'a [Segment], object: &'a Value) -> Result<Nodes<'a>, TooExpensive> {
    let mut evaluation = Evaluation {
        root: object,
        visits: MAX_VISITS,
    };
    evaluation.run(segments, object)
}

struct Evaluation<'a> {
    root: &'a Value,
    visits: usize,
}

impl<'a> Evaluation<'a> {
    fn visit(&mut self) -> Result<(), TooExpensive> {
        self.visits = self.visits.checked_sub(1).ok_or(TooExpensive)?;
        Ok(())
    }

    fn run(&mut self, segments: &'a [Segment], start: &'a Value) -> Result<Nodes<'a>, TooExpensive> {
        let mut nodes = vec![start];
        let mut exhausted_list = false;
        for segment in segments {
            let next = match segment {
                Segment::Descend => self.descend(&nodes)?,
                Segment::Children(selectors) => self.children(selectors, &nodes)?,
            };
            exhausted_list = next.is_empty() && selects_many(segment) && nodes.iter().any(|node| node.is_array());
            nodes = next;
            if nodes.is_empty() {
                break;
            }
        }
        Ok(Nodes {
            values: nodes,
            exhausted_list,
        })
    }

    fn descend(&mut self, nodes: &[&'a Value]) -> Result<Vec<&'a Value>, TooExpensive> {
        let mut found = Vec::new();
        for &node in nodes {
            let mut stack = vec![node];
            while let Some(node) = stack.pop() {
                self.visit()?;
                found.push(node);
                match node {
                    Value::Array(items) => stack.extend(items.iter().rev()),
                    Value::Object(members) => stack.extend(members.values().rev()),
                    _ => {}
                }
            }
        }
        Ok(found)
    }

    /// A union that asks for a member no node has selects nothing at all: its values are read by position.
    fn children(&mut self, selectors: &'a [Selector], nodes: &[&'a Value]) -> Result<Vec<&'a Value>, TooExpensive> {
        let mut found = Vec::new();
        if let [only] = selectors {
            for &node in nodes {
                self.choose(only, node, &mut found)?;
            }
            return Ok(found);
        }
        let mut hit = vec![false; selectors.len()];
        for &node in nodes {
            for (selector, hit) in selectors.iter().zip(&mut hit) {
                let before = found.len();
                self.choose(selector, node, &mut found)?;
                *hit |= found.len() > before;
            }
        }
        let complete = selectors
            .iter()
            .zip(hit)
            .all(|(selector, hit)| hit || !matches!(selector, Selector::Name(_) | Selector::NameOrPath(..)));
        Ok(if complete { found } else { Vec::new() })
    }

    fn choose(
        &mut self,
        selector: &'a Selector,
        node: &'a Value,
        found: &mut Vec<&'a Value>,
    ) -> Result<(), TooExpensive> {
        self.visit()?;
        match (selector, node) {
            (Selector::Name(name), Value::Object(members)) => found.extend(members.get(name)),
            (Selector::NameOrPath(name, path), Value::Object(members)) => match members.get(name) {
                Some(value) => found.push(value),
                None => found.extend(self.run(path, node)?.values),
            },
            (Selector::Index(index), Value::Array(items)) => {
                found.extend(position(*index, items.len()).and_then(|at| items.get(at)));
            }
            (Selector::Slice(slice), Value::Array(items)) => self.slice(*slice, items, found)?,
            (Selector::Wildcard, Value::Array(items)) => {
                self.take_all(items.iter(), found)?;
            }
            (Selector::Wildcard, Value::Object(members)) => {
                self.take_all(members.values(), found)?;
            }
            (Selector::Filter(expression), Value::Array(items)) => {
                self.filter(expression, items.iter(), found)?;
            }
            (Selector::Filter(expression), Value::Object(members)) => {
                self.filter(expression, members.values(), found)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn take_all(
        &mut self,
        children: impl ExactSizeIterator<Item = &'a Value>,
        found: &mut Vec<&'a Value>,
    ) -> Result<(), TooExpensive> {
        self.visits = self.visits.checked_sub(children.len()).ok_or(TooExpensive)?;
        found.extend(children);
        Ok(())
    }

    fn slice(&mut self, slice: Slice, items: &'a [Value], found: &mut Vec<&'a Value>) -> Result<(), TooExpensive> {
        for at in slice_positions(slice, items.len()) {
            self.visit()?;
            found.extend(items.get(at));
        }
        Ok(())
    }

    fn filter(
        &mut self,
        expression: &'a Expression,
        children: impl Iterator<Item = &'a Value>,
        found: &mut Vec<&'a Value>,
    ) -> Result<(), TooExpensive> {
        for child in children {
            self.visit()?;
            if self.holds(expression, child)? {
                found.push(child);
            }
        }
        Ok(())
    }

    fn holds(&mut self, expression: &'a Expression, current: &'a Value) -> Result<bool, TooExpensive> {
        match expression {
            Expression::Or(terms) => {
                for term in terms {
                    if self.holds(term, current)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Expression::And(terms) => {
                for term in terms {
                    if !self.holds(term, current)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Expression::Not(inner) => Ok(!self.holds(inner, current)?),
            Expression::Exists(operand) => Ok(!self.operand(operand, current)?.is_empty()),
            Expression::Compare(left, comparison, right) => self.compare(left, *comparison, right, current),
        }
    }

    fn compare(
        &mut self,
        left: &'a Operand,
        comparison: Comparison,
        right: &'a Operand,
        current: &'a Value,
    ) -> Result<bool, TooExpensive> {
        let left = self.operand(left, current)?;
        let right = self.operand(right, current)?;
        for left in &left {
            for right in &right {
                if compare::holds(left, comparison, right, &mut self.visits)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    fn operand(&mut self, operand: &'a Operand, current: &'a Value) -> Result<Vec<&'a Value>, TooExpensive> {
        Ok(match operand {
            Operand::Literal(value) => vec![value],
            Operand::Current(segments) => self.run(segments, current)?.values,
            Operand::Root(segments) => self.run(segments, self.root)?.values,
        })
    }
}

fn selects_many(segment: &Segment) -> bool {
    match segment {
        Segment::Descend => true,
        Segment::Children(selectors) => selectors
            .iter()
            .any(|selector| matches!(selector, Selector::Wildcard | Selector::Slice(_) | Selector::Filter(_))),
    }
}

/// The position an index means in a list of that length; lists are shorter than 2^63.
fn position(index: i64, length: usize) -> Option<usize> {
    if index >= 0 {
        usize::try_from(index).ok()
    } else {
        length.checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
    }
}

/// The positions of a slice, in its order. **Source**: RFC 9535, section 2.3.4.2.
fn slice_positions(slice: Slice, length: usize) -> impl Iterator<Item = usize> {
    let length = i128::try_from(length).unwrap_or(i128::MAX);
    let step = i128::from(slice.step);
    let from_start = |bound: i64| {
        let bound = i128::from(bound);
        if bound >= 0 { bound } else { length + bound }
    };
    let (mut at, end) = if step >= 0 {
        (
            slice.start.map_or(0, from_start).clamp(0, length),
            slice.end.map_or(length, from_start).clamp(0, length),
        )
    } else {
        (
            slice.start.map_or(length - 1, from_start).clamp(-1, length - 1),
            slice.end.map_or(-1, from_start).clamp(-1, length - 1),
        )
    };
    std::iter::from_fn(move || {
        let inside = (step > 0 && at < end) || (step < 0 && at > end);
        if !inside {
            return None;
        }
        let here = usize::try_from(at).ok();
        at += step;
        here
    })
}
