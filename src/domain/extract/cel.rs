//! CEL expressions over one object.
//!
//! An expression is parsed and checked once and then evaluated against borrowed JSON: the object is bound by
//! reference, and only the levels an expression walks are turned into CEL values. JSON integers are `int`, or `uint`
//! above 2^63 - 1, as Kubernetes does it.
//!
//! Nothing an expression contains can take the process down or hold it up: sources are short, syntax trees flat,
//! loops nested at most three deep, and every evaluation spends a budget of steps.
//!
//! The library's own error texts quote values, which may be secrets; they never leave this module.
//!
//! **Source**: CEL language definition; Kubernetes documentation, "Common Expression Language in Kubernetes".

mod bind;
mod check;
mod environment;
mod error;
mod instrument;
mod meter;
mod result;

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use ::cel::{Context, IdedExpr};
use serde_json::Value;

pub(crate) use check::children;
pub use error::{CelError, CelFault};
pub use meter::Meter;

/// Longest accepted expression. The longest in circulation has a few hundred bytes.
pub const MAX_SOURCE_BYTES: usize = 4096;

/// Stack for parsing: the parser recurses once per character in the worst case, which takes about 40 MiB.
const PARSER_STACK_BYTES: usize = 256 * 1024 * 1024;

/// The only variable of an expression: the object.
pub(crate) const VARIABLE: &str = "object";

/// A checked expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    source: String,
    /// The tree as it was written, for the field mask.
    tree: IdedExpr,
    /// The tree with the calls that count steps.
    metered: IdedExpr,
}

impl Program {
    /// Parses and checks an expression over the variable `object`.
    ///
    /// # Errors
    /// What is wrong with the expression, and what to do about it.
    pub fn compile(source: &str) -> Result<Self, CelError> {
        let source = source.trim();
        if source.is_empty() {
            return Err(CelError::Empty);
        }
        if source.len() > MAX_SOURCE_BYTES {
            return Err(CelError::TooLong);
        }
        let tree = parse(source)?;
        check::names(&tree)?;
        let mut metered = tree.clone();
        instrument::instrument(&mut metered);
        check::evaluation(&metered)?;
        Ok(Self {
            source: source.to_owned(),
            tree,
            metered,
        })
    }

    /// The value of the expression for one object; an absent optional is null.
    ///
    /// # Errors
    /// As [`Self::evaluate_bound`].
    pub fn evaluate(&self, object: &Value) -> Result<Value, CelFault> {
        let meter = Meter::default();
        let binding = Binding::new(object, &meter)?;
        let value = self.evaluate_bound(&binding)?;
        Ok(value.unwrap_or_default())
    }

    /// The value of the expression, `None` for an absent optional.
    ///
    /// # Errors
    /// Why the expression has no JSON value for this object; the text quotes no value of the object.
    pub fn evaluate_bound(&self, binding: &Binding<'_>) -> Result<Option<Value>, CelFault> {
        binding.meter.refill();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            ::cel::Value::resolve_val(&self.metered, &binding.context)
                .map_err(|error| CelFault::from_execution(&error, &self.source))
                .and_then(|value| result::to_json(value.as_ref()))
        }));
        if binding.meter.is_empty() {
            return Err(CelFault::TooExpensive);
        }
        outcome.unwrap_or(Err(CelFault::Internal))
    }

    /// The expression's text, trimmed.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The syntax tree as it was written.
    pub(crate) fn tree(&self) -> &IdedExpr {
        &self.tree
    }
}

/// An object bound to the variable `object`; serves any number of expressions.
pub struct Binding<'v> {
    context: Context<'v, 'v>,
    meter: &'v Meter,
}

impl<'v> Binding<'v> {
    /// Binds an object by reference.
    ///
    /// # Errors
    /// [`CelFault::Internal`] if the environment cannot be built, which no input causes.
    pub fn new(object: &'v Value, meter: &'v Meter) -> Result<Self, CelFault> {
        let environment = environment::shared().ok_or(CelFault::Internal)?;
        let mut context = Context::with_env(environment);
        context.add_variable_as_val(VARIABLE, bind::value(object, meter));
        context.add_variable_as_val(meter::VARIABLE, Box::new(meter.clone()));
        Ok(Self { context, meter })
    }
}

/// Parses on a thread with a large stack: the parser recurses with its input, and an overflow would end the process.
///
/// Trees that are too deep to walk are dropped on that thread as well.
fn parse(source: &str) -> Result<IdedExpr, CelError> {
    thread::scope(|scope| {
        thread::Builder::new()
            .name("cel-parser".to_owned())
            .stack_size(PARSER_STACK_BYTES)
            .spawn_scoped(scope, || {
                let environment = environment::shared().ok_or(CelError::Unavailable)?;
                let tree = environment
                    .parser()
                    .parse(source)
                    .map_err(|errors| CelError::from_parser(&errors))?;
                check::shape(&tree)?;
                Ok(tree)
            })
            .map_err(|_| CelError::Unavailable)?
            .join()
            .unwrap_or(Err(CelError::Unavailable))
    })
}
