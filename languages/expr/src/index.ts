export { type EvaluateOptions, Expr } from "./expr.ts";
export { ExprError } from "./expr-error.ts";
export {
  ExprDuration,
  ExprFunction,
  ExprMap,
  ExprNamed,
  ExprTime,
  ExprZone,
  printValue,
  toValue,
  typeOf,
  type Value,
} from "./values/value.ts";
