import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { isCapstanError } from "@capstan/model";
import { followLinks, traceLink, traceLinks } from "./follow-links.ts";
import type { SourceTree, TreeEntry } from "./source-tree.ts";

type Files = Readonly<Record<string, string | { link: string }>>;

function treeOf(files: Files): SourceTree {
  const entries = new Map<string, TreeEntry>();
  const add = (path: string, kind: TreeEntry["kind"]) =>
    entries.set(path, { path, name: path.slice(path.lastIndexOf("/") + 1), kind, digest: path });
  add("", "directory");
  for (const [path, file] of Object.entries(files)) {
    for (let above = dirname(path); above !== "."; above = dirname(above)) add(above, "directory");
    add(path, typeof file === "string" ? "file" : "symlink");
  }
  const textOf = ({ path }: TreeEntry) => {
    const file = files[path] ?? "";
    return Buffer.from(typeof file === "string" ? file : file.link);
  };
  return {
    revision: "1",
    entry: async (path) => entries.get(path),
    list: async (path) =>
      [...entries.values()].filter((one) => one.path !== "" && dirname(`./${one.path}`) === `./${path}`),
    read: async (entry) => textOf(entry),
    size: async (entry) => textOf(entry).length,
  };
}

const up = { link: "." };
const refused: Readonly<Record<string, Files>> = {
  "`..` behind a link that leads upwards, deep enough to look harmless": {
    up,
    "chart/x": { link: "../up/up/up/../../secret" },
  },
  "a link through another one": {
    "a/b/out": { link: "../../c/../.." },
    c: { link: "a" },
    "a/b/x": { link: "out/etc" },
  },
  "a link to what does not exist and `..` after it": { "a/x": { link: "gone/../../../secret" } },
  "an absolute one": { x: { link: "/etc/passwd" } },
  "one behind a directory link": {
    d: { link: "deep/er" },
    "deep/er/f": "",
    x: { link: "d/../../../secret" },
  },
};

for (const [what, files] of Object.entries(refused))
  test(`refused: ${what}`, async () => {
    const tree = treeOf(files);
    const link = Object.keys(files).find((path) => path.endsWith("x")) ?? "";
    const entry = await tree.entry(link);
    assert.ok(entry);
    const isRefusal = (error: unknown) => isCapstanError(error, "SYMLINK_OUTSIDE");
    await assert.rejects(traceLink(tree, entry), isRefusal);
    await assert.rejects(traceLinks(tree, link), isRefusal);
  });

const linked: Files = {
  "deep/er/f": "one",
  f: "two",
  "deep/f": "three",
  d: { link: "deep/er" },
  through: { link: "d/../f" },
  again: { link: "./through" },
  round: { link: "round" },
  nothing: { link: "gone/f" },
  past: { link: "f/../deep/f" },
};

test("links end where the operating system ends them, and bring what a copy needs", async () => {
  const tree = treeOf(linked);
  const { entry, needed, passed } = await traceLinks(tree, "again");
  assert.equal(entry?.path, "deep/f");
  assert.deepEqual(needed, ["again", "through", "d", "deep/f"]);
  assert.deepEqual(passed, ["deep/er"]);
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "capstan-links-"));
  try {
    for (const [path, file] of Object.entries(linked)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      if (typeof file === "string") writeFileSync(join(folder, path), file);
      else symlinkSync(file.link, join(folder, path));
    }
    for (const path of Object.keys(linked)) {
      const real = ((): string | undefined => {
        try {
          return execFileSync("realpath", ["-e", join(folder, path)], { stdio: ["ignore", "pipe", "ignore"] })
            .toString()
            .trim()
            .slice(folder.length + 1);
        } catch {
          return undefined;
        }
      })();
      assert.equal((await followLinks(tree, path))?.path, real, path);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a link of more than a path's length is refused before it is read", async () => {
  const tree = treeOf({ x: { link: "a/".repeat(5_000) } });
  await assert.rejects(followLinks(tree, "x"), (error) => isCapstanError(error, "FILE_TOO_LARGE"));
});
