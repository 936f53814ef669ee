import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationTree, ResourceNode } from "@capstan/model";
import { type TreeChange, treeChanges, withTreeChange } from "./tree-changes.ts";

const pod = (name: string, health: "Healthy" | "Degraded" = "Healthy"): ResourceNode => ({
  ...{ version: "v1", kind: "Pod", namespace: "web", name, uid: name },
  health: { status: health },
});

async function told(...trees: ApplicationTree[]): Promise<TreeChange[]> {
  const all = (async function* () {
    yield* trees;
  })();
  return Array.fromAsync(treeChanges(all));
}

const many = Array.from({ length: 2000 }, (_, index) => pod(`web-${index}`));

test("of 2,000 objects one that is gone is a message of less than 200 bytes, and the tree is the same without it", async () => {
  const after = { nodes: many.toSpliced(700, 1), hosts: [] };
  const [first, second, ...more] = await told({ nodes: many }, after, structuredClone(after));
  assert.ok(first && second);
  assert.deepEqual(more, [], "nothing is told where nothing is otherwise");
  assert.deepEqual(second, { nodes: { changed: [], gone: ["/Pod/web/web-700"] } });
  assert.ok(JSON.stringify(second).length < 200);
  assert.deepEqual(withTreeChange(withTreeChange(undefined, first), second).nodes, after.nodes);
});

test("what is new, other and gone arrives, of orphans and hosts as well; what stays is the same object", async () => {
  const hosts = [{ name: "node-1", resourcesInfo: [], labels: {} }];
  const before: ApplicationTree = { nodes: [pod("a"), pod("b")], orphanedNodes: [pod("left")] };
  const after: ApplicationTree = {
    nodes: [pod("a"), pod("b", "Degraded"), pod("c")],
    orphanedNodes: [],
    hosts,
  };
  const [first, second] = await told(before, after);
  assert.ok(first && second);
  const start = withTreeChange(undefined, first);
  const end = withTreeChange(start, second);
  assert.deepEqual(end, after);
  assert.equal(end.nodes?.[0], start.nodes?.[0]);
  assert.deepEqual(
    second.nodes?.changed.map(({ name }) => name),
    ["b", "c"],
  );
});
