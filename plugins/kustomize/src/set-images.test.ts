import assert from "node:assert/strict";
import { test } from "node:test";
import { parseImage, setImages } from "./set-images.ts";

test("the forms of an image", () => {
  assert.deepEqual(parseImage("nginx:1"), { name: "nginx", newTag: "1" });
  assert.deepEqual(parseImage("nginx@sha256:abc"), { name: "nginx", digest: "sha256:abc" });
  assert.deepEqual(parseImage("a=b"), { name: "a", newName: "b" });
  assert.deepEqual(parseImage("a=host:5000/b"), { name: "a", newName: "host:5000/b" });
  assert.deepEqual(parseImage("a=b:1@sha256:abc"), {
    name: "a",
    newName: "b",
    newTag: "1",
    digest: "sha256:abc",
  });
  assert.throws(() => parseImage("nginx"), /neither a new name nor a tag nor a digest/);
});

test("an entry of the same name is replaced, an asterisk keeps what it had, and the list is sorted", () => {
  const before = [
    { name: "b", newName: "old", newTag: "1" },
    { name: "c", newTag: "1" },
  ];
  assert.deepEqual(setImages(before, ["b=*:2", "a:9"]), [
    { name: "a", newTag: "9" },
    { name: "b", newName: "old", newTag: "2" },
    { name: "c", newTag: "1" },
  ]);
});
