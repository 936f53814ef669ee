import { maxDepth } from "./expansion.ts";
import { isRecord } from "./is-record.ts";
import { equalJson } from "./json.ts";

/** kube-apiserver's limit: apiserver/pkg/endpoints/handlers/patch.go maxJSONPatchOperations. */
export const mostPatchOperations = 10_000;

/**
 * Values that all copies of one patch may make, and places that list items may move along by: each operation is small,
 * and thirty of them can double a document thirty times. kube-apiserver counts bytes (AccumulatedCopySizeLimit).
 */
const mostCopied = 250_000;
const mostMoved = 50_000_000;

/** What an operation looks for in vain at its `path` or its `from`: where it leads to, or a last step of it. */
export interface PatchLack {
  readonly of: "path" | "from";
  readonly what: "parent" | "key" | "index" | "number";
  /** The last step. */
  readonly key: string;
}

/** What keeps a patch from being applied: a `test` that fails, a patch that does not fit, or one that makes too much. */
export class JsonPatchError extends Error {
  override readonly name = "JsonPatchError";
  readonly reason: "test" | "misfit" | "size";
  readonly lack: PatchLack | undefined;
  /** That could not be done. */
  operation: unknown;

  constructor(reason: "test" | "misfit" | "size", message: string, lack?: PatchLack) {
    super(message);
    this.reason = reason;
    this.lack = lack;
  }
}

interface Root {
  readonly document: Record<string, unknown>;
  copied: number;
  moved: number;
}

interface Location {
  readonly parent: unknown[] | Record<string, unknown>;
  readonly key: string;
  readonly pointer: string;
  readonly of: PatchLack["of"];
}

/**
 * RFC 6902 on a copy, as github.com/evanphx/json-patch v4 has it, which Kubernetes uses: a key that a map lacks is null,
 * so it can be tested, copied and replaced, as is a value that is not given; negative indexes count from a list's end.
 * Throws JsonPatchError, which names the operation.
 */
export function applyJsonPatch(document: unknown, operations: readonly unknown[]): unknown {
  const root: Root = { document: { "": structuredClone(document) }, copied: 0, moved: 0 };
  for (const [index, operation] of operations.entries()) {
    try {
      if (!isRecord(operation)) throw misfit("it is no object");
      applyOne(root, operation);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      const told = new JsonPatchError(error.reason, `operation ${index + 1}: ${error.message}`, error.lack);
      told.operation = operation;
      throw told;
    }
  }
  return root.document[""];
}

function applyOne(root: Root, { op, path, from, value = null }: Record<string, unknown>): void {
  const at = (pointer: unknown): Location => locate(root.document, pointer, "path");
  const source = (): Location => locate(root.document, from, "from");
  switch (op) {
    case "add":
      insert(root, at(path), value);
      return;
    case "remove":
      take(root, at(path));
      return;
    case "replace":
      replace(at(path), value);
      return;
    case "move": {
      const moved = take(root, source());
      insert(root, at(path), moved);
      return;
    }
    case "copy": {
      const copied = copyOf(root, read(source()));
      insert(root, at(path), copied);
      return;
    }
    case "test":
      if (!equalJson(read(at(path)), value))
        throw new JsonPatchError("test", `${String(path)} has another value than the tested one`);
      return;
    default:
      throw misfit(`"${String(op)}" is none of add, remove, replace, move, copy, test`);
  }
}

function misfit(problem: string, lack?: PatchLack): JsonPatchError {
  return new JsonPatchError("misfit", problem, lack);
}

function lacking(what: PatchLack["what"], { key, of }: Pick<Location, "key" | "of">): PatchLack {
  return { of, what, key };
}

function tooMuch(what: string): JsonPatchError {
  return new JsonPatchError("size", `${what} more than ${mostCopied} values. Split it, or replace the whole`);
}

/** A field's name as one step of a pointer (RFC 6901). */
export function escapePointerStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The name that stands so in a pointer. */
export function unescapePointerStep(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step;
}

function locate(document: Record<string, unknown>, pointer: unknown, of: PatchLack["of"]): Location {
  if (typeof pointer !== "string" || (pointer !== "" && !pointer.startsWith("/")))
    throw misfit('its path must begin with "/"');
  const keys = pointer.split("/").map(unescapePointerStep);
  if (keys.length > maxDepth) throw misfit(`its path is more than ${maxDepth} levels deep`);
  const key = keys.at(-1) ?? "";
  const noParent = (): JsonPatchError => misfit(`${pointer} does not exist`, lacking("parent", { key, of }));
  let parent: unknown[] | Record<string, unknown> = document;
  for (const step of keys.slice(0, -1)) {
    const inner: unknown = Array.isArray(parent)
      ? parent[indexOf({ key: step, of }, parent.length, "parent")]
      : Object.hasOwn(parent, step) && parent[step];
    if (!Array.isArray(inner) && !isRecord(inner)) throw noParent();
    parent = inner;
  }
  return { parent, key, pointer, of };
}

function read(location: Location): unknown {
  const { parent, key, pointer } = location;
  if (!Array.isArray(parent)) return Object.hasOwn(parent, key) ? parent[key] : null;
  const index = indexOf(location, parent.length);
  if (index < 0 || index >= parent.length)
    throw misfit(`${pointer} does not exist`, lacking("index", location));
  return parent[index];
}

function replace(location: Location, value: unknown): void {
  read(location);
  const { parent, key } = location;
  if (Array.isArray(parent)) parent[indexOf(location, parent.length)] = value;
  else set(parent, key, value);
}

function take(root: Root, location: Location): unknown {
  const { parent, key, pointer } = location;
  if (pointer === "") throw misfit("the whole document cannot be taken away");
  if (!Array.isArray(parent) && !Object.hasOwn(parent, key))
    throw misfit(`${pointer} does not exist`, lacking("key", location));
  const value = read(location);
  if (Array.isArray(parent)) splice(root, parent, [indexOf(location, parent.length), 1]);
  else delete parent[key];
  return value;
}

function insert(root: Root, location: Location, value: unknown): void {
  const { parent, key, pointer } = location;
  if (!Array.isArray(parent)) {
    set(parent, key, value);
    return;
  }
  // Of what the list will be: -1 is its end.
  const index =
    key === "-" ? parent.length : indexOf(location, parent.length + (key.startsWith("-") ? 1 : 0));
  if (index < 0 || index > parent.length)
    throw misfit(`${pointer} is beyond the end of the list`, lacking("index", location));
  splice(root, parent, [index, 0, value]);
}

function set(parent: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") throw misfit("no key may be called __proto__");
  parent[key] = value;
}

/** What stands behind moves along. */
function splice(root: Root, list: unknown[], [at, count, ...added]: [number, number, ...unknown[]]): void {
  root.moved += list.length - at;
  if (root.moved > mostMoved) throw tooMuch("what it moves has");
  list.splice(at, count, ...added);
}

/** Counted while it is made: what is too large is never there. */
function copyOf(root: Root, value: unknown, depth = 0): unknown {
  root.copied += typeof value === "string" ? 1 + value.length / 100 : 1;
  if (root.copied > mostCopied || depth > maxDepth) throw tooMuch("its copies have");
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(root, item, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, copyOf(root, member, depth + 1)]),
  );
}

/** Negative ones count from the end. */
function indexOf(
  step: Pick<Location, "key" | "of">,
  length: number,
  lack: PatchLack["what"] = "number",
): number {
  const { key } = step;
  if (!/^[+-]?\d+$/.test(key)) throw misfit(`"${key}" is no index of a list`, lacking(lack, step));
  const index = Number(key);
  return index < 0 ? length + index : index;
}
