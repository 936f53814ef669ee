import { load } from "js-yaml";
import { isObject, type JsonObject } from "./script.ts";

/** An answer without what differs between two runs of the same server. */
export interface Seen {
  status: number;
  type: string;
  warnings: string[];
  body: unknown;
}

const timestamp = /\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const clusterIp = /\b10\.(?:96|43)\.\d+\.\d+\b/g;
/** Names that the cases have the server generate. */
const generated = /\b(A_|c[0-9a-f]{10}-)[bcdfghjklmnpqrstvwxz2456789]{5}\b/g;
/** A patched document is quoted with its keys in the order of Go's struct. */
const quotedDocument = /Invalid value: "\{\\?".*\}": /s;
/** Of the suite's webhook server, which tells the clusters apart by it. */
const webhookPath = /https:\/\/127\.0\.0\.1:\d+\/(?:real|ours)\/c[0-9a-f]{10}/;
const recordedVersion = /(?<=ResourceVersion in record \()\d+(?=\))/;
/** What follows are the words of Go's YAML parser. */
const yamlFault = /^(error decoding YAML: ).*$/s;
/** Kinds whose status kube-apiserver or a controller writes, some time after they are created. */
const settledLater = new Set([
  "CustomResourceDefinition",
  "FlowSchema",
  "PriorityLevelConfiguration",
  "ResourceQuota",
  "ValidatingAdmissionPolicy",
]);
const age = /^(?:\d+[smhdy])+$/;
const unnumberedKinds = /List$|^Table$/;

/**
 * Keeps count within a case: the first uid is uid1 wherever it stands, and the first resourceVersion rv1, so that
 * a write which should change nothing must give the same one again.
 */
export class Neutral {
  readonly #background: boolean;
  readonly #known = new Map<string, string>();
  readonly #counts = new Map<string, number>();

  /** With `background` the versions are not counted, and what kube-apiserver itself or its controllers write is left out. */
  constructor(background: boolean) {
    this.#background = background;
  }

  seen({ status, type, warnings, text }: Answered, stream: boolean): Seen {
    return { status, type, warnings, body: this.#body(text, type, stream) };
  }

  #body(text: string, type: string, stream: boolean): unknown {
    if (stream)
      return text
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => this.#value(parse(line, "json"), []));
    return this.#value(parse(text, type), []);
  }

