import { randomUUID } from "node:crypto";
import { isObject, type JsonObject, listAt, objectAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";

/** The first version of reviews that the definition names and the server knows; undefined where there is none. */
export function reviewVersion(versions: readonly unknown[]): string | undefined {
  return versions.map(String).find((one) => one === "v1" || one === "v1beta1");
}

export interface Conversions {
  readonly objects: readonly KubeObject[];
  /** "example.com/v2" */
  readonly to: string;
}

/** apiextensions-apiserver sends the empty response along, as Go's struct has it. */
export function conversionReview(
  version: string,
  { objects, to }: Conversions,
): { uid: string; body: JsonObject } {
  const uid = randomUUID();
  const body = {
    kind: "ConversionReview",
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid, desiredAPIVersion: to, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
  return { uid, body };
}

/**
 * What was converted, in order; throws in apiserver's words where it may not be taken (apiextensions-apiserver
 * pkg/apiserver/conversion/webhook_converter.go).
 */
export function readConverted(
  answer: unknown,
  { uid, version, objects, to }: Conversions & { uid: string; version: string },
): KubeObject[] {
  const of = describeKind(objects[0]);
  const found = within(`conversion webhook for ${of} failed`, () =>
    respondedObjects(answer, { uid, version }),
  );
  if (found.length !== objects.length)
    throw new Error(
      `conversion webhook for ${of} returned ${found.length} objects, expected ${objects.length}`,
    );
  return objects.map((object, index) => readOne({ object, index, of, to }, found[index]));
}

function respondedObjects(
  answer: unknown,
  { uid, version }: { uid: string; version: string },
): readonly unknown[] {
  if (version === "v1") requireReview(answer);
  const response = objectAt(answer, "response");
  if (response === undefined) throw new Error("no response provided");
  if (version === "v1" && textAt(response, "uid") !== uid)
    throw new Error(`expected response.uid="${uid}", got "${textAt(response, "uid")}"`);
  const status = textAt(response, "result", "status");
  if (status !== "Success")
    throw new Error(
      textAt(response, "result", "message") || `response.result.status was '${status}', not 'Success'`,
    );
  return listAt(response, "convertedObjects");
}

function requireReview(answer: unknown): void {
  const [apiVersion, kind] = [textAt(answer, "apiVersion"), textAt(answer, "kind")];
  if (apiVersion === "apiextensions.k8s.io/v1" && kind === "ConversionReview") return;
  if (kind !== "" && apiVersion !== "")
    throw new Error(
      `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  throw new Error(
    `expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ${apiVersion || "/"}, Kind=${kind}`,
  );
}

interface One {
  object: KubeObject;
  index: number;
  of: string;
  to: string;
}

function readOne({ object, index, of, to }: One, found: unknown): KubeObject {
  const kind = textAt(found, "kind");
  if (!isObject(found) || kind === "") {
    const text = JSON.stringify(found ?? null);
    throw new Error(`Object 'Kind' is missing in '${text}'`);
  }
  const apiVersion = textAt(found, "apiVersion");
  const at = `conversion webhook for ${of} returned invalid object at index ${index}`;
  if (apiVersion !== to)
    throw new Error(`${at}: invalid groupVersion (expected ${to}, received ${apiVersion})`);
  if (kind !== object.kind)
    throw new Error(`${at}: invalid kind (expected ${object.kind}, received ${kind})`);
  within(`conversion webhook for ${of} returned invalid object`, () => requireSame(object, found));
  const metadata = within(`conversion webhook for ${of} returned invalid metadata`, () =>
    restoredMetadata(object, found.metadata),
  );
  return { ...found, apiVersion, kind, metadata };
}

function requireSame(object: KubeObject, found: JsonObject): void {
  for (const [field, word] of [
    ["name", "name"],
    ["namespace", "namespace"],
    ["uid", "UID"],
  ] as const) {
    const [before, after] = [object.metadata[field] ?? "", textAt(found, "metadata", field)];
    if (before !== after) throw new Error(`must have the same ${word}: ${before} != ${after}`);
  }
}

/** Labels and annotations are the webhook's, all else of the metadata stays. */
function restoredMetadata(object: KubeObject, found: unknown): KubeObject["metadata"] {
  if (!isObject(found)) throw new Error("missing metadata in converted object");
  const { labels: _labels, annotations: _annotations, ...kept } = object.metadata;
  const [labels, annotations] = [textsOf(found, "labels"), textsOf(found, "annotations")];
  return { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function textsOf(metadata: JsonObject, field: string): Record<string, string> | undefined {
  const found = metadata[field];
  if (found === undefined || found === null) return undefined;
  if (!isObject(found))
    throw new Error(`invalid metadata.${field} of type ${goType(found)} in converted object`);
  return Object.fromEntries(
    Object.entries(found).map(([key, value]) => {
      if (typeof value === "string") return [key, value];
      throw new Error(
        `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`,
      );
    }),
  );
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return isObject(value) ? "map[string]interface {}" : "int64";
}

export function describeKind(object: KubeObject | undefined): string {
  return `${object?.apiVersion}, Kind=${object?.kind}`;
}

function within<Value>(where: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new Error(`${where}: ${error instanceof Error ? error.message : error}`);
  }
}
