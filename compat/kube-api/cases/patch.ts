import { collectionOf, type Kind, objectOf, pathOf } from "../kinds/kind.ts";
import { get, isObject, type JsonObject, patch, post, type Step, withQuery } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const made = (kind: Kind): Step =>
  post(collectionOf(kind), objectOf(kind), { capture: { rv: "metadata.resourceVersion" } });
const label = { metadata: { labels: { more: "1" } } };

/** A change as RFC 6902 operations that add whole top-level fields. */
const operations = (kind: Kind): JsonObject[] =>
  Object.entries(kind.change).flatMap(([key, value]) =>
    isObject(value) && key in kind.content
      ? Object.entries(value).map(([inner, part]) => ({ op: "add", path: `/${key}/${inner}`, value: part }))
      : key === "metadata"
        ? [{ op: "add", path: "/metadata/annotations", value: { a: "b" } }]
        : [{ op: "add", path: `/${key}`, value }],
  );

export const patchCases = casesOf("patch", {
  merge: (kind) => [made(kind), patch("merge", pathOf(kind), kind.change), get(pathOf(kind))],
  "merge twice": (kind) => [
    made(kind),
    patch("merge", pathOf(kind), label),
    patch("merge", pathOf(kind), label),
    patch("merge", pathOf(kind), { metadata: { labels: { more: null } } }),
  ],
  strategic: (kind) => [made(kind), patch("strategic", pathOf(kind), kind.change), get(pathOf(kind))],
  "strategic directive": (kind) => [
    made(kind),
    patch("strategic", pathOf(kind), { metadata: { labels: { $patch: "replace", only: "1" } } }),
    patch("strategic", pathOf(kind), {
      metadata: { finalizers: ["example.com/a"], "$deleteFromPrimitiveList/finalizers": ["example.com/b"] },
    }),
    patch("strategic", pathOf(kind), { metadata: { labels: { $patch: "odd" } } }),
  ],
  json: (kind) => [made(kind), patch("json", pathOf(kind), operations(kind)), get(pathOf(kind))],
  "json that fails": (kind) => [
    made(kind),
    patch("json", pathOf(kind), [{ op: "remove", path: "/metadata/nothing" }]),
    patch("json", pathOf(kind), [{ op: "test", path: "/kind", value: "Other" }]),
    patch("json", pathOf(kind), [{ op: "odd", path: "/kind" }]),
    patch("json", pathOf(kind), { op: "add" }),
    patch("json", pathOf(kind), "["),
  ],
  absent: (kind) => [
    patch("merge", pathOf(kind), label),
    patch("json", pathOf(kind), []),
    patch("strategic", pathOf(kind), label),
  ],
  "with a version": (kind) => [
    made(kind),
    patch("merge", pathOf(kind), { metadata: { resourceVersion: "<rv>", labels: { more: "1" } } }),
    patch("merge", pathOf(kind), { metadata: { resourceVersion: "<rv>", labels: { more: "2" } } }),
  ],
  "dry run": (kind) => [
    made(kind),
    patch("merge", withQuery(pathOf(kind), "dryRun=All"), kind.change),
    get(pathOf(kind)),
  ],
  "bad label": (kind) => [made(kind), patch("merge", pathOf(kind), { metadata: { labels: { "a b": "c" } } })],
  "strange field": (kind) => [
    made(kind),
    patch("merge", withQuery(pathOf(kind), "fieldValidation=Strict"), { strange: 1 }),
    patch("merge", withQuery(pathOf(kind), "fieldValidation=Warn"), { strange: 1 }),
    patch("json", withQuery(pathOf(kind), "fieldValidation=Strict"), [
      { op: "add", path: "/strange", value: 1 },
    ]),
    patch("strategic", withQuery(pathOf(kind), "fieldValidation=Strict"), { strange: 1 }),
  ],
  undecodable: (kind) => kind.undecodable && [made(kind), patch("merge", pathOf(kind), kind.undecodable)],
  "undecodable strategic": (kind) =>
    kind.undecodable && [made(kind), patch("strategic", pathOf(kind), kind.undecodable)],
  "other name": (kind) => [
    made(kind),
    patch("merge", pathOf(kind), { metadata: { name: "other" } }),
    patch("merge", pathOf(kind), { metadata: { uid: "11111111-1111-1111-1111-111111111111" } }),
    patch("merge", pathOf(kind), { kind: "Other" }),
  ],
  "other type": (kind) => [
    made(kind),
    { ...patch("merge", pathOf(kind), {}), headers: { "content-type": "application/json" } },
    { ...patch("merge", pathOf(kind), {}), headers: { "content-type": "text/plain" } },
  ],
  "not an object": (kind) => [
    made(kind),
    patch("merge", pathOf(kind), "[]"),
    patch("merge", pathOf(kind), "{"),
  ],
  "forced merge": (kind) => [made(kind), patch("merge", withQuery(pathOf(kind), "force=true"), label)],
});
