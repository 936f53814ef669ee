import { parseQuantity, printQuantity, type Quantity } from "@capstan/formats";
import { EvaluationError } from "@marcbachmann/cel-js";
import type { Functions } from "./functions.ts";

const billion = 10n ** 9n;

/** resource.Quantity inside expressions. */
export class QuantityValue {
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    this.quantity = quantity;
  }

  get nanos(): bigint {
    return this.quantity.nanos;
  }

  with(nanos: bigint): QuantityValue {
    return new QuantityValue({ ...this.quantity, nanos });
  }
}

export const quantityType = "kubernetes.Quantity";
const type = quantityType;

/** apiserver pkg/cel/library/quantity.go */
export const quantityFunctions: Functions = {
  [`quantity(string): ${type}`]: (text: string) => {
    const quantity = parseQuantity(text);
    if (quantity === undefined)
      throw new EvaluationError(
        "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      );
    return new QuantityValue(quantity);
  },
  "isQuantity(string): bool": (text: string) => parseQuantity(text) !== undefined,
  [`${type}.sign(): int`]: ({ nanos }: QuantityValue) => (nanos > 0n ? 1n : nanos < 0n ? -1n : 0n),
  [`${type}.isInteger(): bool`]: ({ nanos }: QuantityValue) => nanos % billion === 0n,
  [`${type}.asInteger(): int`]: ({ nanos }: QuantityValue) => {
    if (nanos % billion !== 0n) throw new EvaluationError("cannot convert value to integer");
    return nanos / billion;
  },
  [`${type}.asApproximateFloat(): double`]: ({ nanos }: QuantityValue) => Number(nanos) / 1e9,
  [`${type}.isGreaterThan(${type}): bool`]: (left: QuantityValue, right: QuantityValue) =>
    left.nanos > right.nanos,
  [`${type}.isLessThan(${type}): bool`]: (left: QuantityValue, right: QuantityValue) =>
    left.nanos < right.nanos,
  [`${type}.compareTo(${type}): int`]: (left: QuantityValue, right: QuantityValue) =>
    left.nanos > right.nanos ? 1n : left.nanos < right.nanos ? -1n : 0n,
  [`${type}.add(${type}): ${type}`]: (left: QuantityValue, right: QuantityValue) =>
    left.with(left.nanos + right.nanos),
  [`${type}.add(int): ${type}`]: (left: QuantityValue, right: bigint) =>
    left.with(left.nanos + right * billion),
  [`${type}.sub(${type}): ${type}`]: (left: QuantityValue, right: QuantityValue) =>
    left.with(left.nanos - right.nanos),
  [`${type}.sub(int): ${type}`]: (left: QuantityValue, right: bigint) =>
    left.with(left.nanos - right * billion),
  [`string(${type}): string`]: ({ quantity }: QuantityValue) => printQuantity(quantity),
};
