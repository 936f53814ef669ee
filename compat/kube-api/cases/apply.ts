import { collectionOf, type Kind, objectOf, partOf, pathOf } from "../kinds/kind.ts";
import { apply, get, type JsonObject, merged, patch, post, put, type Step } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const made = (kind: Kind): Step => post(`${collectionOf(kind)}?fieldManager=creator`, objectOf(kind));
const changed = (kind: Kind): JsonObject => objectOf(kind, kind.change);
const labels = (kind: Kind, value: string): JsonObject =>
  objectOf(kind, { metadata: { labels: { shared: value } } });

/** Server-side apply, KEP-555. */
export const applyCases = casesOf("apply", {
  create: (kind) => [apply(pathOf(kind), objectOf(kind)), get(pathOf(kind))],
  unchanged: (kind) => [apply(pathOf(kind), objectOf(kind)), apply(pathOf(kind), objectOf(kind))],
  change: (kind) => [
    apply(pathOf(kind), objectOf(kind)),
    apply(pathOf(kind), changed(kind)),
    apply(pathOf(kind), objectOf(kind)),
  ],
  "owned by two": (kind) => [
    apply(pathOf(kind), objectOf(kind)),
    apply(pathOf(kind), objectOf(kind), { manager: "two" }),
    apply(pathOf(kind), objectOf(kind, { metadata: { labels: null } }), { manager: "one" }),
    apply(pathOf(kind), objectOf(kind, { metadata: { labels: null } }), { manager: "two" }),
  ],
  conflict: (kind) => [
    apply(pathOf(kind), labels(kind, "1")),
    apply(pathOf(kind), labels(kind, "2"), { manager: "two" }),
    apply(pathOf(kind), labels(kind, "2"), { manager: "two", force: true }),
    apply(pathOf(kind), labels(kind, "1")),
  ],
  "conflict in content": (kind) => [
    apply(pathOf(kind), objectOf(kind)),
    apply(pathOf(kind), changed(kind), { manager: "two" }),
    apply(pathOf(kind), changed(kind), { manager: "two", force: true }),
  ],
  "over an update": (kind) => [
    made(kind),
    apply(pathOf(kind), changed(kind)),
    apply(pathOf(kind), changed(kind), { force: true }),
    patch("merge", pathOf(kind), { metadata: { labels: { more: "1" } } }),
    apply(pathOf(kind), objectOf(kind), { force: true }),
  ],
  "removed by update": (kind) => [
    apply(pathOf(kind), labels(kind, "1")),
    patch("merge", pathOf(kind), { metadata: { labels: { shared: null } } }),
    apply(pathOf(kind), labels(kind, "1")),
  ],
  "dry run": (kind) => [apply(pathOf(kind), objectOf(kind), { query: "dryRun=All" }), get(pathOf(kind))],
  "no manager": (kind) => [patch("apply", pathOf(kind), objectOf(kind))],
  "long manager": (kind) => [apply(pathOf(kind), objectOf(kind), { manager: "m".repeat(129) })],
  "other kind": (kind) => [apply(pathOf(kind), { ...objectOf(kind), kind: "Other" })],
  "no kind": (kind) => [apply(pathOf(kind), { metadata: { name: "<id>" } })],
  "other name": (kind) => [apply(pathOf(kind), { ...objectOf(kind), metadata: { name: "other" } })],
  "no name": (kind) => [apply(pathOf(kind), { ...objectOf(kind), metadata: {} })],
  "managed fields": (kind) => [
    apply(pathOf(kind), objectOf(kind, { metadata: { managedFields: [{ manager: "x" }] } })),
  ],
  "no yaml": (kind) => [apply(pathOf(kind), "a: [")],
  "strange field": (kind) => [
    apply(pathOf(kind), merged(objectOf(kind), { strange: 1 })),
    apply(pathOf(kind), merged(objectOf(kind), { strange: 1 }), { query: "fieldValidation=Ignore" }),
  ],
  undecodable: (kind) => kind.undecodable && [apply(pathOf(kind), objectOf(kind, kind.undecodable))],
  invalid: (kind) => {
    const first = Object.values(kind.invalid ?? {})[0];
    return first && [apply(pathOf(kind), { ...objectOf(kind, first), metadata: objectOf(kind).metadata })];
  },
  "with a uid": (kind) => [
    apply(pathOf(kind), objectOf(kind, { metadata: { uid: "11111111-1111-1111-1111-111111111111" } })),
  ],
  "with a version": (kind) => [
    apply(pathOf(kind), objectOf(kind), { capture: { rv: "metadata.resourceVersion" } }),
    apply(pathOf(kind), objectOf(kind, { metadata: { resourceVersion: "<rv>", labels: { more: "1" } } })),
    apply(pathOf(kind), objectOf(kind, { metadata: { resourceVersion: "<rv>", labels: { more: "2" } } })),
  ],
  "from client side": (kind) => [
    post(`${collectionOf(kind)}?fieldManager=kubectl-client-side-apply`, lastApplied(kind)),
    apply(pathOf(kind), changed(kind), { manager: "kubectl" }),
    apply(pathOf(kind), objectOf(kind), { manager: "kubectl", force: true }),
  ],
  "managed fields cleared": (kind) => [
    apply(pathOf(kind), objectOf(kind)),
    patch("merge", pathOf(kind), { metadata: { managedFields: [{}] } }),
    apply(pathOf(kind), objectOf(kind), { manager: "two" }),
  ],
  "only a part": (kind) => [
    made(kind),
    apply(pathOf(kind), partOf(kind, { metadata: { labels: { part: "1" } } })),
    apply(pathOf(kind), partOf(kind, {})),
  ],
  "then put": (kind) => [
    apply(pathOf(kind), objectOf(kind), { capture: { rv: "metadata.resourceVersion" } }),
    put(
      `${pathOf(kind)}?fieldManager=putter`,
      objectOf(kind, merged(kind.change, { metadata: { resourceVersion: "<rv>" } })),
    ),
    apply(pathOf(kind), objectOf(kind)),
  ],
});

function lastApplied(kind: Kind): JsonObject {
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(objectOf(kind)) };
  return objectOf(kind, { metadata: { annotations } });
}
