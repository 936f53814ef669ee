import { collectionOf, type Kind, objectOf, pathOf } from "../kinds/kind.ts";
import { get, patch, post, remove, type Step, withQuery } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const made = (kind: Kind): Step =>
  post(collectionOf(kind), objectOf(kind), {
    capture: { uid: "metadata.uid", rv: "metadata.resourceVersion" },
  });
const held = (kind: Kind): Step =>
  post(collectionOf(kind), objectOf(kind, { metadata: { finalizers: ["example.com/hold"] } }));
const mine = (kind: Kind): string => withQuery(collectionOf(kind), "labelSelector=case%3D<id>");
const other = "11111111-1111-1111-1111-111111111111";

export const deleteCases = casesOf("delete", {
  plain: (kind) => [made(kind), remove(pathOf(kind)), get(pathOf(kind), { until: 404 })],
  absent: (kind) => [remove(pathOf(kind))],
  "dry run": (kind) => [made(kind), remove(withQuery(pathOf(kind), "dryRun=All")), get(pathOf(kind))],
  "dry run in the body": (kind) => [made(kind), remove(pathOf(kind), { dryRun: ["All"] }), get(pathOf(kind))],
  preconditions: (kind) => [
    made(kind),
    remove(pathOf(kind), { preconditions: { uid: other } }),
    remove(pathOf(kind), { preconditions: { resourceVersion: "1" } }),
    remove(pathOf(kind), { preconditions: { uid: "<uid>", resourceVersion: "<rv>" } }),
  ],
  finalizer: (kind) => [
    held(kind),
    remove(pathOf(kind)),
    get(pathOf(kind)),
    remove(pathOf(kind)),
    patch("merge", pathOf(kind), { metadata: { finalizers: ["example.com/hold", "example.com/more"] } }),
    patch("merge", pathOf(kind), { metadata: { finalizers: null } }),
    get(pathOf(kind), { until: 404 }),
  ],
  grace: (kind) => [
    made(kind),
    remove(pathOf(kind), { gracePeriodSeconds: 0 }),
    get(pathOf(kind), { until: 404 }),
  ],
  "bad grace": (kind) => [made(kind), remove(pathOf(kind), { gracePeriodSeconds: "x" })],
  background: (kind) => [made(kind), remove(withQuery(pathOf(kind), "propagationPolicy=Background"))],
  foreground: (kind) => [held(kind), remove(pathOf(kind), { propagationPolicy: "Foreground" })],
  orphan: (kind) => [held(kind), remove(pathOf(kind), { propagationPolicy: "Orphan" })],
  "bad propagation": (kind) => [made(kind), remove(withQuery(pathOf(kind), "propagationPolicy=Odd"))],
  "both ways": (kind) => [
    made(kind),
    remove(pathOf(kind), { propagationPolicy: "Orphan", orphanDependents: true }),
  ],
  collection: (kind) => [made(kind), remove(mine(kind)), get(pathOf(kind), { until: 404 })],
  "collection dry run": (kind) => [made(kind), remove(`${mine(kind)}&dryRun=All`), get(pathOf(kind))],
  "empty collection": (kind) => [remove(withQuery(collectionOf(kind), "labelSelector=case%3Dnone"))],
  "bad body": (kind) => [
    made(kind),
    remove(pathOf(kind), "{"),
    remove(pathOf(kind), { kind: "Other", apiVersion: "v1" }),
  ],
});
