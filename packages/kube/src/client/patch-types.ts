import { type Clock, orAborted } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { listAt, recordAt, textAt } from "../read-json.ts";
import type { ObjectType } from "./kube-client.ts";
import { isNotFound } from "./kube-error.ts";
import type { RawRequests } from "./raw-requests.ts";

/** How the fields of a type are merged by a strategic merge patch. */
export interface PatchType {
  field(name: string): PatchField | undefined;
}

export interface PatchField {
  /** x-kubernetes-patch-strategy: merge, replace, retainKeys. */
  readonly strategies: readonly string[];
  /** x-kubernetes-patch-merge-key: what tells the items of a list apart. */
  readonly mergeKey: string | undefined;
  /** Of the value, or of a list's items. */
  readonly type: PatchType | undefined;
}

/** What a cluster's OpenAPI says of patches. */
export interface PatchTypes {
  /** undefined: the kind takes no strategic merge patch, as those that CRDs define. */
  of(type: ObjectType, signal: AbortSignal): Promise<PatchType | undefined>;
}

const strategic = "application/strategic-merge-patch+json";
/** A cluster that is upgraded is asked again. */
const keptMs = 600_000;
const askMs = 30_000;

type ByKind = ReadonlyMap<string, PatchType>;

export function createPatchTypes({
  raw,
  clock,
}: {
  raw: Pick<RawRequests, "json">;
  clock: Clock;
}): PatchTypes {
  const kept = new Map<string, { at: number; kinds: Promise<ByKind> }>();
  const kindsOf = (apiVersion: string): Promise<ByKind> => {
    const known = kept.get(apiVersion);
    if (known && clock.now() - known.at < keptMs) return known.kinds;
    // Shared by all who wait, so no single caller's signal may end it.
    const kinds = fetchKinds(raw, apiVersion, AbortSignal.timeout(askMs)).catch((error: unknown) => {
      kept.delete(apiVersion);
      throw error;
    });
    kept.set(apiVersion, { at: clock.now(), kinds });
    return kinds;
  };
  return {
    async of({ apiVersion, kind }, signal) {
      const kinds = await orAborted(kindsOf(apiVersion), signal);
      return kinds.get(kind);
    },
  };
}

async function fetchKinds(
  raw: Pick<RawRequests, "json">,
  apiVersion: string,
  signal: AbortSignal,
): Promise<ByKind> {
  const url = `/openapi/v3/${apiVersion.includes("/") ? "apis" : "api"}/${apiVersion}`;
  try {
    return readPatchTypes(await raw.json({ method: "GET", url, signal }));
  } catch (error) {
    // An aggregated API need not publish anything.
    if (isNotFound(error)) return new Map();
    throw error;
  }
}

/** The types of the kinds of one OpenAPI v3 document whose objects take strategic merge patches. */
export function readPatchTypes(document: Record<string, unknown>): ByKind {
  const schemas = recordAt(recordAt(document, "components"), "schemas");
  const types = new Map<string, PatchType>();
  const typeOf = (name: string): PatchType | undefined => {
    const known = types.get(name);
    const schema = schemas[name];
    if (known || !isRecord(schema)) return known;
    const fields = new Map<string, PatchField>();
    const type: PatchType = { field: (field) => fields.get(field) };
    types.set(name, type); // before its fields: types may hold themselves
    for (const [field, value] of Object.entries(recordAt(schema, "properties")))
      if (isRecord(value)) fields.set(field, readField(value, typeOf));
    return type;
  };
  const patched = patchedKinds(document);
  const kinds = new Map<string, PatchType>();
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isRecord(schema)) continue;
    for (const gvk of listAt(schema, "x-kubernetes-group-version-kind").filter(isRecord)) {
      const type = patched.has(gvkText(gvk)) ? typeOf(name) : undefined;
      if (type) kinds.set(textAt(gvk, "kind") ?? "", type);
    }
  }
  return kinds;
}

const gvkText = ({ group, version, kind }: Record<string, unknown>): string => `${group}/${version}/${kind}`;

function patchedKinds(document: Record<string, unknown>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of Object.values(recordAt(document, "paths")).filter(isRecord)) {
    const patch = recordAt(path, "patch");
    if (strategic in recordAt(recordAt(patch, "requestBody"), "content"))
      found.add(gvkText(recordAt(patch, "x-kubernetes-group-version-kind")));
  }
  return found;
}

function readField(
  schema: Record<string, unknown>,
  typeOf: (name: string) => PatchType | undefined,
): PatchField {
  const within = (value: unknown): PatchType | undefined => {
    const name = isRecord(value) ? referenceOf(value) : undefined;
    return name === undefined ? undefined : typeOf(name);
  };
  const value = within(schema.additionalProperties);
  const ofMap: PatchType | undefined = value && {
    field: () => ({ strategies: [], mergeKey: undefined, type: value }),
  };
  const strategies = textAt(schema, "x-kubernetes-patch-strategy");
  return {
    strategies: strategies === undefined ? [] : strategies.split(","),
    mergeKey: textAt(schema, "x-kubernetes-patch-merge-key"),
    type: within(schema) ?? within(schema.items) ?? ofMap,
  };
}

const references = "#/components/schemas/";

/** The schema that one stands for: a bare reference, or one in allOf beside a default. */
function referenceOf(schema: Record<string, unknown>): string | undefined {
  const [first] = listAt(schema, "allOf");
  const text = textAt(schema, "$ref") ?? (isRecord(first) ? textAt(first, "$ref") : undefined);
  return text?.startsWith(references) ? text.slice(references.length) : undefined;
}
