import { isRecord } from "@capstan/formats";
import { CapstanError } from "@capstan/model";

/** What is kept of a value: all of it, or these fields of it. */
type Selection = true | Map<string, Selection>;

const maxPaths = 200;
const maxNames = 32;

function tooMany(problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: "fields", problem });
}

export type Cut = (value: unknown) => unknown;

/** What `fields` leaves of a message, and of an entry of a list. */
export interface Projection {
  readonly whole: Cut;
  /** Undefined: entries are left out. */
  readonly item: Cut | undefined;
}

/**
 * grpc-gateway's `fields` as Argo CD reads it (argoproj/pkg grpc/http forwarders): comma-separated paths that are kept,
 * or, when the first begins with `-`, left out. Lists are passed through: the path goes on in their items. Undefined
 * where nothing is asked for; throws INVALID_ARGUMENT.
 */
export function readProjection(fields: string | undefined): Projection | undefined {
  if (!fields) return undefined;
  const isExclusion = fields.startsWith("-");
  const tree: Map<string, Selection> = new Map();
  const paths = (isExclusion ? fields.slice(1) : fields).split(",", maxPaths + 1);
  if (paths.length > maxPaths) throw tooMany(`has more than ${maxPaths} paths`);
  for (const path of paths) {
    const names = path.trim().split(".", maxNames + 1);
    if (names.length > maxNames) throw tooMany(`has a path of more than ${maxNames} names`);
    addPath(tree, names);
  }
  const items = tree.get("items");
  if (isExclusion) {
    const item: Cut = (value) => (items === undefined ? value : without(value, items));
    return { whole: (value) => without(value, tree), item: items === true ? undefined : item };
  }
  const item: Cut = (value) => (items === undefined ? undefined : only(value, items));
  return { whole: (value) => only(value, tree), item: items === undefined ? undefined : item };
}

function addPath(tree: Map<string, Selection>, path: readonly string[]): void {
  const [first, ...rest] = path;
  if (!first) return;
  if (rest.length === 0) {
    tree.set(first, true);
    return;
  }
  const known = tree.get(first);
  if (known === true) return;
  const below = known ?? new Map<string, Selection>();
  tree.set(first, below);
  addPath(below, rest);
}

function only(value: unknown, selection: Selection): unknown {
  if (selection === true) return value;
  if (Array.isArray(value)) return value.map((item) => only(item, selection));
  if (!isRecord(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, below] of selection) {
    // What every object has from its prototype was never part of the answer.
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    if (field !== undefined) kept[name] = only(field, below);
  }
  return kept;
}

function without(value: unknown, selection: Selection): unknown {
  if (selection === true) return undefined;
  if (Array.isArray(value)) return value.map((item) => without(item, selection));
  if (!isRecord(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const below = selection.get(name);
    const left = below === undefined ? field : without(field, below);
    if (left !== undefined) kept[name] = left;
  }
  return kept;
}