  #value(value: unknown, path: readonly string[]): unknown {
    if (typeof value === "string") return this.#text(value, path);
    if (typeof value === "number") return path.at(-1) === "nodePort" && value >= 30000 ? "<port>" : value;
    if (Array.isArray(value)) return value.map((item) => this.#value(item, [...path, "*"]));
    if (!isObject(value)) return value;
    const isList = typeof value.kind === "string" && unnumberedKinds.test(value.kind);
    const counted =
      isList && isObject(value.metadata) ? { ...value, metadata: unnumbered(value.metadata) } : value;
    const entries = Object.entries(counted).map(([key, item]) => [key, this.#value(item, [...path, key])]);
    const copy: Record<string, unknown> = Object.fromEntries(entries);
    if (value.kind === "Table") withoutAges(copy);
    if (this.#background && value.kind === undefined && isObject(value.metadata)) delete copy.status;
    if (this.#background && Array.isArray(copy.finalizers)) delete copy.finalizers;
    if (Array.isArray(copy.managedFields)) copy.managedFields = this.#owners(copy.managedFields);
    // The account of the real side is a token of its own, with a uid.
    if (value.username === "admin" && value.uid === "admin") delete copy.uid;
    if (value.kind === "Status") sortCauses(copy);
    if (value.type === "BOOKMARK" && isObject(copy.object)) copy.object = bareBookmark(copy.object);
    if (typeof value.kind === "string" && settledLater.has(value.kind)) delete copy.status;
    return copy;
  }

  #owners(owners: readonly unknown[]): unknown {
    const sorted = [...owners].sort(byOwner);
    return this.#background ? sorted.filter((owner) => !isObject(owner) || !isBackground(owner)) : sorted;
  }

  #text(text: string, path: readonly string[]): string {
    const key = path.at(-1);
    if (key === "resourceVersion" && /^\d+$/.test(text) && text !== "0")
      return this.#background ? "<version>" : this.#number("rv", text);
    if (key === "continue" && text !== "") return "<continue>";
    if (key === "token") return "<token>";
    return text
      .replace(/^kubernetes-admin$/, "admin")
      .replaceAll(generated, "$1<generated>")
      .replace(webhookPath, "<hook>")
      .replace(quotedDocument, 'Invalid value: "<document>": ')
      .replace(recordedVersion, (found) => this.#number("rv", found))
      .replace(yamlFault, "$1<fault>")
      .replaceAll(uuid, (found) => this.#number("uid", found))
      .replaceAll(timestamp, (found) => (isNear(found) ? "<time>" : found))
      .replaceAll(clusterIp, (found) => this.#number("address", found));
  }

  #number(what: string, text: string): string {
    const key = `${what} ${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const count = (this.#counts.get(what) ?? 0) + 1;
    this.#counts.set(what, count);
    this.#known.set(key, `<${what}${count}>`);
    return `<${what}${count}>`;
  }
}

function isBackground({ subresource, manager }: JsonObject): boolean {
  return subresource === "status" || manager === "kube-controller-manager";
}

interface Answered {
  status: number;
  type: string;
  warnings: readonly string[] & string[];
  text: string;
}

function parse(text: string, type: string): unknown {
  try {
    if (type.includes("json")) return JSON.parse(text);
    if (type.includes("yaml")) return load(text);
  } catch {
    return { unreadable: text };
  }
  return text;
}

function isNear(time: string): boolean {
  return Math.abs(Date.parse(time) - Date.now()) < 2 * 86_400_000;
}

/** A list's version moves with every write of the other cases. */
function unnumbered(metadata: JsonObject): JsonObject {
  return { ...metadata, resourceVersion: "<list>" };
}

/** Go's zero values of the kind stand in it too. */
function bareBookmark({ kind, apiVersion, metadata }: JsonObject): unknown {
  return {
    kind,
    apiVersion,
    metadata: isObject(metadata) ? { ...metadata, ...bookmarkHead(metadata) } : metadata,
  };
}

/** apiextensions-apiserver goes through the properties of a schema in the random order of a Go map. */
function sortCauses(status: Record<string, unknown>): void {
  const { details, message } = status;
  if (!isObject(details) || !Array.isArray(details.causes) || typeof message !== "string") return;
  const isConflict = status.reason === "Conflict";
  if ((details.group !== "compat.example.com" && !isConflict) || details.causes.length < 2) return;
  const words = (cause: unknown) => (isObject(cause) ? `${cause.field} ${cause.message}` : "");
  const causes = details.causes.toSorted((left, right) => (words(left) < words(right) ? -1 : 1));
  status.details = { ...details, causes };
  if (isConflict) return;
  status.message = message.replace(/ is invalid: \[.*$/s, " is invalid: <causes>");
}

function bookmarkHead({ annotations }: JsonObject): JsonObject {
  const name = "k8s.io/initial-events-end";
  const end = isObject(annotations) ? annotations[name] : undefined;
  return {
    creationTimestamp: undefined,
    resourceVersion: "<list>",
    annotations: end === undefined ? undefined : { [name]: end },
  };
}

function byOwner(left: unknown, right: unknown): number {
  const of = (entry: unknown) =>
    isObject(entry) ? `${entry.manager} ${entry.operation} ${entry.subresource} ${entry.apiVersion}` : "";
  return of(left) < of(right) ? -1 : 1;
}

function withoutAges(table: Record<string, unknown>): void {
  const { rows } = table;
  if (!Array.isArray(rows)) return;
  for (const row of rows)
    if (isObject(row) && Array.isArray(row.cells))
      Object.assign(row, {
        cells: row.cells.map((cell) => (typeof cell === "string" && age.test(cell) ? "<age>" : cell)),
      });
}
