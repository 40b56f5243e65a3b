//! Refuses expressions that could do harm or cannot work.

use std::collections::BTreeSet;

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};
use regex::RegexBuilder;

use super::VARIABLE;
use super::environment::{FUNCTIONS, QUALIFIED_TYPES, TYPES};
use super::error::CelError;

/// Deepest evaluation: in an unoptimised build a level takes about 20 KiB, and threads have 2 MiB.
const MAX_DEPTH: usize = 50;

/// Deepest syntax tree: copying and dropping recurse with it, at a few hundred bytes per level.
const MAX_TREE_DEPTH: usize = 250;

/// Loops in loops: the cost grows with the power of the nesting.
const MAX_LOOPS: usize = 3;

/// Largest compiled regular expression; the library compiles it again at every use.
const MAX_PATTERN_BYTES: usize = 64 * 1024;

/// Checks the size of the tree that was written. Recurses as deep as the tree, so it needs the parser's stack.
pub(super) fn shape(tree: &IdedExpr) -> Result<(), CelError> {
    if tree_depth(tree) > MAX_TREE_DEPTH {
        return Err(CelError::TooDeep);
    }
    if loops(tree) > MAX_LOOPS {
        return Err(CelError::TooManyLoops(MAX_LOOPS));
    }
    Ok(())
}

/// Checks how deep the evaluation of the tree that is evaluated recurses.
pub(super) fn evaluation(metered: &IdedExpr) -> Result<(), CelError> {
    if depth(metered) > MAX_DEPTH {
        return Err(CelError::TooDeep);
    }
    Ok(())
}

fn tree_depth(expression: &IdedExpr) -> usize {
    1 + deepest(children(expression), tree_depth)
}

/// How deep evaluation recurses. A chain of selections is evaluated flat if it begins with a variable; behind a call, an
/// index or a loop each selection is a level.
fn depth(expression: &IdedExpr) -> usize {
    let parts = match &expression.expr {
        Expr::Select(select) if is_qualified_name(&select.operand) => Vec::new(),
        _ => children(expression),
    };
    1 + deepest(parts, depth)
}

fn deepest(parts: Vec<&IdedExpr>, depth: fn(&IdedExpr) -> usize) -> usize {
    parts.into_iter().map(depth).max().unwrap_or(0)
}

fn is_qualified_name(mut expression: &IdedExpr) -> bool {
    while let Expr::Select(select) = &expression.expr {
        if select.test {
            return false;
        }
        expression = &select.operand;
    }
    matches!(expression.expr, Expr::Ident(_))
}

/// Whether a call is a sum that is evaluated flat: any but the one that extends the result of a loop.
pub(super) fn is_sum(call: &CallExpr) -> bool {
    let extends_result = matches!(
        call.args.first().map(|first| &first.expr),
        Some(Expr::Ident(name)) if name.starts_with('@')
    );
    call.func_name == operators::ADD && call.args.len() == 2 && !extends_result
}

/// How deep loops are nested; chained loops run one after the other and do not count.
fn loops(expression: &IdedExpr) -> usize {
    let Expr::Comprehension(comprehension) = &expression.expr else {
        return deepest(children(expression), loops);
    };
    let ComprehensionExpr {
        iter_range,
        accu_init,
        loop_cond,
        loop_step,
        result,
        iter_var: _,
        iter_var2: _,
        accu_var: _,
    } = comprehension.as_ref();
    let body = deepest(vec![loop_cond, loop_step], loops);
    let around = deepest(vec![iter_range, accu_init, result], loops);
    around.max(1 + body)
}

/// The direct parts of an expression.
pub(crate) fn children(expression: &IdedExpr) -> Vec<&IdedExpr> {
    match &expression.expr {
        Expr::Call(call) => call.target.iter().map(AsRef::as_ref).chain(&call.args).collect(),
        Expr::Comprehension(comprehension) => {
            let ComprehensionExpr {
                iter_range,
                accu_init,
                loop_cond,
                loop_step,
                result,
                iter_var: _,
                iter_var2: _,
                accu_var: _,
            } = comprehension.as_ref();
            vec![iter_range, accu_init, loop_cond, loop_step, result]
        }
        Expr::List(list) => list.elements.iter().collect(),
        Expr::Map(map) => entries(&map.entries).collect(),
        Expr::Struct(message) => entries(&message.entries).collect(),
        Expr::Select(select) => vec![&select.operand],
        Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => Vec::new(),
    }
}

