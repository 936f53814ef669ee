/**
 * Reads a running kube-apiserver and writes what the embedded cluster knows of the built-in kinds to
 * packages/cluster/src/schema/data: discovery rows, types and their descriptions.
 *
 *   node tools/generate-kube-schemas.ts --server https://127.0.0.1:6443 --token T
 */
import { mkdir, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { brotliCompressSync, constants } from "node:zlib";

const { values: flags } = parseArgs({
  options: { server: { type: "string" }, token: { type: "string" }, out: { type: "string" } },
});
const server = flags.server ?? "https://127.0.0.1:6443";
const token = flags.token ?? "";
const out = flags.out ?? join(import.meta.dirname, "../packages/cluster/src/schema/data");

export function get(path: string, accept = "application/json"): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest(
      new URL(path, server),
      { rejectUnauthorized: false, headers: { authorization: `Bearer ${token}`, accept } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          if (answer.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
        });
      },
    );
    call.on("error", reject);
    call.end();
  });
}

type Json = Record<string, unknown>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function member(value: unknown, name: string): unknown {
  return isJson(value) ? value[name] : undefined;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const aggregated = "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io";
/** Groups that need device drivers or an aggregator; nothing in the embedded cluster could act on them. */
const leftOut = new Set(["resource.k8s.io"]);

async function readResources(): Promise<Json[]> {
  const rows: Json[] = [];
  for (const root of ["/api", "/apis"]) {
    for (const group of list(member(await get(root, aggregated), "items"))) {
      const groupName = text(member(member(group, "metadata"), "name"));
      if (leftOut.has(groupName)) continue;
      for (const version of list(member(group, "versions"))) {
        const versionName = text(member(version, "version"));
        for (const resource of list(member(version, "resources")))
          rows.push(resourceRow(groupName, versionName, resource));
      }
    }
  }
  return rows;
}

function resourceRow(group: string, version: string, resource: unknown): Json {
  const subresources = list(member(resource, "subresources")).map((sub) => {
    const kind = member(sub, "responseKind");
    return {
      name: text(member(sub, "subresource")),
      kind: text(member(kind, "kind")),
      group: text(member(kind, "group")) || group,
      version: text(member(kind, "version")) || version,
      verbs: list(member(sub, "verbs")),
    };
  });
  return {
    group,
    version,
    kind: text(member(member(resource, "responseKind"), "kind")),
    resource: text(member(resource, "resource")),
    singular: text(member(resource, "singularResource")),
    namespaced: member(resource, "scope") === "Namespaced",
    shortNames: list(member(resource, "shortNames")),
    categories: list(member(resource, "categories")),
    verbs: list(member(resource, "verbs")),
    subresources,
    storageVersion: version,
  };
}

async function readDefinitions(groupVersions: ReadonlySet<string>): Promise<Map<string, Json>> {
  const definitions = new Map<string, Json>();
  const paths = member(await get("/openapi/v3"), "paths");
  for (const [path, entry] of Object.entries(isJson(paths) ? paths : {})) {
    if (!groupVersions.has(path)) continue;
    const document = await get(text(member(entry, "serverRelativeURL")));
    const schemas = member(member(document, "components"), "schemas");
    for (const [name, schema] of Object.entries(isJson(schemas) ? schemas : {}))
      if (isJson(schema)) definitions.set(name, mergeKinds(definitions.get(name), schema));
  }
  return new Map([...definitions].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** DeleteOptions and WatchEvent belong to every group; each document names its own only. */
function mergeKinds(known: Json | undefined, schema: Json): Json {
  if (!known) return schema;
  const key = "x-kubernetes-group-version-kind";
  const kinds = new Map(
    [...list(known[key]), ...list(schema[key])].map((kind) => [JSON.stringify(kind), kind]),
  );
  return kinds.size ? { ...schema, [key]: [...kinds.values()] } : schema;
}

/** Splits a definition in its structure and its descriptions; the key of a description is its path of keywords. */
function splitDescriptions(schema: unknown, path: string, descriptions: Record<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => splitDescriptions(item, path, descriptions));
  if (!isJson(schema)) return schema;
  const kept: Json = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "description" && typeof value === "string") descriptions[path] = value;
    else if (key === "properties" && isJson(value))
      kept[key] = Object.fromEntries(
        Object.entries(value).map(([name, below]) => [
          name,
          splitDescriptions(below, path ? `${path}.${name}` : name, descriptions),
        ]),
      );
    else kept[key] = splitDescriptions(value, path, descriptions);
  }
  return kept;
}

function compress(value: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(value));
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
}

function rows(values: readonly unknown[]): string {
  return `[\n${values.map((value) => JSON.stringify(value)).join(",\n")}\n]\n`;
}

function lines(entries: Iterable<readonly [string, unknown]>): string {
  const body = [...entries].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{\n${body.join(",\n")}\n}\n`;
}

async function main(): Promise<void> {
  await mkdir(out, { recursive: true });
  const resources = await readResources();
  const served = resources.map(({ group, version }) =>
    group ? `apis/${group}/${version}` : `api/${version}`,
  );
  const definitions = await readDefinitions(new Set(served));
  const descriptions: Record<string, Record<string, string>> = {};
  const structure: [string, unknown][] = [];
  for (const [name, schema] of definitions) {
    const found: Record<string, string> = {};
    structure.push([name, splitDescriptions(schema, "", found)]);
    descriptions[name] = found;
  }
  await writeFile(join(out, "resources.json"), rows(resources));
  await writeFile(join(out, "definitions.json"), lines(structure));
  await writeFile(join(out, "descriptions.json.br"), compress(descriptions));
  console.log(`${resources.length} resources, ${definitions.size} definitions`);
}

await main();
