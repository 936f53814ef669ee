import { createHash } from "node:crypto";
import { stringifyJson } from "@capstan/formats";
import type { KubeObject, ResourceInfo, SubresourceInfo } from "../types.ts";
import { loadBuiltins } from "./catalog.ts";
import { type JsonObject, listAt, textAt } from "./json.ts";
import { type CustomTypes, customTypesOf } from "./openapi/custom.ts";
import { asVersion2, documentedTypes, withReferences } from "./openapi/documents.ts";
import { type Dialect, pathsOf, type Served } from "./openapi/paths.ts";

const metaTypes = ["APIResourceList", "DeleteOptions", "Patch", "Status", "WatchEvent"].map(
  (name) => `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`,
);

/** "apis/apps/v1" */
function documentName({ group, version }: { group: string; version: string }): string {
  return group ? `apis/${group}/${version}` : `api/${version}`;
}

/** The root of OpenAPI v3: where each group version's document is, with a hash so that clients may cache it. */
export function openapiV3Index(crds: readonly KubeObject[]): Record<string, unknown> {
  const contents = new Map<string, string[]>();
  for (const info of loadBuiltins().resources) contents.set(documentName(info), ["v1.36.3"]);
  for (const crd of crds)
    for (const { info, schemas } of customTypesOf(crd)) {
      const name = documentName(info);
      contents.set(name, [...(contents.get(name) ?? []), stringifyJson(schemas)]);
    }
  const entries = [...contents].sort().map(([name, texts]) => {
    const hash = createHash("sha256").update(texts.join("\n")).digest("hex").slice(0, 32).toUpperCase();
    return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(entries) };
}

/** The document of one group version, "apps/v1" or "v1"; undefined where nothing is served under it. */
export function openapiV3(
  groupVersion: string,
  crds: readonly KubeObject[],
): Record<string, unknown> | undefined {
  const matches = ({ group, version }: ResourceInfo): boolean =>
    groupVersion === (group ? `${group}/${version}` : version);
  const builtin = builtinServed().filter(({ info }) => matches(info));
  const custom = crds.flatMap(customTypesOf).filter(({ info }) => matches(info));
  if (builtin.length === 0 && custom.length === 0) return undefined;
  const served = [...builtin, ...custom.map(customServed)];
  const all = { ...documentedTypes(), ...Object.assign({}, ...custom.map(({ schemas }) => schemas)) };
  const wanted = served.flatMap((row) => [row.type, row.listType, ...row.info.subresources.map(row.typeOf)]);
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "1.36" },
    paths: Object.assign({}, ...served.map((row) => pathsOf(row, version3))),
    components: {
      schemas: withReferences([...wanted, ...metaTypes], all),
      securitySchemes: {
        BearerToken: {
          type: "apiKey",
          description: "Bearer Token authentication",
          name: "authorization",
          in: "header",
        },
      },
    },
  };
}

/** Everything in one document, as older clients and Argo CD read it. */
export function openapiV2(crds: readonly KubeObject[]): Record<string, unknown> {
  const custom = crds.flatMap(customTypesOf);
  const served = [...builtinServed(), ...custom.map(customServed)];
  const definitions: JsonObject = { ...builtinVersion2() };
  for (const { schemas } of custom)
    for (const [name, schema] of Object.entries(schemas)) definitions[name] = customVersion2(schema);
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: "v1.36.3" },
    paths: Object.assign({}, ...served.map((row) => pathsOf(row, version2))),
    definitions,
    securityDefinitions: {
      BearerToken: {
        description: "Bearer Token authentication",
        type: "apiKey",
        name: "authorization",
        in: "header",
      },
    },
    security: [{ BearerToken: [] }],
  };
}

/** Where anything goes, kubectl must see no properties at all (apiextensions-apiserver builder.buildKubeNative). */
function customVersion2(schema: JsonObject): unknown {
  const gvk = "x-kubernetes-group-version-kind";
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  return isOpen ? { type: "object", [gvk]: schema[gvk] } : asVersion2(schema);
}

let builtinDefinitions2: JsonObject | undefined;

function builtinVersion2(): JsonObject {
  builtinDefinitions2 ??= Object.fromEntries(
    Object.entries(documentedTypes()).map(([name, schema]) => [name, asVersion2(schema)]),
  );
  return builtinDefinitions2;
}

let served: readonly Served[] | undefined;

function builtinServed(): readonly Served[] {
  if (served) return served;
  const names = new Map<string, string>();
  for (const [name, schema] of Object.entries(documentedTypes()))
    for (const gvk of listAt(schema, "x-kubernetes-group-version-kind"))
      names.set(`${textAt(gvk, "group")}/${textAt(gvk, "version")}/${textAt(gvk, "kind")}`, name);
  const typeOf = ({ group, version, kind }: Omit<SubresourceInfo, "name" | "verbs">): string =>
    names.get(`${group}/${version}/${kind}`) ?? "";
  served = loadBuiltins().resources.map((info) => ({
    info,
    type: typeOf(info),
    listType: typeOf({ ...info, kind: `${info.kind}List` }),
    isCustom: false,
    typeOf,
  }));
  return served;
}

function customServed({ info, type, listType }: CustomTypes): Served {
  return {
    info,
    type,
    listType,
    isCustom: true,
    typeOf: ({ name }) => (name === "scale" ? "io.k8s.api.autoscaling.v1.Scale" : type),
  };
}

const version3: Dialect = {
  query: (name, type) => ({ name, in: "query", schema: { type, uniqueItems: true } }),
  pathParameter: (name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", uniqueItems: true },
  }),
  body: (type, mediaTypes) => ({
    requestBody: {
      content: Object.fromEntries(mediaTypes.map((media) => [media, { schema: reference3(type) }])),
    },
  }),
  answer: (type) => ({ description: "OK", content: { "application/json": { schema: reference3(type) } } }),
};

function reference3(type: string): JsonObject {
  return type ? { $ref: `#/components/schemas/${type}` } : {};
}

const version2: Dialect = {
  query: (name, type) => ({ name, in: "query", type, uniqueItems: true }),
  pathParameter: (name) => ({ name, in: "path", required: true, type: "string", uniqueItems: true }),
  body: (_type, mediaTypes) => ({ consumes: mediaTypes }),
  answer: (type) => ({
    description: "OK",
    ...(type ? { schema: { $ref: `#/definitions/${type}` } } : {}),
  }),
};
