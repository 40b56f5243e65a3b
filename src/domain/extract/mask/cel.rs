//! What an expression reads.
//!
//! The walk follows where in the object the value of each subexpression can stand. As soon as a value is used in any
//! other way than selecting from it, everything below its place is kept.

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, ComprehensionExpr, Expr, LiteralValue, operators};

use super::{MAX_PLACES, Mask, Place, Step, step};
use crate::extract::cel::{Program, VARIABLE, children};

impl Program {
    /// The part of an object that the expression reads.
    pub fn mask(&self) -> Mask {
        let mut mask = Mask::default();
        let mut reader = Reader {
            mask: &mut mask,
            variables: Vec::new(),
        };
        reader.consume(self.tree());
        mask.root.seal();
        mask
    }
}

struct Reader<'m, 'e> {
    mask: &'m mut Mask,
    /// Variables of the loops around the current expression, innermost last, and where their values stand.
    variables: Vec<(&'e str, Vec<Place>)>,
}

impl<'e> Reader<'_, 'e> {
    /// An expression whose whole value counts.
    fn consume(&mut self, expression: &'e IdedExpr) {
        let places = self.places(expression);
        self.keep(&places);
    }

    fn keep(&mut self, places: &[Place]) {
        for place in places {
            self.mask.keep_place(place);
        }
    }

    /// Where the value of an expression stands in the object; nowhere if it is computed or kept whole already.
    fn places(&mut self, expression: &'e IdedExpr) -> Vec<Place> {
        let places = match &expression.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Select(select) => {
                let operand = self.places(&select.operand);
                let field = members(&operand, &select.field);
                if select.test {
                    for place in &field {
                        self.mask.keep_presence(place);
                    }
                    return Vec::new();
                }
                field
            }
            Expr::Call(call) => self.call(expression, call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            _ => self.consume_parts(expression),
        };
        if places.len() > MAX_PLACES {
            self.keep(&places);
            return Vec::new();
        }
        places
    }

    fn variable(&self, name: &str) -> Vec<Place> {
        let absolute = name.strip_prefix('.');
        let in_loop = || self.variables.iter().rev().find(|(variable, _)| *variable == name);
        match (absolute, in_loop()) {
            (None, Some((_, places))) => places.clone(),
            _ if absolute.unwrap_or(name) == VARIABLE => vec![Place::new()],
            _ => Vec::new(),
        }
    }

    fn consume_parts(&mut self, expression: &'e IdedExpr) -> Vec<Place> {
        for part in children(expression) {
            self.consume(part);
        }
        Vec::new()
    }

    fn call(&mut self, expression: &'e IdedExpr, call: &'e CallExpr) -> Vec<Place> {
        match (call.func_name.as_str(), call.args.as_slice()) {
            (operators::CONDITIONAL, [condition, then, otherwise]) => {
                self.consume(condition);
                let mut places = self.places(then);
                places.extend(self.places(otherwise));
                places
            }
            (operators::INDEX | operators::OPT_INDEX | operators::OPT_SELECT, [value, index]) => {
                self.index(value, index)
            }
            ("size", [value]) if call.target.is_none() => self.size(value),
            ("size", []) => match &call.target {
                Some(value) => self.size(value),
                None => Vec::new(),
            },
            _ => self.consume_parts(expression),
        }
    }

    fn index(&mut self, value: &'e IdedExpr, index: &'e IdedExpr) -> Vec<Place> {
        let places = self.places(value);
        match &index.expr {
            Expr::Literal(LiteralValue::String(name)) => members(&places, name.inner()),
            Expr::Literal(_) => places.iter().map(|place| step(place, Step::Items)).collect(),
            _ => {
                self.consume(index);
                self.keep(&places);
                Vec::new()
            }
        }
    }

    fn size(&mut self, value: &'e IdedExpr) -> Vec<Place> {
        for place in self.places(value) {
            self.mask.keep_size(&place);
        }
        Vec::new()
    }

    /// The variable of a loop stands for the elements of a list, or for the names of the members of a map.
    fn comprehension(&mut self, comprehension: &'e ComprehensionExpr) -> Vec<Place> {
        let range = self.places(&comprehension.iter_range);
        for place in &range {
            self.mask.keep_size(place);
        }
        if comprehension.iter_var2.is_some() {
            self.keep(&range);
        }
        self.consume(&comprehension.accu_init);
        let elements = range.iter().map(|place| step(place, Step::Items)).collect();
        let outer = self.variables.len();
        self.variables.push((&comprehension.accu_var, Vec::new()));
        let result = self.places(&comprehension.result);
        self.variables.push((&comprehension.iter_var, elements));
        if let Some(second) = &comprehension.iter_var2 {
            self.variables.push((second, Vec::new()));
        }
        self.consume(&comprehension.loop_cond);
        self.consume(&comprehension.loop_step);
        self.variables.truncate(outer);
        result
    }
}

fn members(places: &[Place], name: &str) -> Vec<Place> {
    places
        .iter()
        .map(|place| step(place, Step::Member(name.to_owned())))
        .collect()
}
