import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, ResourceNode } from "@capstan/model";
import { describeApplication } from "../describe-application.ts";
import { type DisplayNode, displayRank, displayTree, type FoldState } from "./display-tree.ts";
import { networkTree } from "./network-tree.ts";
import { podGroups } from "./pod-groups.ts";
import { TreeBook, treeItems } from "./tree-book.ts";
import { filterTree, readTreeFilter, treeFacetValues } from "./tree-filter.ts";
import { sizeOf } from "./tree-items.ts";

const auto: FoldState = { folding: "auto", flipped: new Set() };

function object(kind: string, name: string, more: Partial<ResourceNode> = {}): ResourceNode {
  return { kind, name, namespace: "shop", uid: `${kind}-${name}`, health: { status: "Healthy" }, ...more };
}

const ownedBy = (kind: string, name: string) => ({
  parentRefs: [{ kind, name, namespace: "shop", uid: `${kind}-${name}` }],
});

function deployment(name: string, pods: number, unwell = 0): ResourceNode[] {
  return [
    object(
      "Deployment",
      name,
      unwell > 0 ? { health: { status: "Degraded", message: "progress deadline exceeded" } } : {},
    ),
    object("ReplicaSet", `${name}-1`, ownedBy("Deployment", name)),
    ...Array.from({ length: pods }, (_, index) =>
      object("Pod", `${name}-1-${index}`, {
        ...ownedBy("ReplicaSet", `${name}-1`),
        ...(index < unwell && {
          health: { status: "Degraded" as const },
          info: [{ name: "Status Reason", value: "CrashLoopBackOff" }],
        }),
      }),
    ),
  ];
}

const items = (...nodes: ResourceNode[]) => treeItems(undefined, { nodes });

function print({ shape, item, members, hidden, children }: DisplayNode): string {
  const name = item ? `${item.resource.kind} ${item.resource.name}` : `${shape} ${members.length}`;
  const below = children.length > 0 ? `(${children.map(print).join(" ")})` : "";
  return `${name}${hidden > 0 ? ` +${hidden}` : ""}${below}`;
}

const show = (root: ReturnType<typeof items>, state = auto) => displayTree(root, state).children.map(print);

test("a small application shows everything, and the Pods of one owner as one node", () => {
  assert.deepEqual(show(items(...deployment("web", 3), object("Service", "web"))), [
    "Deployment web(ReplicaSet web-1(pods 3))",
    "Service web",
  ]);
});

test("in a large one healthy subtrees are folded with their count and sick ones are open", () => {
  const nodes = [...deployment("api", 3, 1), ...deployment("web", 20), ...deployment("job", 10)];
  assert.deepEqual(show(items(...nodes)), [
    "Deployment api(ReplicaSet api-1(pods 3))",
    "Deployment job +11",
    "Deployment web +21",
  ]);
});

test("what a person opens stays open, and the choices fold all or nothing", () => {
  const root = items(...deployment("web", 40));
  assert.deepEqual(show(root), ["Deployment web +41"]);
  assert.deepEqual(show(root, { folding: "auto", flipped: new Set(["/Deployment/shop/web"]) }), [
    "Deployment web(ReplicaSet web-1 +40)",
  ]);
  assert.deepEqual(show(root, { folding: "none", flipped: new Set() }), [
    "Deployment web(ReplicaSet web-1(pods 40))",
  ]);
  assert.deepEqual(show(items(...deployment("web", 1)), { folding: "all", flipped: new Set() }), [
    "Deployment web +2",
  ]);
});

test("many alike that are well become one, and one that is not stays by itself", () => {
  const maps = Array.from({ length: 40 }, (_, index) =>
    object("ConfigMap", `map-${index}`, index === 3 ? { health: { status: "Missing" } } : {}),
  );
  assert.deepEqual(show(items(...maps)), ["ConfigMap map-3", "bundle 39 +39"]);
});

