import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@capstan/model";

type Container = unknown[] | Record<string, unknown>;

/**
 * RFC 6902 on a copy; throws an Error that names the operation. As github.com/evanphx/json-patch has it, a key that a
 * map lacks is null, so it can be tested, copied and replaced; a value that is not given is null too.
 */
export function applyPatch(document: unknown, operations: readonly unknown[]): unknown {
  const holder: Record<string, unknown> = { root: structuredClone(document) };
  for (const [index, operation] of operations.entries()) {
    try {
      if (!isRecord(operation)) throw new Error("it is no object");
      apply(holder, operation);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(`operation ${index + 1}: ${why}`);
    }
  }
  return holder.root;
}

function apply(holder: Record<string, unknown>, operation: Record<string, unknown>): void {
  const { op, path, from, value = null } = operation;
  const at = (pointer: unknown) => locate(holder, pointer);
  if (op === "add") insert(at(path), value);
  else if (op === "remove") take(at(path));
  else if (op === "replace") replace(at(path), value);
  else if (op === "move") {
    const moved = take(at(from));
    insert(at(path), moved);
  } else if (op === "copy") insert(at(path), structuredClone(read(at(from))));
  else if (op !== "test") throw new Error(`"${op}" is none of add, remove, replace, move, copy, test`);
  else if (!isDeepStrictEqual(read(at(path)), value))
    throw new Error(`${path} has another value than the tested one`);
}

interface Location {
  readonly parent: Container;
  readonly key: string;
  readonly pointer: string;
}

function locate(holder: Record<string, unknown>, pointer: unknown): Location {
  if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/")))
    throw new Error(`its path must begin with "/"`);
  const keys = pointer.split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  keys[0] = "root";
  let parent: Container = holder;
  for (const key of keys.slice(0, -1)) {
    const inner: unknown = Array.isArray(parent) ? parent[indexOf(key, parent.length)] : parent[key];
    if (!Array.isArray(inner) && !isRecord(inner)) throw new Error(`${pointer} does not exist`);
    parent = inner;
  }
  return { parent, key: keys.at(-1) ?? "root", pointer };
}

function read({ parent, key, pointer }: Location): unknown {
  if (!Array.isArray(parent)) return Object.hasOwn(parent, key) ? parent[key] : null;
  const index = indexOf(key, parent.length);
  if (!(index in parent)) throw new Error(`${pointer} does not exist`);
  return parent[index];
}

function replace(location: Location, value: unknown): void {
  read(location);
  const { parent, key } = location;
  if (Array.isArray(parent)) parent[indexOf(key, parent.length)] = value;
  else parent[key] = value;
}

function take(location: Location): unknown {
  const { parent, key, pointer } = location;
  if (pointer === "") throw new Error("the whole document cannot be taken away");
  if (!Array.isArray(parent) && !Object.hasOwn(parent, key)) throw new Error(`${pointer} does not exist`);
  const value = read(location);
  if (Array.isArray(parent)) parent.splice(indexOf(key, parent.length), 1);
  else delete parent[key];
  return value;
}

function insert({ parent, key, pointer }: Location, value: unknown): void {
  if (!Array.isArray(parent)) {
    parent[key] = value;
    return;
  }
  // Of what the list will be: -1 is its end.
  const index = key === "-" ? parent.length : indexOf(key, parent.length + (key.startsWith("-") ? 1 : 0));
  if (index < 0 || index > parent.length) throw new Error(`${pointer} is beyond the end of the list`);
  parent.splice(index, 0, value);
}

/** Negative ones count from the end. */
function indexOf(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new Error(`"${key}" is no index of a list`);
  const index = Number(key);
  return index < 0 ? length + index : index;
}
