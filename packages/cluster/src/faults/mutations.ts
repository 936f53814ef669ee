import { deflateRawSync } from "node:zlib";
import type { Ask } from "./cluster-process.ts";

/** Random numbers that a seed repeats (mulberry32). */
export function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
  };
}

type Random = (limit: number) => number;
const pick = <T>(random: Random, items: readonly [T, ...T[]]): T => items[random(items.length)] ?? items[0];

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND"] as const;
const paths = [
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/configmaps/a",
  "/api/v1/namespaces/default/pods/a/log",
  "/api/v1/namespaces/default/pods/a/eviction",
  "/api/v1/namespaces/default/serviceaccounts/default/token",
  "/api/v1/namespaces/default/services",
  "/api/v1/namespaces",
  "/api/v1/nodes",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/apps/v1/namespaces/default/deployments/a/scale",
  "/apis/apps/v1/namespaces/default/deployments/a/status",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/batch/v1/namespaces/default/cronjobs",
  "/apis",
  "/openapi/v2",
  "/openapi/v3/apis/apps/v1",
  "/readyz",
  "/",
] as const;
const queries = [
  "limit=-1",
  "limit=99999999999999999999",
  "continue=%00%ff",
  "continue=e30",
  "labelSelector=a%20in%20((",
  "labelSelector=!!a",
  "fieldSelector=a.b.c%3D%3D%3Dx",
  "resourceVersion=-1",
  "resourceVersion=abc",
  "resourceVersionMatch=Sometimes",
  "dryRun=maybe",
  "fieldManager=%0A",
  `fieldManager=${"x".repeat(300)}`,
  "fieldValidation=Never",
  "force=perhaps",
  "propagationPolicy=Sideways",
  "gracePeriodSeconds=x",
  "sinceTime=yesterday",
  "tailLines=-5",
  "%",
  "&&&===",
] as const;
const types = [
  "application/json",
  "application/yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "application/vnd.kubernetes.protobuf",
  "text/plain",
  ";;;",
  "",
] as const;
const accepts = [
  "application/json",
  "application/yaml",
  "application/json;as=Table;g=meta.k8s.io;v=v1",
  "application/json;as=Chair;g=meta.k8s.io;v=v1",
  "application/vnd.kubernetes.protobuf",
  "*/*;q=x",
  ",,,;;;",
  "text/html",
] as const;
const metadata = { name: "a", namespace: "default", labels: { a: "b" }, annotations: { a: "b" } };
const container = { name: "a", image: "a", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "b" }] };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container] } };
const objects: readonly [unknown, ...unknown[]] = [
  { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } },
  { apiVersion: "v1", kind: "Service", metadata, spec: { selector: { a: "b" }, ports: [{ port: 80 }] } },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, managedFields: [{ manager: "x", operation: "Apply", fieldsV1: { "f:a": {} } }] },
    spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template },
  },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "things.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  },
  [
    { op: "replace", path: "/data/a", value: 1 },
    { op: "test", path: "/x~2", value: null },
    { op: "copy", from: "/a", path: "/b/-" },
  ],
];
const strange: readonly [unknown, ...unknown[]] = [
  null,
  -1,
  1e308,
  "",
  [],
  {},
  true,
  "\u0000",
  "é".repeat(300),
  { __proto__: null, constructor: { prototype: 1 } },
  [[[[[]]]]],
];

/** The value with one part of it replaced by something strange. */
function mutated(random: Random, value: unknown): unknown {
  if (typeof value !== "object" || value === null || random(5) === 0) return pick(random, strange);
  if (Array.isArray(value))
    return value.map((item, at) => (at === random(value.length) ? mutated(random, item) : item));
  const keys = Object.keys(value);
  const chosen = keys[random(keys.length)];
  const entries = Object.entries(value).map(([key, member]) => [
    key,
    key === chosen ? mutated(random, member) : member,
  ]);
  if (random(4) === 0) entries.push([pick(random, ["__proto__", "", "toString", "x".repeat(400)]), 1]);
  return Object.fromEntries(entries);
}

function flipped(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let flips = 1 + random(4); flips > 0 && copy.length > 0; flips -= 1)
    copy[random(copy.length)] = random(256);
  return copy;
}

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);
/** Each anchor repeats the one before ten times. */
const aliasBomb = [
  "a0: &a0 x",
  ...Array.from({ length: 12 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(10)}]`),
].join("\n");

function bodyOf(random: Random): string | Buffer {
  const text = JSON.stringify(mutated(random, pick(random, objects)));
  switch (random(9)) {
    case 0:
      return text.slice(0, random(text.length));
    case 1:
      return flipped(random, Buffer.from(text));
    case 2:
      return Buffer.concat([Buffer.from("k8s\0"), flipped(random, Buffer.from(text))]);
    case 3:
      return nested(1 + random(30_000), "[", "]");
    case 4:
      return `{"metadata":{"name":"deep"},"data":${nested(1 + random(30_000), '{"a":', "}")}`;
    case 5:
      return random(10) === 0 ? aliasBomb : "a: [b\n\t- : }";
    case 6:
      return deflateRawSync(text);
    default:
      return text;
  }
}

function pathOf(random: Random): string {
  const path = pick(random, paths);
  const at = 1 + random(path.length);
  const inserted = pick(random, [
    "%00",
    "%2f",
    "//",
    "..",
    "%",
    "%ff",
    "x".repeat(1_000),
    "{",
    ";",
    "%e2%82",
  ]);
  const changed = random(3) === 0 ? path.slice(0, at) + inserted + path.slice(at) : path;
  const query = Array.from({ length: random(3) }, () => pick(random, queries)).join("&");
  return query === "" ? changed : `${changed}?${query}`;
}

/** One request that a well-behaved client would hardly send. */
export function mutatedRequest(random: Random): Ask {
  const headers: Record<string, string> = {
    accept: pick(random, accepts),
    "content-type": pick(random, types),
    ...(random(6) === 0 && { "content-encoding": pick(random, ["gzip", "br", "x"]) }),
    ...(random(12) === 0 && {
      authorization: pick(random, ["Bearer", "Bearer x.y.z", "Basic YTpi", "\u00ff"]),
    }),
    ...(random(20) === 0 && { "impersonate-user": pick(random, ["", "system:admin", "\u00e9"]) }),
  };
  const method = pick(random, methods);
  const path = pathOf(random);
  return method === "GET" || method === "HEAD"
    ? { method, path, headers }
    : { method, path, headers, body: bodyOf(random) };
}
