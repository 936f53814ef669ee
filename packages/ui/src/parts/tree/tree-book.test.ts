import assert from "node:assert/strict";
import { test } from "node:test";
import type { ResourceNode } from "@capstan/model";
import { TreeBook, treeItems } from "./tree-book.ts";
import type { TreeItem, TreeRoot } from "./tree-items.ts";

const kinds = ["Deployment", "ReplicaSet", "Pod", "ConfigMap"];
const nameOf = (index: number) => ({ kind: kinds[index % 4] ?? "", name: `n${index}`, namespace: "shop" });

/** The same numbers for the same seed. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state;
  }
}

function someNode(index: number, next: () => number): ResourceNode {
  const owners = Array.from({ length: next() % 3 }, () => nameOf(next() % 40)).filter(
    ({ name }) => name !== `n${index}`,
  );
  const health = { status: next() % 4 === 0 ? ("Degraded" as const) : ("Healthy" as const) };
  return { ...nameOf(index), uid: `u${next()}`, health, parentRefs: owners };
}

const keysOf = (items: readonly TreeItem[]): string[] =>
  items.flatMap((item) => [item.key, ...keysOf(item.children)]).sort();

/** Without loops, which a book cuts where they were closed. */
function hasLoop(nodes: ReadonlyMap<number, ResourceNode>): boolean {
  const there = new Map([...nodes.values()].map((node) => [node.name, node]));
  const ownerOf = (node: ResourceNode) =>
    node.parentRefs?.map(({ name = "" }) => there.get(name)).find((owner) => owner !== undefined);
  return [...there.values()].some((node) => {
    let at: ResourceNode | undefined = node;
    for (let step = 0; step < 50 && at; step += 1) at = ownerOf(at);
    return at !== undefined;
  });
}

const shapeOf = ({ items, size }: TreeRoot) => JSON.stringify({ items, size });

test("after any changes a book has what one that begins with the last of them has", () => {
  const from = numbers(20_261_128);
  const next = () => Math.floor(from.next().value / 65_536);
  let compared = 0;
  for (let round = 0; round < 40; round += 1) {
    const book = new TreeBook();
    const nodes = new Map<number, ResourceNode>();
    for (let step = 0; step < 30; step += 1) {
      for (let change = 0; change < 4; change += 1) {
        const index = next() % 40;
        if (next() % 3 === 0) nodes.delete(index);
        else nodes.set(index, someNode(index, next));
      }
      const resources = [...nodes.keys()]
        .filter(() => next() % 2 === 0)
        .map((index) => ({ ...nameOf(index), version: "v1", status: "OutOfSync" as const }));
      const tree = { nodes: [...nodes.values()] };
      const told = book.read({ status: { resources } }, tree);
      const anew = treeItems({ status: { resources } }, tree);
      assert.deepEqual(keysOf(told.items), keysOf(anew.items), "each object once");
      if (hasLoop(nodes)) continue;
      compared += 1;
      assert.equal(shapeOf(told), shapeOf(anew));
    }
  }
  assert.ok(compared > 100, `${compared}`);
});

test("a loop that is broken later leaves nobody where he hung", () => {
  const owned = (kind: string, owner?: string): ResourceNode => ({
    kind,
    name: kind,
    namespace: "shop",
    uid: kind,
    parentRefs: owner === undefined ? [] : [{ kind: owner, name: owner, namespace: "shop" }],
  });
  const book = new TreeBook();
  book.read(undefined, { nodes: [owned("A", "B"), owned("B", "A")] });
  const { items } = book.read(undefined, { nodes: [owned("A"), owned("B", "A")] });
  assert.deepEqual(
    items.map(({ resource, children }) => [resource.kind, children.map((child) => child.resource.kind)]),
    [["A", ["B"]]],
  );
});

test("where one Pod of 2,000 has gone nothing is read of the others", () => {
  let read = 0;
  const watched = (node: ResourceNode): ResourceNode =>
    new Proxy(node, {
      get: (target, name) => {
        read += 1;
        return Reflect.get(target, name);
      },
    });
  const nodes = Array.from({ length: 2_000 }, (_, index) => {
    const owner = { kind: "ReplicaSet", name: `n${index % 40}`, namespace: "shop" };
    const pod = { kind: "Pod", name: `p${index}`, namespace: "shop", uid: `u${index}`, parentRefs: [owner] };
    return watched(index < 40 ? { ...owner, uid: `u${index}` } : pod);
  });
  const book = new TreeBook();
  assert.equal(book.read(undefined, { nodes }).size, 2_000);
  read = 0;
  assert.equal(book.read(undefined, { nodes: nodes.slice(0, -1) }).size, 1_999);
  assert.ok(read < 50, `${read} reads`);
});