fn entries(entries: &[::cel::common::ast::IdedEntryExpr]) -> impl Iterator<Item = &IdedExpr> {
    entries.iter().flat_map(|entry| match &entry.expr {
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
        EntryExpr::StructField(field) => vec![&field.value],
    })
}

/// Checks that every name means something: the library finds out only when it evaluates.
pub(super) fn names(tree: &IdedExpr) -> Result<(), CelError> {
    Scope::default().check(tree)
}

/// The variables that loops around an expression declare.
#[derive(Clone, Default)]
struct Scope<'e>(BTreeSet<&'e str>);

impl<'e> Scope<'e> {
    fn check(&self, expression: &'e IdedExpr) -> Result<(), CelError> {
        match &expression.expr {
            Expr::Ident(name) => self.variable(name),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Struct(message) => Err(CelError::MessageLiteral(message.type_name.clone())),
            Expr::Unspecified => Err(CelError::Unavailable),
            Expr::Select(_) if is_qualified_type(expression) => Ok(()),
            _ => children(expression).into_iter().try_for_each(|child| self.check(child)),
        }
    }

    fn variable(&self, name: &str) -> Result<(), CelError> {
        // A leading dot skips the variables of loops.
        let absolute = name.trim_start_matches('.');
        let known = self.0.contains(name) || absolute == VARIABLE || TYPES.contains(&absolute);
        if known {
            Ok(())
        } else {
            Err(CelError::UnknownVariable(name.to_owned()))
        }
    }

    fn call(&self, call: &'e CallExpr) -> Result<(), CelError> {
        let qualified = call
            .target
            .as_ref()
            .and_then(|target| qualified_name(target))
            .map(|target| format!("{target}.{}", call.func_name))
            .filter(|name| FUNCTIONS.contains(&name.as_str()));
        if qualified.is_none() {
            if !FUNCTIONS.contains(&call.func_name.as_str()) {
                return Err(CelError::UnknownFunction(call.func_name.clone()));
            }
            call.target.iter().try_for_each(|target| self.check(target))?;
        }
        if call.func_name == "matches" {
            check_pattern(call)?;
        }
        call.args.iter().try_for_each(|argument| self.check(argument))
    }

    fn comprehension(&self, comprehension: &'e ComprehensionExpr) -> Result<(), CelError> {
        self.check(&comprehension.iter_range)?;
        self.check(&comprehension.accu_init)?;
        let mut inner = self.clone();
        inner.0.insert(&comprehension.accu_var);
        inner.check(&comprehension.result)?;
        inner.0.insert(&comprehension.iter_var);
        inner.0.extend(comprehension.iter_var2.as_deref());
        inner.check(&comprehension.loop_cond)?;
        inner.check(&comprehension.loop_step)
    }
}

fn is_qualified_type(expression: &IdedExpr) -> bool {
    qualified_name(expression).is_some_and(|name| QUALIFIED_TYPES.contains(&name.as_str()))
}

/// `a.b.c`, if the expression is nothing but names.
fn qualified_name(expression: &IdedExpr) -> Option<String> {
    match &expression.expr {
        Expr::Ident(name) => Some(name.clone()),
        Expr::Select(select) if !select.test => {
            let operand = qualified_name(&select.operand)?;
            Some(format!("{operand}.{}", select.field))
        }
        _ => None,
    }
}

fn check_pattern(call: &CallExpr) -> Result<(), CelError> {
    let Some(Expr::Literal(LiteralValue::String(pattern))) = call.args.last().map(|argument| &argument.expr) else {
        return Ok(());
    };
    RegexBuilder::new(pattern.inner())
        .size_limit(MAX_PATTERN_BYTES)
        .build()
        .map(drop)
        .map_err(|_| CelError::Pattern(pattern.inner().to_owned()))
}
