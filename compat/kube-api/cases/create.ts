import { collectionOf, type Kind, objectOf, pathOf } from "../kinds/kind.ts";
import { get, type JsonObject, post, remove, type Step, withQuery } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const named = (name: string): JsonObject => ({ metadata: { name } });
const noted = (metadata: JsonObject): JsonObject => ({ metadata });
const asked = (kind: Kind, query: string, change: JsonObject = {}): Step =>
  post(withQuery(collectionOf(kind), query), objectOf(kind, change));

const bad: Record<string, JsonObject> = {
  "bad name": named("Not A Name"),
  "no name": { metadata: { name: null } },
  "bad label key": noted({ labels: { "a b": "c" } }),
  "bad label value": noted({ labels: { a: "b c" } }),
  "bad annotation": noted({ annotations: { "a b": "c" } }),
  "bad finalizer": noted({ finalizers: ["a b"] }),
  "bad owner": noted({ ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "", uid: "" }] }),
  "label is no text": noted({ labels: { a: 1 } }),
  "with a version": noted({ resourceVersion: "7" }),
  "bad generate name": { metadata: { name: null, generateName: "A_" } },
};

/** Creation and all that may be wrong with it. */
export const createCases = casesOf("create", {
  minimal: (kind) => [post(collectionOf(kind), objectOf(kind)), get(pathOf(kind))],
  twice: (kind) => [post(collectionOf(kind), objectOf(kind)), post(collectionOf(kind), objectOf(kind))],
  "dry run": (kind) => [asked(kind, "dryRun=All&fieldManager=m"), get(pathOf(kind))],
  "bad dry run": (kind) => [asked(kind, "dryRun=Some")],
  "generated name": (kind) =>
    kind.objectName === undefined
      ? [post(collectionOf(kind), objectOf(kind, { metadata: { name: null, generateName: "<id>-" } }))]
      : undefined,
  "other kind": (kind) => [post(collectionOf(kind), { ...objectOf(kind), kind: "Other" })],
  "other version": (kind) => [post(collectionOf(kind), { ...objectOf(kind), apiVersion: "example.com/v9" })],
  "no kind": (kind) => [
    post(collectionOf(kind), { ...objectOf(kind), kind: undefined, apiVersion: undefined }),
  ],
  "other namespace": (kind) =>
    kind.clusterWide
      ? undefined
      : [post(collectionOf(kind), objectOf(kind, { metadata: { namespace: "elsewhere" } }))],
  "missing namespace": (kind) =>
    kind.clusterWide ? undefined : [post(collectionOf(kind).replace("<ns>", "no-<ns>"), objectOf(kind))],
  "as yaml": (kind) => [
    post(collectionOf(kind), JSON.stringify(objectOf(kind), undefined, 1), {
      headers: { "content-type": "application/yaml", accept: "application/yaml" },
    }),
  ],
  "no json": (kind) => [post(collectionOf(kind), "{")],
  empty: (kind) => [post(collectionOf(kind), "")],
  "an array": (kind) => [post(collectionOf(kind), "[]")],
  "unknown media": (kind) => [
    post(collectionOf(kind), objectOf(kind), { headers: { "content-type": "text/csv" } }),
  ],
  undecodable: (kind) => kind.undecodable && [post(collectionOf(kind), objectOf(kind, kind.undecodable))],
  "to an object": (kind) => [post(pathOf(kind), objectOf(kind))],
  "own metadata": (kind) => [
    post(
      collectionOf(kind),
      objectOf(kind, {
        metadata: {
          uid: "11111111-1111-1111-1111-111111111111",
          creationTimestamp: "2001-01-01T00:00:00Z",
          generation: 9,
          selfLink: "/x",
          deletionTimestamp: "2001-01-01T00:00:00Z",
          deletionGracePeriodSeconds: 5,
          finalizers: ["example.com/a"],
        },
      }),
    ),
  ],
  "own status": (kind) => kind.status && [post(collectionOf(kind), objectOf(kind, kind.status))],
  "several wrong": (kind) => [
    asked(kind, "", { metadata: { labels: { "a b": "c d" }, annotations: { "e f": "g" }, name: "A_" } }),
  ],
});

export const badMetadataCases = Object.entries(bad).flatMap(([title, change]) =>
  casesOf("create", { [title]: (kind) => [post(collectionOf(kind), objectOf(kind, change))] }),
);

/** ?fieldValidation= and what the server says of unknown and repeated fields. */
export const fieldValidationCases = ["Strict", "Warn", "Ignore", "", "Odd"].flatMap((mode) => {
  const query = mode === "" ? "" : `fieldValidation=${mode}`;
  const extra: JsonObject = { strange: 1, metadata: { odd: "x" } };
  return casesOf("field-validation", {
    [`unknown field ${mode || "default"}`]: (kind) => [asked(kind, query, extra)],
    [`repeated field ${mode || "default"}`]: (kind) => [
      post(
        withQuery(collectionOf(kind), query),
        JSON.stringify(objectOf(kind)).replace('"metadata":', '"kind":"Other","metadata":'),
      ),
    ],
  });
});

export const invalidCases = casesOf("validation", {
  content: (kind) =>
    kind.invalid &&
    Object.fromEntries(
      Object.entries(kind.invalid).map(([title, change]) => [
        title,
        [post(collectionOf(kind), objectOf(kind, change)), remove(pathOf(kind))],
      ]),
    ),
  empty: (kind) => [
    post(collectionOf(kind), {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: objectOf(kind).metadata,
    }),
  ],
  "empty spec": (kind) =>
    "spec" in kind.content ? [post(collectionOf(kind), { ...objectOf(kind), spec: {} })] : undefined,
});
