import { parseNanoseconds } from "@capstan/formats";
import { evaluate } from "@marcbachmann/cel-js";

type DurationClass = new (seconds: bigint, nanos: number) => object;

const billion = 1_000_000_000n;
let found: DurationClass | undefined;

/** The library's own class, which it does not export: values of another are no durations to it. */
function durationClass(): DurationClass {
  found ??= Object(evaluate("duration('0s')")).constructor as DurationClass;
  return found;
}

/** A text of `format: duration` (strfmt.ParseDuration). What it cannot read has been refused by the schema. */
export function readDuration(text: string): unknown {
  const nanos = parseNanoseconds(text, { days: true });
  return nanos === undefined ? text : new (durationClass())(nanos / billion, Number(nanos % billion));
}
