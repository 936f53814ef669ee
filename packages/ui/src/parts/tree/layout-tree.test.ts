import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { edgePath } from "./edge-path.ts";
import { type Layout, layoutTree, type Placed } from "./layout-tree.ts";
import { walk } from "./walk.ts";

interface Node {
  readonly id: string;
  readonly height: number;
  readonly children: readonly Node[];
}

const spacing = { columnWidth: 100, columnGap: 20, rowGap: 10 };

const leaf = (id: string, height = 40): Node => ({ id, height, children: [] });
const node = (id: string, ...children: Node[]): Node => ({ id, height: 40, children });

const trees: fc.Arbitrary<Node> = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc
    .record({
      id: fc.uuid(),
      height: fc.integer({ min: 20, max: 200 }),
      children: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("tree"), { maxLength: 6 })),
    })
    .map(({ id, height, children }) => ({ id, height, children })),
})).tree;

const bottom = ({ y, node: { height } }: Placed<Node>) => y + height;

function columns(layout: Layout<Node>): Placed<Node>[][] {
  return [...Map.groupBy(layout.placed, ({ depth }) => depth).values()];
}

test("no two nodes overlap, and the order of siblings is kept", () => {
  fc.assert(
    fc.property(trees, (root) => {
      for (const column of columns(layoutTree(root, spacing))) {
        for (const [index, upper] of column.entries()) {
          const lower = column[index + 1];
          // Half a pixel each way is what rounding to whole pixels may take.
          if (lower)
            assert.ok(
              lower.y - bottom(upper) >= spacing.rowGap - 1,
              `${upper.node.id} over ${lower.node.id}`,
            );
        }
      }
    }),
  );
});

test("everything is inside the picture, and children stand one column to the right", () => {
  fc.assert(
    fc.property(trees, (root) => {
      const { placed, width, height } = layoutTree(root, spacing);
      for (const entry of placed) {
        assert.ok(entry.y >= -1 && bottom(entry) <= height + 1);
        assert.ok(entry.x + spacing.columnWidth <= width);
        if (entry.parent) assert.equal(entry.x - entry.parent.x, 120);
      }
    }),
  );
});

test("an owner stands in the middle between its first and its last", () => {
  fc.assert(
    fc.property(trees, (root) => {
      const { placed } = layoutTree(root, spacing);
      for (const entry of placed) {
        const own = placed.filter(({ parent }) => parent === entry);
        const [first, last] = [own[0], own.at(-1)];
        if (!first || !last) continue;
        const middle = (first.y + first.node.height / 2 + last.y + last.node.height / 2) / 2;
        assert.ok(Math.abs(middle - entry.y - entry.node.height / 2) <= 1.5);
      }
    }),
  );
});

test("a leaf moves in beside the subtree of its sibling", () => {
  const root = node("root", node("a", leaf("a1"), leaf("a2"), leaf("a3")), leaf("b"));
  const { height } = layoutTree(root, spacing);
  assert.equal(height, 140, "three leaves of 40 with two gaps of 10, and no line for b");
});

test("2,000 nodes read each height a bounded number of times", () => {
  let reads = 0;
  const counted = (id: string, children: Node[]): Node => ({
    id,
    children,
    get height() {
      reads++;
      return 46;
    },
  });
  const groups = Array.from({ length: 40 }, (_, group) =>
    counted(
      `g${group}`,
      Array.from({ length: 7 }, (_, set) =>
        counted(
          `g${group}s${set}`,
          Array.from({ length: 6 }, (_, pod) => counted(`g${group}s${set}p${pod}`, [])),
        ),
      ),
    ),
  );
  const { placed } = layoutTree(counted("root", groups), spacing);
  assert.equal(placed.length, 2001);
  assert.ok(reads <= 3 * 2001, `${reads} reads`);
});

test("a chain of 1,000 is laid out", () => {
  let chain = leaf("end");
  for (let index = 0; index < 999; index++) chain = node(`n${index}`, chain);
  assert.equal(layoutTree(chain, spacing).placed.length, 1000);
});

test("arrow keys follow the edges", () => {
  const { placed } = layoutTree(node("root", node("a", leaf("a1"), leaf("a2")), leaf("b")), spacing);
  const at = (id: string) => {
    const found = placed.find((entry) => entry.node.id === id);
    assert.ok(found);
    return found;
  };
  assert.equal(walk(placed, at("a"), "ArrowRight").node.id, "a1");
  assert.equal(walk(placed, at("a2"), "ArrowLeft").node.id, "a");
  assert.equal(walk(placed, at("a"), "ArrowDown").node.id, "b");
  assert.equal(walk(placed, at("b"), "ArrowUp").node.id, "a");
  assert.equal(walk(placed, at("b"), "ArrowDown").node.id, "b");
  assert.equal(walk(placed, at("root"), "ArrowLeft").node.id, "root");
});

test("edges run level or at right angles, also over a short fall", () => {
  assert.equal(edgePath({ x: 0, y: 10 }, { x: 40, y: 10 }), "M0 10H40");
  assert.equal(edgePath({ x: 0, y: 0 }, { x: 40, y: 100 }), "M0 0H14Q20 0 20 6V94Q20 100 26 100H40");
  assert.equal(edgePath({ x: 0, y: 0 }, { x: 40, y: 8 }), "M0 0H16Q20 0 20 4V4Q20 8 24 8H40");
});
