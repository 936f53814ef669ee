import { StarBytes } from "../values/bytes.ts";
import { NativeFunction } from "../values/callables.ts";
import { StarDict, StarSet } from "../values/mappings.ts";
import { StarList } from "../values/sequences.ts";
import type { Value } from "../values/value.ts";
import { Arguments } from "./arguments.ts";
import { bytesMethods } from "./bytes-methods.ts";
import { dictMethods } from "./dict-methods.ts";
import { listMethods } from "./list-methods.ts";
import { setMethods } from "./set-methods.ts";
import { stringMethods } from "./string-methods.ts";

/** Methods of one type of values. */
export type Methods<T> = Readonly<Record<string, (self: T, args: Arguments) => Value>>;

/** A method of a built-in type, bound to its value. */
export function methodOf(value: Value, name: string): NativeFunction | undefined {
  if (typeof value === "string") return bind(stringMethods, value, name);
  if (value instanceof StarList) return bind(listMethods, value, name);
  if (value instanceof StarDict) return bind(dictMethods, value, name);
  if (value instanceof StarSet) return bind(setMethods, value, name);
  return value instanceof StarBytes ? bind(bytesMethods, value, name) : undefined;
}

export function methodNames(value: Value): string[] {
  if (typeof value === "string") return Object.keys(stringMethods);
  if (value instanceof StarList) return Object.keys(listMethods);
  if (value instanceof StarDict) return Object.keys(dictMethods);
  if (value instanceof StarSet) return Object.keys(setMethods);
  return value instanceof StarBytes ? Object.keys(bytesMethods) : [];
}

function bind<T extends Value>(methods: Methods<T>, self: T, name: string): NativeFunction | undefined {
  const body = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return body && new NativeFunction(name, (call) => body(self, new Arguments(call)), self);
}
