import { isJson, type Json, list, member, text } from "./json.ts";
import { nameFor, referenced, type Sample, samplesOf } from "./samples.ts";
import { call, deleteFromEtcd, putIntoEtcd, type Server } from "./server.ts";
import { objectPath, storageKey } from "./storage-keys.ts";

/** What the server made of absent and of zero-valued fields, by type and field. */
export interface Defaults {
  /** type → field → value that appears where the field is absent. */
  fields: Record<string, Json>;
  /** type → fields whose zero value ("", 0, false, [], {}) counts as absent. */
  zeroIsAbsent: Record<string, string[]>;
  /** Fields whose default depends on something else: they need a hand-written rule. */
  conditional: string[];
}

type Outcomes = Map<string, Map<string, Set<string>>>;

/** The server's own flow control follows these objects and panics on half-empty ones. */
const leftOut = new Set(["flowcontrol.apiserver.k8s.io"]);
const absent = "(absent)";

export async function probeDefaults(
  server: Server,
  resources: readonly Json[],
  definitions: ReadonlyMap<string, Json>,
): Promise<Defaults> {
  const whenAbsent: Outcomes = new Map();
  const whenZero: Outcomes = new Map();
  for (const resource of resources) {
    if (leftOut.has(text(resource.group))) continue;
    if (!list(resource.verbs).includes("create") || !list(resource.verbs).includes("get")) continue;
    const root = definitionOf(resource, definitions);
    if (!root) continue;
    for (const sample of samplesOf(root, resource, definitions)) {
      const answer = await readBack(server, resource, sample.object);
      const outcomes = sample.zero ? whenZero : whenAbsent;
      compare({ type: root, sent: sample.object, got: answer, outcomes, sample, definitions });
    }
  }
  return summarize(whenAbsent, whenZero, definitions);
}

function definitionOf(resource: Json, definitions: ReadonlyMap<string, Json>): string | undefined {
  for (const [name, schema] of definitions)
    for (const gvk of list(schema["x-kubernetes-group-version-kind"]))
      if (
        member(gvk, "group") === resource.group &&
        member(gvk, "version") === resource.version &&
        member(gvk, "kind") === resource.kind
      )
        return name;
  return undefined;
}

async function readBack(server: Server, resource: Json, object: Json): Promise<unknown> {
  const name = nameFor(text(resource.resource));
  const key = storageKey(resource, name);
  await putIntoEtcd(server, key, object);
  const path = objectPath(resource, name);
  const { status, body } = await call(server, { path });
  await deleteFromEtcd(server, key);
  if (status !== 200)
    throw new Error(`${path}: ${status} ${JSON.stringify(body)}\n${JSON.stringify(object)}`);
  return body;
}

interface Comparison {
  type: string;
  sent: unknown;
  got: unknown;
  outcomes: Outcomes;
  sample: Sample;
  definitions: ReadonlyMap<string, Json>;
}

function compare(input: Comparison): void {
  const { type, sent, got, outcomes, sample, definitions } = input;
  const properties = definitions.get(type)?.properties;
  if (!isJson(properties) || !isJson(got) || type.endsWith(".ObjectMeta")) return;
  const before = isJson(sent) ? sent : {};
  for (const [field, schema] of Object.entries(properties)) {
    const wasSent = Object.hasOwn(before, field);
    if (sample.zero ? wasSent && isZero(before[field]) : !wasSent)
      note(outcomes, { type, field }, Object.hasOwn(got, field) ? JSON.stringify(got[field]) : absent);
    descend({ ...input, sent: before[field], got: got[field] }, schema);
  }
}

function descend(input: Comparison, schema: unknown): void {
  const below = referenced(schema);
  if (below) {
    compare({ ...input, type: below });
    return;
  }
  const items = referenced(member(schema, "items")) ?? referenced(member(schema, "additionalProperties"));
  if (!items) return;
  const got = isJson(input.got) ? Object.entries(input.got) : [...list(input.got).entries()];
  for (const [key, value] of got) {
    const sent = isJson(input.sent) ? input.sent[key] : list(input.sent)[Number(key)];
    compare({ ...input, type: items, sent, got: value });
  }
}

export function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJson(value) && Object.keys(value).length === 0;
}

function note(outcomes: Outcomes, { type, field }: { type: string; field: string }, outcome: string): void {
  const fields = outcomes.get(type) ?? new Map<string, Set<string>>();
  outcomes.set(type, fields);
  fields.set(field, (fields.get(field) ?? new Set()).add(outcome));
}

function summarize(
  whenAbsent: Outcomes,
  whenZero: Outcomes,
  definitions: ReadonlyMap<string, Json>,
): Defaults {
  const result: Defaults = { fields: {}, zeroIsAbsent: {}, conditional: [] };
  for (const [type, fields] of [...whenAbsent].sort(byName)) {
    for (const [field, outcomes] of fields) {
      const found = new Set([...outcomes].map((outcome) => shallow(outcome)));
      const [only] = found;
      if (found.size > 1)
        result.conditional.push(`${type}.${field}: ${[...outcomes].join(" | ").slice(0, 400)}`);
      else if (only !== undefined && only !== absent)
        result.fields[type] = { ...result.fields[type], [field]: JSON.parse(only) };
    }
  }
  for (const [type, fields] of [...whenZero].sort(byName)) {
    const dropped = [...fields].filter(([field, seen]) => !keepsZero(definitions.get(type), field, seen));
    if (dropped.length) result.zeroIsAbsent[type] = dropped.map(([field]) => field);
  }
  return result;
}

/** Objects that appear as a default are filled by the defaults of their own type. */
function shallow(outcome: string): string {
  return outcome.startsWith("{") ? "{}" : outcome;
}

function keepsZero(definition: unknown, field: string, seen: ReadonlySet<string>): boolean {
  const zero = zeroOf(member(definition, "properties", field));
  return seen.has(zero);
}

function zeroOf(schema: unknown): string {
  const type = text(member(schema, "type"));
  if (type === "string") return '""';
  if (type === "boolean") return "false";
  if (type === "array") return "[]";
  return type === "object" ? "{}" : "0";
}

function byName(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1;
}
