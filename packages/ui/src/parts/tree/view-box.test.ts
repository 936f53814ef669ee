import assert from "node:assert/strict";
import { test } from "node:test";
import { readableBox, steadied } from "./view-box.ts";

const window = { width: 1000, height: 600 };
const at = (id: string, x: number, y: number) => ({ x, y, node: { id } });

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
  const before = [at("a", 0, 0), at("b", 0, 800), at("c", 0, 1_400)];
  const after = [at("new", 0, 0), at("a", 0, 60), at("b", 0, 860), at("c", 0, 1_500)];
  assert.deepEqual(steadied(view, window, { before, after, on: undefined }), { x: 0, y: -560, scale: 1 });
  assert.deepEqual(steadied(view, window, { before, after, on: "c" }), { x: 0, y: -600, scale: 1 });
  assert.equal(steadied(view, window, { before, after: before, on: "c" }), view);
  assert.equal(steadied(view, window, { before, after: [at("other", 9, 9)], on: "c" }), view);
});
