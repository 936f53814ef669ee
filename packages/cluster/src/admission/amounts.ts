import { parseQuantity, printQuantity, type Quantity } from "@capstan/formats";
import { isObject, textAt } from "../schema/json.ts";

/** Quantities by resource: "requests.cpu", "pods". */
export type Amounts = Map<string, Quantity>;

export const one: Quantity = { nanos: 10n ** 9n, format: "decimal" };
export const zero: Quantity = { nanos: 0n, format: "decimal" };

/** A ResourceList as written; what is no quantity is left out. */
export function readAmounts(list: unknown): Amounts {
  const amounts: Amounts = new Map();
  if (!isObject(list)) return amounts;
  for (const [name, value] of Object.entries(list)) {
    const quantity = parseQuantity(typeof value === "number" ? String(value) : textAt(list, name));
    if (quantity !== undefined) amounts.set(name, quantity);
  }
  return amounts;
}

export function writeAmounts(amounts: Amounts): Record<string, string> {
  const sorted = [...amounts].sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, quantity]) => [name, printQuantity(quantity)]));
}

/** resource.Quantity.Add: the form is that of the first that is not zero. */
export function plus(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos + right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

export function minus(left: Quantity, right: Quantity): Quantity {
  return { nanos: left.nanos - right.nanos, format: left.nanos === 0n ? right.format : left.format };
}

export function addAll(to: Amounts, more: Amounts): void {
  for (const [name, quantity] of more) to.set(name, plus(to.get(name) ?? zero, quantity));
}

/** The larger of each. */
export function raiseTo(to: Amounts, other: Amounts): void {
  for (const [name, quantity] of other)
    if ((to.get(name)?.nanos ?? -1n) < quantity.nanos) to.set(name, quantity);
}
