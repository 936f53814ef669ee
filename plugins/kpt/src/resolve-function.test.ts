import assert from "node:assert/strict";
import { test } from "node:test";
import { catalog } from "./functions/catalog.ts";
import { defaultImagePrefix, functionResolver } from "./resolve-function.ts";
import { isImageAllowed } from "./sandboxed-image.ts";

const none = { configPath: "", configMap: new Map<string, string>(), name: "", selectors: [], exclude: [] };

/** How an image is run: in process, or as the image that is asked for. */
async function ways(...images: readonly string[]): Promise<string[]> {
  const asked: string[] = [];
  const container = (image: string) => {
    asked.push(image);
    return () => undefined;
  };
  const resolve = functionResolver({ catalog, imagePrefix: defaultImagePrefix, container });
  const found: string[] = [];
  for (const image of images) {
    const before = asked.length;
    await resolve({ ...none, image, exec: "", tag: "" });
    found.push(asked.length === before ? "in process" : `image ${asked.at(-1)}`);
  }
  return found;
}

test("the catalog's functions run in process, those compiled to WebAssembly too", async () => {
  assert.deepEqual(
    await ways(
      "set-labels",
      "gcr.io/kpt-fn/set-labels:v0.1",
      "ghcr.io/kptdev/krm-functions-catalog/wasm/set-namespace:v0.5.1",
    ),
    ["in process", "in process", "in process"],
  );
});

test("another major version of one, and what is not the catalog's, is run from its image", async () => {
  assert.deepEqual(
    await ways("gcr.io/kpt-fn/set-labels:v3.0.0", "example.com/team/set-labels", "example.com/x@sha256:0a"),
    [
      "image gcr.io/kpt-fn/set-labels:v3.0.0",
      "image example.com/team/set-labels:latest",
      "image example.com/x@sha256:0a",
    ],
  );
});

const list = "registry.example.com/team/, other.example.com:5000/one,";
const verdicts: readonly (readonly [image: string, list: string | undefined, isAllowed: boolean])[] = [
  ["registry.example.com/team/resize:v1", list, true],
  ["registry.example.com/team/deep/resize@sha256:0a", list, true],
  ["registry.example.com/team:v1", list, true],
  ["registry.example.com/teams/resize:v1", list, false],
  ["registry.example.com.evil.example/team/x", list, false],
  ["other.example.com:5000/one:v2", list, true],
  ["other.example.com/one:v2", list, false],
  ["other.example.com:5000/one-more", list, false],
  ["registry.example.com/team/../secret", list, false],
  ["anything.example.com/x", "*", true],
  ["anything.example.com/x", undefined, false],
  ["anything.example.com/x", " , ", false],
];
for (const [image, given, isAllowed] of verdicts)
  test(`${image} ${isAllowed ? "may" : "may not"} run by "${given ?? ""}"`, () => {
    assert.equal(isImageAllowed(image, given), isAllowed);
  });
