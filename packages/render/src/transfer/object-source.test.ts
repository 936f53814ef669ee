import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";
import { ObjectSource } from "./object-source.ts";

const directory = (path: string): TreeEntry => ({ path, name: path, kind: "directory", digest: `d-${path}` });
const file = (path: string): TreeEntry => ({
  path,
  name: path.slice(path.lastIndexOf("/") + 1),
  kind: "file",
  digest: `f-${path}`,
});

/** app/a and app/b, with a directory beside it that is not to be read. */
const listings: Readonly<Record<string, readonly TreeEntry[]>> = {
  "": [directory("app"), directory("secret")],
  app: [file("app/a"), file("app/b")],
  secret: [file("secret/key")],
};
const tree: SourceTree = {
  revision: "r",
  entry: async (path) => [directory(""), ...Object.values(listings).flat()].find((one) => one.path === path),
  list: async (path) => listings[path] ?? [],
  read: async () => Buffer.alloc(0),
  size: async () => 0,
};

test("files of a directory that the plugin knows from another run are found, also when asked for at once", async () => {
  const source = new ObjectSource([{ tree, paths: [""] }]);
  const found = await Promise.all(["f-app/a", "f-app/b", "d-app"].map((id) => source.find(id)));
  assert.deepEqual(
    found.map((one) => one?.entry.path),
    ["app/a", "app/b", "app"],
  );
});

test("what is not below the paths of a run is not found", async () => {
  const source = new ObjectSource([{ tree, paths: ["app"] }]);
  assert.equal((await source.find("f-app/a"))?.entry.path, "app/a");
  assert.equal(await source.find("f-secret/key"), undefined);
  assert.equal(await source.find("nothing"), undefined);
});
