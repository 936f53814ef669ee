import assert from "node:assert/strict";
import { test } from "node:test";
import { readableBox, steadied } from "./view-box.ts";

const window = { width: 1000, height: 600 };
const at = (id: string, x: number, y: number) => ({ x, y, node: { id, height: 46 } });

test("fit shows all where it can be read, else what is wrong, in a size that can", () => {
  const matters = { x: 300, y: 9_000, width: 252, height: 46 };
  assert.ok(readableBox({ width: 800, height: 500 }, window, matters).scale >= 0.72);
  const large = readableBox({ width: 1_200, height: 20_000 }, window, matters);
  assert.ok(large.scale >= 0.72);
  const top = matters.y * large.scale + large.y;
  assert.ok(top > 0 && top < window.height, `${top}`);
});

test("a picture that is wider than a phone begins at the top of it", () => {
  const root = { x: 0, y: 40, width: 252, height: 58 };
  const { x, y } = readableBox({ width: 1_400, height: 140 }, { width: 390, height: 700 }, root);
  assert.ok(x > 0 && x < 100 && y > 0 && y < 100, `${x} ${y}`);
});

test("what people look at stays where it is when something above it comes or goes", () => {
  const view = { x: 0, y: -500, scale: 1 };
  const begun = { x: 24, y: 24, scale: 1 };
  const before = [at("a", 0, 0), at("b", 0, 800), at("c", 0, 1_400)];
  const after = [at("new", 0, 0), at("a", 0, 60), at("b", 0, 860), at("c", 0, 1_500)];
  assert.deepEqual(steadied(view, window, { before, after, on: undefined, begun }), {
    x: 0,
    y: -560,
    scale: 1,
  });
  assert.deepEqual(steadied(view, window, { before, after, on: "c", begun }), { x: 0, y: -600, scale: 1 });
  assert.equal(steadied(view, window, { before, after: before, on: "c", begun }), view);
  assert.equal(steadied(view, window, { before, after: [at("other", 9, 509)], on: "c", begun }), view);
});

test("where all that was looked at folds away the picture begins again, and the window is never empty", () => {
  const view = { x: 24, y: -9_000, scale: 1 };
  const begun = { x: 24, y: 24, scale: 1 };
  const nodes = Array.from({ length: 200 }, (_, index) => at(`node-${index}`, 300, index * 58));
  const before = [at("application", 0, 5_800), ...nodes];
  const after = [at("application", 0, 20), at("all of them", 300, 20)];
  assert.equal(steadied(view, window, { before, after, on: undefined, begun }), begun);
  assert.equal(steadied(view, window, { before, after, on: "node-160", begun }), begun);
  const near = { x: 24, y: -5_600, scale: 1 };
  assert.deepEqual(
    steadied(near, window, { before, after, on: undefined, begun }),
    { x: 24, y: 180, scale: 1 },
    "where the application was in the window it stays",
  );
});
