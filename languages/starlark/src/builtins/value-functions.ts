import { StarlarkError } from "../script-error.ts";
import { StarBytes } from "../values/bytes.ts";
import { display } from "../values/print-value.ts";
import { StarList } from "../values/sequences.ts";
import { toText } from "../values/utf8.ts";
import { typeOf, type Value } from "../values/value.ts";
import type { Arguments, Native } from "./arguments.ts";
import { attributeNames, attributeOf } from "./attributes.ts";

export const valueFunctions: Readonly<Record<string, Native>> = {
  abs(args) {
    const value = args.take(1).value(0);
    if (typeof value === "bigint") return value < 0n ? -value : value;
    if (typeof value === "number") return Math.abs(value);
    throw new StarlarkError(`got ${typeOf(value)}, want int or float`);
  },
  dir(args) {
    args.noNames();
    const { length } = args.positional;
    if (length !== 1) throw args.error(`got ${length} arguments, want 1`);
    return new StarList(attributeNames(args.positional[0] ?? null));
  },
  fail(args) {
    throw new StarlarkError(`fail: ${joined(args, display)}`);
  },
  getattr(args) {
    const [object, name] = [args.take(2, 3).value(0), args.text(1)];
    const fallback = args.optional(2);
    const found = fallback === undefined ? args.naming(() => attributeOf(object, name)) : tried(object, name);
    const value = found ?? fallback;
    if (value === undefined) throw args.error(`${typeOf(object)} has no .${name} field or method`);
    return value;
  },
  hasattr: (args) => tried(args.take(2).value(0), args.text(1)) !== undefined,
  hash(args) {
    const value = args.take(1).value(0);
    if (typeof value === "string") return javaHash(value);
    if (value instanceof StarBytes) return fnvHash(value.data);
    throw args.error(`got ${typeOf(value)}, want string or bytes`);
  },
  print(args) {
    args.host.print(joined(args, (value) => (value instanceof StarBytes ? value.data : display(value))));
    return null;
  },
  type(args) {
    args.noNames();
    const { length } = args.positional;
    if (length !== 1) throw args.error(`got ${length} arguments, want exactly 1`);
    return typeOf(args.positional[0] ?? null);
  },
};

function joined(args: Arguments, show: (value: Value) => string): string {
  const separator = args.onlyNamed().fit("sep?").text(0, " ");
  return args.positional.map(show).join(separator);
}

/** Undefined also where the attribute cannot be had. */
function tried(object: Value, name: string): Value | undefined {
  try {
    return attributeOf(object, name);
  } catch (error) {
    if (error instanceof StarlarkError) return undefined;
    throw error;
  }
}

/** Java's String.hashCode, over UTF-16. */
function javaHash(bytes: string): bigint {
  let hash = 0;
  const text = toText(bytes);
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return BigInt(hash);
}

/** FNV-1a of 32 bits. */
function fnvHash(bytes: string): bigint {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ bytes.charCodeAt(i), 0x01000193);
  return BigInt(hash >>> 0);
}
