import { maxDepth } from "@capstan/formats";
import { ApiError } from "../../types.ts";
import { isObject, sameJson, textAt } from "../json.ts";

/** kube-apiserver's limit: apiserver/pkg/endpoints/handlers/patch.go maxJSONPatchOperations. */
const mostOperations = 10_000;

/**
 * Values that all copies of one patch may make, and places that list items may move along by: each operation is small,
 * and thirty of them can double a document thirty times. kube-apiserver counts bytes (AccumulatedCopySizeLimit).
 */
const mostCopied = 250_000;
const mostMoved = 50_000_000;

/** RFC 6902. The document is not changed. */
export function jsonPatch(document: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations))
    throw new ApiError(
      400,
      "BadRequest",
      `error decoding patch: json: cannot unmarshal ${isObject(operations) ? "object" : typeof operations} into Go value of type []handlers.jsonPatchOp`,
    );
  if (operations.length > mostOperations)
    throw new ApiError(
      413,
      "RequestEntityTooLarge",
      `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${operations.length}`,
    );
  const root: Root = { value: structuredClone(document), copied: 0, moved: 0 };
  for (const operation of operations) applyOne(root, operation);
  return root.value;
}

interface Root {
  value: unknown;
  copied: number;
  moved: number;
}

function applyOne(root: Root, operation: unknown): void {
  const name = textAt(operation, "op");
  const path = readPointer(operation, "path");
  switch (name) {
    case "add":
      add(root, path, valueIn(operation));
      return;
    case "remove":
      remove(root, path);
      return;
    case "replace":
      replace(root, path, valueIn(operation));
      return;
    case "move":
      add(root, path, remove(root, readPointer(operation, "from")));
      return;
    case "copy":
      add(root, path, copyOf(root, find(root, readPointer(operation, "from"))));
      return;
    case "test":
      if (!sameJson(existing(root, path) ?? null, valueIn(operation) ?? null)) throw new PatchTestFailed();
      return;
    default:
      throw rejected();
  }
}

/** Counted while it is made: what is too large is never there. */
function copyOf(root: Root, value: unknown, depth = 0): unknown {
  root.copied += typeof value === "string" ? 1 + value.length / 100 : 1;
  if (root.copied > mostCopied || depth > maxDepth) throw tooMuch("its copies have");
  if (Array.isArray(value)) return value.map((item: unknown) => copyOf(root, item, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, copyOf(root, member, depth + 1)]),
  );
}

function tooMuch(what: string): ApiError {
  const message = `The JSON patch is too large: ${what} more than ${mostCopied} values. Split it, or replace the whole`;
  return new ApiError(413, "RequestEntityTooLarge", message);
}

function valueIn(operation: unknown): unknown {
  return isObject(operation) ? operation.value : undefined;
}

/** kube-apiserver keeps the reason to itself; the words are those of its generic 422. */
function rejected(): ApiError {
  return new ApiError(422, "Invalid", rejection, {});
}

const rejection = "the server rejected our request due to an error in our request";

/** A "test" of the patch found something else. */
export class PatchTestFailed extends ApiError {
  constructor() {
    super(422, "Invalid", rejection, {});
  }
}

function readPointer(operation: unknown, field: string): string[] {
  const text = textAt(operation, field);
  if (text === "") return [];
  if (!text.startsWith("/")) throw rejected();
  const parts = text.slice(1).split("/");
  if (parts.length > maxDepth) throw rejected();
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function existing(root: Root, path: readonly string[]): unknown {
  let here = root.value;
  for (const part of path) {
    if (Array.isArray(here)) here = here[indexOf(here, part, here.length - 1)];
    else if (isObject(here) && Object.hasOwn(here, part)) here = here[part];
    else return undefined;
  }
  return here;
}

function find(root: Root, path: readonly string[]): unknown {
  const found = existing(root, path);
  if (found === undefined) throw rejected();
  return found;
}

function indexOf(list: readonly unknown[], part: string, last: number): number {
  const index = part === "-" ? list.length : Number(part);
  if (!/^(-|0|[1-9]\d*)$/.test(part) || index > last) throw rejected();
  return index;
}

function parentOf(root: Root, path: readonly string[]): { parent: unknown; last: string } {
  return { parent: find(root, path.slice(0, -1)), last: path.at(-1) ?? "" };
}

function add(root: Root, path: readonly string[], value: unknown): void {
  if (path.length === 0) {
    root.value = value;
    return;
  }
  const { parent, last } = parentOf(root, path);
  if (Array.isArray(parent)) splice(root, parent, [indexOf(parent, last, parent.length), 0, value ?? null]);
  else if (isObject(parent) && last !== "__proto__") parent[last] = value ?? null;
  else throw rejected();
}

/** Of a list's own splice; what stands behind moves along. */
function splice(root: Root, list: unknown[], [at, count, ...added]: [number, number, ...unknown[]]) {
  root.moved += list.length - at;
  if (root.moved > mostMoved) throw tooMuch("what it moves has");
  return list.splice(at, count, ...added);
}

/** kube-apiserver's library minds a missing item of a list, but no missing key. */
function replace(root: Root, path: readonly string[], value: unknown): void {
  if (path.length > 0 && Array.isArray(parentOf(root, path).parent)) remove(root, path);
  add(root, path, value);
}

function remove(root: Root, path: readonly string[]): unknown {
  const { parent, last } = parentOf(root, path);
  if (Array.isArray(parent)) return splice(root, parent, [indexOf(parent, last, parent.length - 1), 1])[0];
  if (!isObject(parent) || !Object.hasOwn(parent, last)) throw rejected();
  const value = parent[last];
  delete parent[last];
  return value;
}