test("sixty Deployments that are well are one node, and opened stand after it, each folded", () => {
  const nodes = Array.from({ length: 60 }, (_, index) =>
    deployment(`web-${index}`, 9, index === 7 ? 1 : 0),
  ).flat();
  const root = items(...nodes);
  assert.deepEqual(show(root), ["Deployment web-7(ReplicaSet web-7-1(pods 9))", "bundle 59 +649"]);
  const opened = show(root, { folding: "auto", flipped: new Set(["application/Deployment"]) });
  assert.match(opened[1] ?? "", /^bundle 59\(Deployment web-0 \+10 Deployment web-1 \+10 /);
  const one = show(root, {
    folding: "auto",
    flipped: new Set(["application/Deployment", "/Deployment/shop/web-3"]),
  });
  assert.match(
    one[1] ?? "",
    /Deployment web-3\(ReplicaSet web-3-1 \+9\) Deployment web-4 \+10 /,
    "stays where it was",
  );
});

test("a list begins with what is wrong, then with what differs", () => {
  const app = application("Healthy", [
    { kind: "Service", name: "b", namespace: "shop", status: "OutOfSync" },
  ]);
  const nodes = [
    object("Service", "a"),
    object("Service", "b"),
    ...deployment("api", 1, 1),
    ...deployment("web", 1),
  ];
  const ordered = [...displayTree(treeItems(app, { nodes }), auto).children];
  ordered.sort((one, other) => displayRank(one) - displayRank(other));
  assert.deepEqual(
    ordered.map(({ item }) => item?.resource.name),
    ["api", "b", "web", "a"],
  );
});

test("a filter finds objects with what leads to them, facets together and values of one side by side", () => {
  const root = items(...deployment("api", 3, 1), ...deployment("web", 2), object("Service", "api"));
  const find = (search: Record<string, string>) =>
    show(filterTree(root, readTreeFilter(search)), { folding: "found", flipped: new Set() });
  assert.deepEqual(find({ find: "WEB", kind: "Pod" }), ["Deployment web(ReplicaSet web-1(pods 2))"]);
  assert.deepEqual(find({ health: "Degraded" }), ["Deployment api(ReplicaSet api-1(Pod api-1-0))"]);
  assert.deepEqual(find({ kind: "Service,Deployment", find: "api" }), ["Deployment api", "Service api"]);
  assert.deepEqual(find({ owner: "/Deployment/shop/api", health: "Healthy" }), [
    "Deployment api(ReplicaSet api-1(pods 2))",
  ]);
  assert.deepEqual(find({ find: "nothing is called so" }), []);
  assert.equal(treeFacetValues(root).kind.find(({ value }) => value === "Pod")?.count, 5);
});

test("Pods stand by their node or by what made them, the worst first", () => {
  const pods = deployment("api", 2, 1).map((node) =>
    node.kind === "Pod" ? { ...node, info: [{ name: "Node", value: `n-${node.name}` }] } : node,
  );
  const root = items(...deployment("web", 1), ...pods);
  const titles = (by: "node" | "owner") =>
    podGroups(root, by).map(({ title, pods: { length } }) => `${title} ${length}`);
  assert.deepEqual(titles("owner"), ["Deployment api 2", "Deployment web 1"]);
  assert.deepEqual(titles("node"), ["n-api-1-0 1", "On no node 1", "n-api-1-1 1"]);
});

test("the network leads from an Ingress by its Service to the Pods that this selects", () => {
  const labels = { app: "web" };
  const pods = deployment("web", 2).map((node) =>
    node.kind === "Pod" ? { ...node, networkingInfo: { labels } } : node,
  );
  const service = object("Service", "web", { networkingInfo: { targetLabels: labels } });
  const ingress = object("Ingress", "web", {
    networkingInfo: { targetRefs: [{ kind: "Service", namespace: "shop", name: "web" }] },
  });
  const slice = object("EndpointSlice", "web-x", ownedBy("Service", "web"));
  const root = networkTree(items(...pods, service, ingress, slice, object("Service", "by-hand")), new Set());
  assert.deepEqual(root.children.map(print), [
    "Ingress web(Service web(EndpointSlice web-x pods 2))",
    "Service by-hand",
  ]);
});

test("ReplicaSets of former revisions are one node", () => {
  const old = ["a", "b", "c"].map((name) =>
    object("ReplicaSet", `web-${name}`, ownedBy("Deployment", "web")),
  );
  assert.deepEqual(show(items(...deployment("web", 1), ...old)), [
    "Deployment web(ReplicaSet web-1(Pod web-1-0) bundle 3 +3)",
  ]);
});

test("owners that own each other do not hang the page", () => {
  const loop = [
    object("A", "a", ownedBy("B", "b")),
    object("B", "b", ownedBy("A", "a")),
    object("Service", "web"),
  ];
  assert.deepEqual(show(items(...loop)), ["Service web", "B b(A a)"]);
});

function application(
  health: string,
  resources: NonNullable<Application["status"]>["resources"] = [],
): Application {
  const status = health === "Degraded" ? "Degraded" : "Healthy";
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop", namespace: "argocd" },
    spec: { project: "default", destination: { namespace: "shop" }, source: { repoURL: "r" } },
    status: {
      sync: {
        status: resources.some((one) => one.status === "OutOfSync") ? "OutOfSync" : "Synced",
        revision: "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678",
      },
      health: { status },
      resources,
    },
  };
}

