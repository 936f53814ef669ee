import type { Target } from "../client.ts";
import type { Kind } from "../kinds/kind.ts";
import { at, isObject, type JsonObject } from "../script.ts";

const refPrefix = "#/components/schemas/";

/** The types that a cluster describes under /openapi/v3, and the paths that it serves. */
export class Schemas {
  readonly #types = new Map<string, JsonObject>();
  readonly #byKind = new Map<string, JsonObject>();
  readonly #paths = new Set<string>();

  static async fetch(target: Target): Promise<Schemas> {
    const ask = async (path: string): Promise<unknown> => {
      const { status, text } = await target.send({ method: "GET", path, headers: {} });
      if (status !== 200) throw new Error(`${target.name}: GET ${path}: ${status} ${text.slice(0, 200)}`);
      return JSON.parse(text);
    };
    const index = at(await ask("/openapi/v3"), "paths");
    const schemas = new Schemas();
    for (const entry of Object.values(isObject(index) ? index : {}))
      schemas.#read(await ask(String(at(entry, "serverRelativeURL"))));
    return schemas;
  }

  #read(document: unknown): void {
    const paths = at(document, "paths");
    for (const path of Object.keys(isObject(paths) ? paths : {})) this.#paths.add(path);
    const types = at(document, "components.schemas");
    for (const [name, type] of Object.entries(isObject(types) ? types : {})) {
      if (!isObject(type)) continue;
      this.#types.set(name, { ...type, title: name });
      for (const gvk of listOf(type["x-kubernetes-group-version-kind"]))
        this.#byKind.set(`${at(gvk, "group")}/${at(gvk, "version")}/${at(gvk, "kind")}`, type);
    }
  }

  of({ apiVersion, kind }: Kind): JsonObject {
    const key = `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}/${kind}`;
    const found = this.#byKind.get(key);
    if (found === undefined) throw new Error(`OpenAPI describes no ${key}`);
    return found;
  }

  serves({ apiVersion, clusterWide = false, resource }: Kind, subresource: string): boolean {
    const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const place = clusterWide ? "" : "/namespaces/{namespace}";
    return this.#paths.has(`${root}${place}/${resource}/{name}/${subresource}`);
  }

  /** With its reference followed; the name of a named type stands in `title`. */
  follow(node: JsonObject): JsonObject {
    const ref = node.$ref ?? at(listOf(node.allOf)[0], "$ref");
    if (typeof ref !== "string") return node;
    const { $ref: _ref, allOf: _allOf, ...own } = node;
    return { ...this.#types.get(ref.slice(refPrefix.length)), ...own };
  }

  /** The schema below a key of a struct or map, or of the items of a list. */
  below(node: JsonObject, key: string | number): JsonObject | undefined {
    const { properties, additionalProperties, items } = node;
    const found =
      typeof key === "number" ? items : isObject(properties) ? properties[key] : additionalProperties;
    return isObject(found) ? this.follow(found) : undefined;
  }
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textsOf(value: unknown): string[] {
  return listOf(value).filter((item) => typeof item === "string");
}

export function fieldsOf({ properties }: JsonObject): string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}
