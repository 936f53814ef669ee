import type { Clock } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import { fromStored, isOlderThanSchema, prepareReading } from "../registry/convert.ts";
import type { Served } from "../registry/served.ts";
import { sameJson } from "../schema/json.ts";
import { partialMetadata, tableFor } from "../schema/table.ts";
import { Entry } from "../store/entry.ts";
import { ApiError, type ApiResponse, type KubeObject } from "../types.ts";
import { answerText, answerYaml } from "./answer.ts";
import type { ResourceCall } from "./call.ts";

export interface ListFacts {
  resourceVersion: string;
  continue?: string;
  remainingItemCount?: number;
}

/** An object of the store as the caller's version has it. */
export function readEntry(served: Served, entry: Entry): KubeObject {
  return isAsStored(served, entry) ? entry.object : fromStored(served, entry.object);
}

/** As `readEntry` of each, in their order. */
function readEntries(served: Served, entries: readonly Entry[]): KubeObject[] {
  const stored = Entry.objects(entries);
  return entries.map((entry, index) => {
    const object = stored[index] ?? entry.object;
    return isAsStored(served, entry) ? object : fromStored(served, object);
  });
}

/** Before many are read: what a webhook is to convert is asked at once. */
export function prepareEntries(served: Served, entries: readonly Entry[]): void {
  if (served.conversion === undefined) return;
  prepareReading(served, Entry.objects(entries));
}

/** The stored text itself wherever it is already in the right version. */
export function entryText(served: Served, entry: Entry, text?: string): string {
  return isAsStored(served, entry) ? (text ?? entry.text) : stringifyJson(fromStored(served, entry.object));
}

/** Older than their definition, and yet as it has them now. */
const settled = new WeakMap<Entry, Served>();

function isAsStored(served: Served, entry: Entry): boolean {
  if (served.converts && entry.object.apiVersion !== served.apiVersion) return false;
  if (!isOlderThanSchema(served, entry.revision) || settled.get(entry) === served) return true;
  const isSame = sameJson(fromStored(served, entry.object), entry.object);
  if (isSame) settled.set(entry, served);
  return isSame;
}

type Form = Pick<ResourceCall, "served" | "representation" | "query">;

export function includeObject(query: URLSearchParams): "Metadata" | "Object" | "None" {
  const asked = query.get("includeObject");
  return asked === "Object" || asked === "None" ? asked : "Metadata";
}

export function tableOf(
  { served, query, representation }: Form,
  objects: readonly KubeObject[],
  facts: { now: number; list?: ListFacts },
): Record<string, unknown> {
  return tableFor({
    version: representation.version,
    info: served.info,
    rules: served.rules,
    objects,
    includeObject: includeObject(query),
    now: facts.now,
    ...(served.crd && { crd: served.crd }),
    ...(facts.list && { list: facts.list }),
  });
}

export function partialOf(
  { representation, served }: Pick<Form, "representation" | "served">,
  object: KubeObject,
): Record<string, unknown> {
  return partialMetadata(object, { rules: served.rules, version: representation.version });
}

/** "core.Secret": the package is that of the internal types. */
function goName({ info, crd }: ResourceCall["served"]): string {
  if (crd !== undefined) return "unstructured.Unstructured";
  const group = info.group === "events.k8s.io" ? "" : info.group;
  return `${group.split(".")[0] || "core"}.${info.kind}`;
}

/** One of the store, or one of the caller's version that is not in it. */
export type Shown = { entry: Entry } | { object: KubeObject };

export function answerObject(
  clock: Clock,
  call: ResourceCall,
  shown: Shown & { status?: number },
): ApiResponse {
  const { representation, served } = call;
  const { status = 200 } = shown;
  if (representation.list && served.crd !== undefined) throw new ApiError(500, "", "content is not a list");
  if (representation.list)
    throw new ApiError(
      406,
      "NotAcceptable",
      `you requested PartialObjectMetadataList, but the requested object is not a list (*${goName(served)})`,
    );
  const wantsText = representation.as === "Object" && representation.media === "application/json";
  if (wantsText && "entry" in shown) return answerText(entryText(served, shown.entry), status);
  const object = "entry" in shown ? readEntry(served, shown.entry) : shown.object;
  if (representation.as === "Table") {
    const table = tableOf(call, [object], {
      now: clock.now(),
      list: { resourceVersion: object.metadata.resourceVersion ?? "" },
    });
    return answerText(stringifyJson(table), status);
  }
  if (representation.as === "PartialObjectMetadata")
    return answerText(stringifyJson(partialOf(call, object)), status);
  if (representation.media === "application/yaml") return answerYaml(object, status);
  return answerText(stringifyJson(object), status);
}

export function answerList(
  clock: Clock,
  call: ResourceCall,
  content: { entries: readonly Entry[]; list: ListFacts },
): ApiResponse {
  const { representation, served } = call;
  const { entries, list } = content;
  if (representation.as === "PartialObjectMetadata" && !representation.list)
    throw new ApiError(
      406,
      "NotAcceptable",
      `you requested PartialObjectMetadata, but the requested object is a list (*${served.info.kind}List)`,
    );
  const objects = () => readEntries(served, entries);
  if (representation.as === "Table")
    return answerText(stringifyJson(tableOf(call, objects(), { now: clock.now(), list })));
  if (representation.as === "PartialObjectMetadata") {
    const items = objects().map((object) => partialOf(call, object));
    const apiVersion = `meta.k8s.io/${representation.version}`;
    return answerText(
      stringifyJson({ kind: "PartialObjectMetadataList", apiVersion, metadata: list, items }),
    );
  }
  const isCustom = served.crd !== undefined;
  const metadata = isCustom ? { continue: "", ...list } : list;
  const head = { kind: listKind(served), apiVersion: served.apiVersion, metadata };
  if (representation.media === "application/yaml")
    return answerYaml({ ...head, items: isCustom ? objects() : objects().map(untyped) }, 200);
  return answerText(listText(served, entries, stringifyJson(head)));
}

/** Put together at once: a text of some megabytes that is added to is another of as many. */
function listText(served: Served, entries: readonly Entry[], head: string): string {
  const opening = `${stringifyJson({ apiVersion: served.apiVersion, kind: served.info.kind }).slice(0, -1)},`;
  const stored = Entry.texts(entries);
  // Each without its first brace.
  const items = entries.map((entry, index) => {
    const text = entryText(served, entry, stored[index]);
    if (served.crd !== undefined) return text.slice(1);
    if (text.startsWith(opening)) return text.slice(opening.length);
    return stringifyJson(untyped(readEntry(served, entry))).slice(1);
  });
  const start = `${head.slice(0, -1)},"items":[`;
  const last = items.length - 1;
  if (last < 0) return `${start}]}`;
  items[0] = `${start}{${items[0]}`;
  items[last] = `${items[last]}]}`;
  return items.join(",{");
}

/** A list of a built-in kind names the kind once, for all of its items. */
function untyped({ apiVersion: _version, kind: _kind, ...rest }: KubeObject): Record<string, unknown> {
  return rest;
}

function listKind(served: Served): string {
  const spec = served.crd?.spec;
  if (typeof spec === "object" && spec !== null && "names" in spec) {
    const { names } = spec;
    if (
      typeof names === "object" &&
      names !== null &&
      "listKind" in names &&
      typeof names.listKind === "string"
    )
      return names.listKind;
  }
  return `${served.info.kind}List`;
}
