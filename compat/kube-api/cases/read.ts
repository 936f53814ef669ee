import { collectionOf, type Kind, objectOf, pathOf } from "../kinds/kind.ts";
import { type Case, get, post, type Step, watch, withQuery } from "../script.ts";
import { casesOf } from "./cases-of.ts";

const form = (as: string, version = "v1"): { headers: { accept: string } } => ({
  headers: { accept: `application/json;as=${as};v=${version};g=meta.k8s.io` },
});
const made = (kind: Kind): Step => post(collectionOf(kind), objectOf(kind));
const mine = (kind: Kind, query = ""): string =>
  withQuery(collectionOf(kind), `labelSelector=case%3D<id>${query === "" ? "" : `&${query}`}`);
const second = (kind: Kind): Step =>
  post(
    collectionOf(kind),
    objectOf(kind, { metadata: { name: null, generateName: "<id>-", labels: { more: "1" } } }),
  );

/** Every form in which objects and lists are answered. */
export const readCases = casesOf("read", {
  missing: (kind) => [get(pathOf(kind))],
  "table of one": (kind) => [made(kind), get(pathOf(kind), form("Table"))],
  "table of a list": (kind) => [made(kind), get(mine(kind), form("Table"))],
  "table v1beta1": (kind) => [made(kind), get(mine(kind), form("Table", "v1beta1"))],
  "table with objects": (kind) => [made(kind), get(mine(kind, "includeObject=Object"), form("Table"))],
  "table without objects": (kind) => [made(kind), get(mine(kind, "includeObject=None"), form("Table"))],
  "metadata of one": (kind) => [made(kind), get(pathOf(kind), form("PartialObjectMetadata"))],
  "metadata of a list": (kind) => [made(kind), get(mine(kind), form("PartialObjectMetadataList"))],
  "metadata of the wrong form": (kind) => [made(kind), get(pathOf(kind), form("PartialObjectMetadataList"))],
  "as yaml": (kind) => [made(kind), get(pathOf(kind), { headers: { accept: "application/yaml" } })],
  "as csv": (kind) => [made(kind), get(pathOf(kind), { headers: { accept: "text/csv" } })],
  list: (kind) => [made(kind), get(mine(kind))],
  "empty list": (kind) => [get(withQuery(collectionOf(kind), "labelSelector=case%3Dnone"))],
  "list by name": (kind) => [
    made(kind),
    get(withQuery(collectionOf(kind), `fieldSelector=metadata.name%3D${pathOf(kind).split("/").at(-1)}`)),
  ],
  "list by unknown field": (kind) => [get(withQuery(collectionOf(kind), "fieldSelector=spec.nothing%3Da"))],
  "list by bad selectors": (kind) => [
    get(withQuery(collectionOf(kind), "labelSelector=a%3D%3D%3Db")),
    get(withQuery(collectionOf(kind), "fieldSelector=a")),
  ],
  pages: (kind) =>
    kind.objectName === undefined && !kind.clusterWide
      ? [
          made(kind),
          second(kind),
          get(mine(kind, "limit=1"), { capture: { next: "metadata.continue" } }),
          get(mine(kind, "limit=1&continue=<next>")),
          get(mine(kind, "limit=1&continue=eA")),
        ]
      : undefined,
  "at a version": (kind) => [
    made(kind),
    get(mine(kind, "resourceVersion=0")),
    get(mine(kind, "resourceVersion=x")),
    get(mine(kind, "resourceVersionMatch=Exact")),
    get(mine(kind, "resourceVersion=1&resourceVersionMatch=Odd")),
  ],
  "watch from a version": (kind) => [
    post(collectionOf(kind), objectOf(kind), { capture: { rv: "metadata.resourceVersion" } }),
    get(pathOf(kind)),
    watch(mine(kind, "resourceVersion=0"), 1),
  ],
  "watch as a table": (kind) => [made(kind), watch(mine(kind), 1, form("Table"))],
  "watch metadata": (kind) => [made(kind), watch(mine(kind), 1, form("PartialObjectMetadata"))],
  "watch with initial events": (kind) => [
    made(kind),
    watch(mine(kind, "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"), 2),
  ],
});

const logOptions = [
  "sinceSeconds=0",
  "sinceSeconds=-1",
  "limitBytes=0",
  "tailLines=-1",
  "sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z",
  "tailLines=-1&limitBytes=0&sinceSeconds=0",
  "sinceSeconds=",
  "tailLines=",
  "limitBytes=x",
  "tailLines=0&limitBytes=1&sinceSeconds=1",
];

/** They are looked at before the Pod is. */
export const logCases: readonly Case[] = logOptions.map((options) => ({
  name: `read/log with ${options}`,
  steps: [get(`/api/v1/namespaces/<ns>/pods/none/log?${options}`)],
}));
