//! Rewrites a syntax tree so that its evaluation spends the budget.

use ::cel::IdedExpr;
use ::cel::common::ast::{CallExpr, EntryExpr, Expr, ListExpr, LiteralValue, operators};
use ::cel::common::types::CelUInt;

use super::check;
use super::meter::{ADD, RANGE, VARIABLE, VISIT};

/// What compiling a regular expression costs. One in the text of the expression is known to be small.
const PATTERN_STEPS: u64 = 200;
const COMPUTED_PATTERN_STEPS: u64 = 20_000;

/// Rewrites an expression so that it spends its budget.
pub(super) fn instrument(expression: &mut IdedExpr) {
    rewrite(expression, false);
}

fn rewrite(expression: &mut IdedExpr, in_loop: bool) {
    match &mut expression.expr {
        Expr::Call(call) if check::is_sum(call) => {
            flatten_sum(call);
            call.args.iter_mut().for_each(|list| rewrite(list, in_loop));
        }
        Expr::Call(call) => {
            if let Some(target) = &mut call.target {
                rewrite(target, in_loop);
            }
            for argument in &mut call.args {
                rewrite(argument, in_loop);
            }
            if in_loop {
                meter_call(call);
            }
        }
        Expr::Comprehension(comprehension) => {
            rewrite(&mut comprehension.iter_range, in_loop);
            wrap(&mut comprehension.iter_range, RANGE, None);
            rewrite(&mut comprehension.accu_init, in_loop);
            rewrite(&mut comprehension.loop_cond, true);
            rewrite(&mut comprehension.loop_step, true);
            rewrite(&mut comprehension.result, in_loop);
        }
        Expr::List(list) => {
            for element in &mut list.elements {
                rewrite(element, in_loop);
            }
        }
        Expr::Map(map) => {
            for entry in &mut map.entries {
                if let EntryExpr::MapEntry(entry) = &mut entry.expr {
                    rewrite(&mut entry.key, in_loop);
                    rewrite(&mut entry.value, in_loop);
                }
            }
        }
        Expr::Select(select) => rewrite(&mut select.operand, in_loop),
        // Refused before.
        Expr::Struct(_) | Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
    }
}

/// `a + b + c` becomes `@add([a, b, c], meter)`, which neither recurses nor copies the sums in between.
fn flatten_sum(call: &mut CallExpr) {
    let mut operands = Vec::new();
    let mut sum = std::mem::take(call);
    loop {
        operands.extend(sum.args.pop());
        match sum.args.pop() {
            Some(IdedExpr {
                expr: Expr::Call(inner),
                ..
            }) if check::is_sum(&inner) => sum = inner,
            first => {
                operands.extend(first);
                break;
            }
        }
    }
    operands.reverse();
    let list = IdedExpr {
        id: 0,
        expr: Expr::List(ListExpr::new(operands)),
    };
    ADD.clone_into(&mut call.func_name);
    call.args = vec![list, variable(VARIABLE)];
}

fn meter_call(call: &mut CallExpr) {
    match call.func_name.as_str() {
        operators::EQUALS
        | operators::NOT_EQUALS
        | operators::LESS
        | operators::LESS_EQUALS
        | operators::GREATER
        | operators::GREATER_EQUALS => call.args.iter_mut().take(1).for_each(visit_operand),
        operators::IN => call.args.iter_mut().for_each(visit_operand),
        "matches" => {
            // `matches(text, pattern)` or `text.matches(pattern)`.
            let computed = !matches!(call.args.last().map(|pattern| &pattern.expr), Some(Expr::Literal(_)));
            let steps = if computed {
                COMPUTED_PATTERN_STEPS
            } else {
                PATTERN_STEPS
            };
            match &mut call.target {
                Some(text) => wrap(text, VISIT, Some(steps)),
                None => call
                    .args
                    .iter_mut()
                    .take(1)
                    .for_each(|text| wrap(text, VISIT, Some(steps))),
            }
        }
        "size" | "contains" | "startsWith" | "endsWith" | "string" | "bytes" | "int" | "uint" | "double" | "bool"
        | "timestamp" | "duration" => match &mut call.target {
            Some(target) => visit_operand(target),
            None => call.args.iter_mut().for_each(visit_operand),
        },
        _ => {}
    }
}

fn visit_operand(operand: &mut IdedExpr) {
    if !matches!(operand.expr, Expr::Literal(_)) {
        wrap(operand, VISIT, Some(0));
    }
}

/// `expression` becomes `function(expression, steps, meter)`.
fn wrap(expression: &mut IdedExpr, function: &str, steps: Option<u64>) {
    let inner = std::mem::take(expression);
    let id = inner.id;
    let steps = steps.map(|steps| IdedExpr {
        id,
        expr: Expr::Literal(LiteralValue::UInt(CelUInt::from(steps))),
    });
    let mut args = vec![inner];
    args.extend(steps);
    args.push(variable(VARIABLE));
    *expression = IdedExpr {
        id,
        expr: Expr::Call(CallExpr {
            func_name: function.to_owned(),
            target: None,
            args,
        }),
    };
}

fn variable(name: &str) -> IdedExpr {
    IdedExpr {
        id: 0,
        expr: Expr::Ident(name.to_owned()),
    }
}
