import { collectionOf, type Kind, nameOf, objectOf, pathOf } from "../kinds/kind.ts";
import { get, type JsonObject, merged, patch, post, put, type Step, withQuery } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const made = (kind: Kind): Step =>
  post(collectionOf(kind), objectOf(kind), {
    capture: { rv: "metadata.resourceVersion", uid: "metadata.uid" },
  });
const label = { metadata: { labels: { more: "1" } } };
const current = (kind: Kind, change: JsonObject = {}): JsonObject =>
  objectOf(kind, merged({ metadata: { resourceVersion: "<rv>", uid: "<uid>" } }, change));

export const updateCases = casesOf("update", {
  change: (kind) => [made(kind), put(pathOf(kind), current(kind, kind.change)), get(pathOf(kind))],
  label: (kind) => [made(kind), put(pathOf(kind), current(kind, label))],
  nothing: (kind) => [made(kind), put(pathOf(kind), current(kind))],
  "without version": (kind) => [made(kind), put(pathOf(kind), objectOf(kind, label))],
  stale: (kind) => [
    made(kind),
    put(pathOf(kind), current(kind, label)),
    put(pathOf(kind), current(kind, { metadata: { labels: { more: "2" } } })),
  ],
  "other uid": (kind) => [
    made(kind),
    put(pathOf(kind), objectOf(kind, { metadata: { uid: "11111111-1111-1111-1111-111111111111" } })),
  ],
  "other name": (kind) => [made(kind), put(pathOf(kind), { ...current(kind), metadata: { name: "other" } })],
  "other namespace": (kind) =>
    kind.clusterWide
      ? undefined
      : [made(kind), put(pathOf(kind), current(kind, { metadata: { namespace: "elsewhere" } }))],
  "no name": (kind) => [made(kind), put(pathOf(kind), current(kind, { metadata: { name: null } }))],
  absent: (kind) => [put(pathOf(kind), objectOf(kind))],
  "absent with version": (kind) => [
    put(pathOf(kind), objectOf(kind, { metadata: { resourceVersion: "7" } })),
  ],
  "dry run": (kind) => [
    made(kind),
    put(withQuery(pathOf(kind), "dryRun=All"), current(kind, kind.change)),
    get(pathOf(kind)),
  ],
  "other manager": (kind) => [
    made(kind),
    put(withQuery(pathOf(kind), "fieldManager=other"), current(kind, kind.change)),
  ],
  "without managed fields": (kind) => [
    made(kind),
    put(pathOf(kind), current(kind, { metadata: { managedFields: [{}], labels: { more: "1" } } })),
  ],
  "bad label": (kind) => [
    made(kind),
    put(pathOf(kind), current(kind, { metadata: { labels: { "a b": "c" } } })),
  ],
  "strange field": (kind) => [
    made(kind),
    put(withQuery(pathOf(kind), "fieldValidation=Warn"), current(kind, { strange: 1 })),
    put(withQuery(pathOf(kind), "fieldValidation=Strict"), current(kind, { strange: 1 })),
  ],
  immutable: (kind) =>
    kind.immutable &&
    Object.fromEntries(
      Object.entries(kind.immutable).map(([title, change]) => [
        title,
        [made(kind), put(pathOf(kind), current(kind, change)), patch("merge", pathOf(kind), change)],
      ]),
    ),
  status: (kind) => [
    made(kind),
    get(`${pathOf(kind)}/status`),
    put(`${pathOf(kind)}/status`, current(kind, merged(kind.status ?? { status: {} }, kind.change))),
    get(pathOf(kind)),
  ],
  "patch of status": (kind) =>
    kind.status && [
      made(kind),
      patch("merge", `${pathOf(kind)}/status`, merged(kind.status, label)),
      patch("merge", pathOf(kind), { status: null }),
      get(pathOf(kind)),
    ],
  "apply of status": (kind) =>
    kind.status && [
      made(kind),
      patch("apply", `${pathOf(kind)}/status?fieldManager=s`, {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        metadata: { name: nameOf(kind) },
        ...kind.status,
      }),
      get(pathOf(kind)),
    ],
  "unknown subresource": (kind) => [made(kind), get(`${pathOf(kind)}/strange`)],
  scale: (kind) =>
    kind.scale
      ? [
          made(kind),
          get(`${pathOf(kind)}/scale`),
          patch("merge", `${pathOf(kind)}/scale`, { spec: { replicas: 3 } }),
          patch("merge", `${pathOf(kind)}/scale`, { spec: { replicas: -3 } }),
          get(pathOf(kind)),
        ]
      : undefined,
  "scale replaced": (kind) =>
    kind.scale
      ? [
          made(kind),
          put(`${pathOf(kind)}/scale`, {
            apiVersion: "autoscaling/v1",
            kind: "Scale",
            metadata: { name: nameOf(kind), namespace: "<ns>" },
            spec: { replicas: 4 },
          }),
          put(`${pathOf(kind)}/scale`, { apiVersion: "v1", kind: "Pod", metadata: { name: nameOf(kind) } }),
          get(pathOf(kind)),
        ]
      : undefined,
});
