import { StarlarkError } from "../script-error.ts";
import type { NamedArgument } from "../values/callables.ts";
import { StarDict } from "../values/mappings.ts";
import { StarTuple } from "../values/sequences.ts";
import type { Value } from "../values/value.ts";

export interface ParameterSlot {
  name: string;
  /** Undefined where an argument is required. */
  fallback: Value | undefined;
}

export interface Signature {
  name: string;
  /** In the order of their slots, keyword-only ones last. Slots of *args and **kwargs follow. */
  parameters: readonly ParameterSlot[];
  positionalCount: number;
  hasRest: boolean;
  hasNamedRest: boolean;
}

interface Given {
  positional: readonly Value[];
  named: readonly NamedArgument[];
}

/** Puts the arguments of a call into the first slots of a function's frame (go.starlark.net, setArgs). */
export function bindArguments(
  slots: (Value | undefined)[],
  signature: Signature,
  { positional, named }: Given,
): void {
  const { name, parameters, positionalCount, hasRest, hasNamedRest } = signature;
  const total = parameters.length + Number(hasRest) + Number(hasNamedRest);
  const given = positional.length + named.length;
  if (total === 0 && given > 0)
    throw new StarlarkError(`function ${name} accepts no arguments (${given} given)`);
  if (positional.length > positionalCount && !hasRest) throw tooMany(signature, positional.length);
  for (let i = 0; i < parameters.length; i++) slots[i] = i < positionalCount ? positional[i] : undefined;
  if (hasRest) slots[parameters.length] = new StarTuple(positional.slice(positionalCount));
  const rest = hasNamedRest ? new StarDict() : undefined;
  if (rest) slots[total - 1] = rest;
  for (const [key, value] of named) bindNamed(key, value);
  fillFallbacks(slots, signature);

  function bindNamed(key: string, value: Value): void {
    const index = parameters.findIndex((parameter) => parameter.name === key);
    if (index < 0 && !rest)
      throw new StarlarkError(`function ${name} got an unexpected keyword argument "${key}"`);
    const isTaken = index < 0 ? rest?.has(key) : slots[index] !== undefined;
    if (isTaken) throw new StarlarkError(`function ${name} got multiple values for parameter "${key}"`);
    if (index < 0) rest?.set(key, value);
    else slots[index] = value;
  }
}

function fillFallbacks(slots: (Value | undefined)[], { name, parameters }: Signature): void {
  const missing: string[] = [];
  for (const [index, parameter] of parameters.entries()) {
    if (slots[index] !== undefined) continue;
    if (parameter.fallback === undefined) missing.push(parameter.name);
    slots[index] = parameter.fallback;
  }
  if (missing.length === 0) return;
  const plural = missing.length > 1 ? "s" : "";
  throw new StarlarkError(
    `function ${name} missing ${missing.length} argument${plural} (${missing.join(", ")})`,
  );
}

function tooMany({ name, parameters, positionalCount }: Signature, given: number): StarlarkError {
  const hasFallback = parameters.slice(0, positionalCount).some(({ fallback }) => fallback !== undefined);
  const most = `${hasFallback ? "at most " : ""}${positionalCount} positional argument${positionalCount === 1 ? "" : "s"}`;
  return new StarlarkError(`function ${name} accepts ${most} (${given} given)`);
}
