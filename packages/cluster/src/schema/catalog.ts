import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GroupVersionKind, KubeObject, ResourceInfo, Schema } from "../types.ts";
import { builtinDefinitions, dataFolder } from "./builtin-definitions.ts";
import { isObject, listAt, objectAt, textAt } from "./json.ts";
import { type Definitions, ResolvedSchema } from "./resolved-schema.ts";

export type { ResolvedSchema } from "./resolved-schema.ts";

export interface Builtins {
  resources: readonly ResourceInfo[];
  schemaFor(gvk: GroupVersionKind): ResolvedSchema | undefined;
}

export const objectMetaType = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

let builtins: Builtins | undefined;

/** The metadata of every object, embedded ones too. */
export function objectMetaSchema(): ResolvedSchema {
  return new ResolvedSchema({
    own: { $ref: `#/components/schemas/${objectMetaType}` },
    definitions: builtinDefinitions(),
    custom: false,
    preserved: false,
  });
}

/** The kinds that every cluster serves, as kube-apiserver v1.36.3 describes them. */
export function loadBuiltins(): Builtins {
  builtins ??= readBuiltins();
  return builtins;
}

function readBuiltins(): Builtins {
  const resources: ResourceInfo[] = JSON.parse(readFileSync(join(dataFolder, "resources.json"), "utf8"));
  const names = kindIndex(builtinDefinitions());
  const nodes = new Map<string, ResolvedSchema>();
  return {
    resources,
    schemaFor(gvk) {
      const key = kindKey(gvk);
      const known = nodes.get(key);
      const name = names.get(key);
      if (known || name === undefined) return known;
      const node = new ResolvedSchema({
        own: { $ref: `#/components/schemas/${name}` },
        definitions: builtinDefinitions(),
        custom: false,
        preserved: false,
      });
      nodes.set(key, node);
      return node;
    },
  };
}

function kindKey({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}

function kindIndex({ byName }: Definitions): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(byName))
    for (const gvk of listAt(schema, "x-kubernetes-group-version-kind"))
      names.set(
        kindKey({ group: textAt(gvk, "group"), version: textAt(gvk, "version"), kind: textAt(gvk, "kind") }),
        name,
      );
  return names;
}

/**
 * The schema of one version of a CRD, with the fields that every object has. Where the version has no schema,
 * everything is kept (apiextensions: only possible with preserveUnknownFields).
 */
export function structuralSchema(crd: KubeObject, version: string): ResolvedSchema {
  const row = listAt(crd, "spec", "versions").find((entry) => textAt(entry, "name") === version);
  const written = objectAt(row, "schema", "openAPIV3Schema");
  const own: Schema = written ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const hasStatus = objectAt(row, "subresources", "status") !== undefined;
  const properties = isObject(own.properties) ? own.properties : {};
  return new ResolvedSchema({
    own: { ...own, properties: { ...properties, ...rootFields }, "x-capstan-status": hasStatus },
    definitions: builtinDefinitions(),
    custom: true,
    preserved: false,
  });
}

const rootFields: Record<string, Schema> = {
  apiVersion: { type: "string" },
  kind: { type: "string" },
  metadata: { $ref: `#/components/schemas/${objectMetaType}` },
};
