//! Counts what an evaluation costs.
//!
//! The library has no limit of its own, so the syntax tree is rewritten before it is evaluated: what a loop runs over,
//! what an operator inside a loop works on and what `+` makes is counted against a budget. A function that finds the
//! budget spent fails; as CEL may absorb that failure, the budget is looked at again after the evaluation.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ::cel::ExecutionError;
use ::cel::common::types::{CelBytes, CelList, CelMap, CelMapKey, CelString, CelUInt, OPTIONAL_TYPE, Type};
use ::cel::common::value::{CowVal, StaticVal, Val};

use super::bind;

/// Steps of one evaluation: 100 to 200 ns each, so a fifth of a second at worst.
const BUDGET: u64 = 1_000_000;

/// Bytes of text that count as one step.
const BYTES_PER_STEP: u64 = 64;

/// The variable that carries the budget. No expression can name it.
pub(super) const VARIABLE: &str = "@meter";
/// Returns its argument, having counted it and a number of further steps.
pub(super) const VISIT: &str = "@visit";
/// Returns what a loop runs over, having counted it.
pub(super) const RANGE: &str = "@range";
/// Adds two values and counts them.
pub(super) const ADD: &str = "@add";

/// The budget of steps of one evaluation at a time.
#[derive(Debug, Clone)]
pub struct Meter {
    left: Arc<AtomicU64>,
    budget: u64,
}

impl Default for Meter {
    fn default() -> Self {
        Self::new(BUDGET)
    }
}

impl Meter {
    /// A meter that allows each evaluation a number of steps of 100 to 200 ns.
    pub fn new(budget: u64) -> Self {
        Self {
            left: Arc::new(AtomicU64::new(budget)),
            budget,
        }
    }

    pub(super) fn refill(&self) {
        self.left.store(self.budget, Ordering::Relaxed);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// Takes steps from the budget; false if it is spent.
    pub(super) fn spend(&self, steps: u64) -> bool {
        // One thread evaluates at a time; the atomic is only for the library's thread-safety bounds.
        let left = self.left.load(Ordering::Relaxed).saturating_sub(steps);
        self.left.store(left, Ordering::Relaxed);
        left > 0
    }

    /// Takes steps from the budget or fails.
    pub(super) fn require(&self, steps: u64) -> Result<(), ExecutionError> {
        if self.spend(steps) {
            return Ok(());
        }
        Err(ExecutionError::FunctionError {
            function: VISIT.to_owned(),
            message: "the budget is spent".to_owned(),
        })
    }
}

impl Val for Meter {
    fn get_type(&self) -> &Type {
        Self::cel_type()
    }

    fn cel_type() -> &'static Type {
        // Never seen by an expression; any type will do.
        static TYPE: Type = OPTIONAL_TYPE;
        &TYPE
    }

    fn clone_as_boxed<'w>(&self) -> Box<dyn Val + 'w>
    where
        Self: 'w,
    {
        Box::new(self.clone())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Meter {}

type Arguments<'b, 'v> = Vec<CowVal<'b, 'v>>;
type Outcome<'b, 'v> = Result<CowVal<'b, 'v>, ExecutionError>;

fn take_meter(arguments: &mut Arguments<'_, '_>) -> Result<Meter, ExecutionError> {
    arguments
        .pop()
        .and_then(|meter| meter.downcast_ref::<Meter>().cloned())
        .ok_or(ExecutionError::MissingArgumentOrTarget)
}

fn take<'b, 'v>(arguments: &mut Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    arguments.pop().ok_or(ExecutionError::MissingArgumentOrTarget)
}

/// `@visit(value, steps, meter)`.
pub(super) fn visit<'b, 'v>(mut arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let meter = take_meter(&mut arguments)?;
    let steps = take(&mut arguments)?;
    let steps = steps.downcast_ref::<CelUInt>().map_or(0, |steps| *steps.inner());
    let value = take(&mut arguments)?;
    meter.require(weight(value.as_ref()).saturating_add(steps))?;
    Ok(value)
}

/// `@range(value, meter)`. A map that the expression built becomes the list of its sorted keys: loops run over keys,
/// and the library's order of them is random.
pub(super) fn range<'b, 'v>(mut arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let meter = take_meter(&mut arguments)?;
    let value = take(&mut arguments)?;
    meter.require(weight(value.as_ref()))?;
    if bind::is_bound(value.as_ref()) {
        return Ok(value);
    }
    let Some(map) = value.downcast_ref::<CelMap>() else {
        return Ok(value);
    };
    let mut keys: Vec<&CelMapKey<'v>> = map.inner().keys().collect();
    keys.sort();
    let keys: Vec<Box<dyn Val + 'v>> = keys.into_iter().map(|key| key.inner().clone_as_boxed()).collect();
    Ok(CowVal::owned(CelList::from(keys)))
}

/// `@add(operands, meter)`.
pub(super) fn add<'b, 'v>(mut arguments: Arguments<'b, 'v>) -> Outcome<'b, 'v> {
    let meter = take_meter(&mut arguments)?;
    let operands = take(&mut arguments)?.into_owned();
    let operands: Vec<Box<dyn Val + 'v>> =
        Vec::try_from(operands).map_err(|_| ExecutionError::MissingArgumentOrTarget)?;
    let mut operands = operands.into_iter();
    let mut sum = operands.next().ok_or(ExecutionError::MissingArgumentOrTarget)?;
    for operand in operands {
        meter.require(weight(sum.as_ref()).saturating_add(weight(operand.as_ref())))?;
        let next = match sum.as_adder() {
            Some(adder) => adder.add(operand.as_ref())?.into_owned(),
            None => return Err(no_sum(sum.as_ref(), operand.as_ref())),
        };
        sum = next;
    }
    Ok(CowVal::Owned(sum))
}

fn no_sum(left: &dyn Val, right: &dyn Val) -> ExecutionError {
    ExecutionError::UnexpectedType {
        got: format!("{} + {}", left.get_type().name(), right.get_type().name()),
        want: "two operands of one type".to_owned(),
    }
}

/// How much work looking at a value is. What is inside a value of the object counts when it is looked at.
fn weight(value: &dyn Val) -> u64 {
    if bind::is_bound(value) {
        return 1 + value.as_sizer().map_or(0, |sizer| sizer.size().inner().unsigned_abs());
    }
    if let Some(text) = value.downcast_ref::<CelString>() {
        1 + text.inner().len() as u64 / BYTES_PER_STEP
    } else if let Some(bytes) = value.downcast_ref::<CelBytes>() {
        1 + bytes.inner().len() as u64 / BYTES_PER_STEP
    } else if let Some(list) = value.downcast_ref::<CelList>() {
        1 + list.inner().iter().map(|item| weight(item.as_ref())).sum::<u64>()
    } else if let Some(map) = value.downcast_ref::<CelMap>() {
        let entries = map.inner().iter();
        1 + entries
            .map(|(key, member)| weight(key.inner()) + weight(member.as_ref()))
            .sum::<u64>()
    } else {
        1
    }
}