test("objects of git that the cluster has not are in the tree as missing", () => {
  const app = application("Healthy", [
    {
      kind: "ConfigMap",
      name: "flags",
      namespace: "shop",
      status: "OutOfSync",
      health: { status: "Missing" },
    },
  ]);
  const { items: found } = treeItems(app, { nodes: deployment("web", 1) });
  const missing = found.find(({ resource }) => resource.name === "flags");
  assert.deepEqual([missing?.health, missing?.sync], ["Missing", "OutOfSync"]);
});

const sentence = (app: Application, nodes: ResourceNode[]) =>
  describeApplication(app, treeItems(app, { nodes })).map(({ text }) => text);

test("the sentence names the culprit and its Pods", () => {
  assert.deepEqual(sentence(application("Degraded"), deployment("web", 3, 1)), [
    "Synced to a1b2c3d",
    "Degraded: Deployment web, 1 of 3 Pods CrashLoopBackOff",
  ]);
});

test("without unwell Pods the object's own message is the cause", () => {
  assert.deepEqual(
    sentence(application("Degraded"), [
      object("Ingress", "web", { health: { status: "Degraded", message: "no address" } }),
    ]),
    ["Synced to a1b2c3d", "Degraded: Ingress web, no address"],
  );
});

test("drift is counted, what is to prune apart", () => {
  const app = application("Healthy", [
    { kind: "Service", name: "a", status: "OutOfSync" },
    { kind: "Service", name: "b", status: "OutOfSync", requiresPruning: true },
  ]);
  assert.deepEqual(sentence(app, []), ["OutOfSync with a1b2c3d: 1 object differs, 1 to prune", "Healthy"]);
});

test("what no application has stands beside the application's own, marked, with what it owns", () => {
  const orphanedNodes = [
    object("Deployment", "left"),
    object("ReplicaSet", "left-1", ownedBy("Deployment", "left")),
  ];
  const root = treeItems(undefined, { nodes: [object("ConfigMap", "own")], orphanedNodes });
  assert.deepEqual(show(root), ["ConfigMap own"], "it is no part of the application");
  assert.equal(root.size, 1);
  const [left] = root.orphans;
  assert.deepEqual([left?.isOrphan, left?.children[0]?.isOrphan, left?.size], [true, true, 1]);
  const configMaps = Array.from({ length: 40 }, (_, index) => object("ConfigMap", `c${index}`));
  const mixed = treeItems(undefined, {
    nodes: configMaps,
    orphanedNodes: configMaps.map((one) => ({ ...one, uid: `o-${one.uid}`, name: `o-${one.name}` })),
  });
  const both = { ...mixed, items: [...mixed.items, ...mixed.orphans], size: 80 };
  assert.deepEqual(show(both), ["bundle 40 +40", "bundle 40 +40"], "and never in one node with it");
});

test("objects that own each other are shown, each once", () => {
  const nodes = [object("A", "a", ownedBy("B", "b")), object("B", "b", ownedBy("A", "a"))];
  const root = treeItems(undefined, { nodes, orphanedNodes: nodes });
  assert.deepEqual([root.size, sizeOf(root.orphans)], [2, 2]);
});

test("before the tree has come it is known that what is there is not all", () => {
  assert.equal(treeItems(undefined, undefined).isWaiting, true);
  assert.equal(treeItems(undefined, { nodes: [] }).isWaiting, undefined);
});

test("where one of many Pods has gone, all that does not hold it is the same object as before", () => {
  const nodes = [...deployment("a", 3), ...deployment("b", 3)];
  const book = new TreeBook();
  const before = book.read(undefined, { nodes });
  const after = book.read(undefined, { nodes: nodes.filter(({ name }) => name !== "a-1-0") });
  const of = ({ items }: typeof before, name: string) =>
    items.find(({ resource }) => resource.name === name)?.children[0];
  assert.equal(of(after, "b"), of(before, "b"));
  assert.equal(of(after, "a")?.children.length, 2);
  assert.equal(of(after, "a")?.children[0], of(before, "a")?.children[1]);
});

test("what the status names alone is the same item once the cluster tells of it: it keeps the focus", () => {
  const resources = [{ group: "", kind: "Service", namespace: "shop", name: "web", version: "v1" }];
  const app = { metadata: { name: "web" }, spec: {}, status: { resources } } as unknown as Application;
  const [before] = treeItems(app, undefined).items;
  const [after] = treeItems(app, { nodes: [object("Service", "web", { group: "" })] }).items;
  assert.equal(before?.id, after?.id);
});
