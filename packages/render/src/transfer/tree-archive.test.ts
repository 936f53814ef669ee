import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import type { SourceTree, TreeEntry } from "@capstan/plugin-kit";
import { failsWith, noSignal, TempFolder } from "@capstan/testkit/render-world";
import { makeTreeArchive } from "./tree-archive.ts";

type Files = Readonly<Record<string, string | { link: string } | { executable: string }>>;

/** Files in memory; a listing is made from their names. */
function treeOf(files: Files): SourceTree {
  const entryOf = (path: string): TreeEntry | undefined => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const file = files[path];
    if (file === undefined) {
      const isDirectory = path === "" || Object.keys(files).some((one) => one.startsWith(`${path}/`));
      return isDirectory ? { path, name, kind: "directory", digest: path } : undefined;
    }
    const kind = typeof file === "string" ? "file" : "link" in file ? "symlink" : "executable";
    return { path, name, kind, digest: path };
  };
  const textOf = ({ path }: TreeEntry): Buffer => {
    const file = files[path] ?? "";
    return Buffer.from(typeof file === "string" ? file : "link" in file ? file.link : file.executable);
  };
  return {
    revision: "r",
    entry: async (path) => entryOf(path),
    list: async (path) => {
      const start = path === "" ? "" : `${path}/`;
      const names = Object.keys(files).filter((one) => one.startsWith(start));
      const children = new Set(names.map((one) => start + one.slice(start.length).split("/")[0]));
      return [...children].sort().flatMap((one) => entryOf(one) ?? []);
    },
    read: async (entry) => textOf(entry),
    size: async (entry) => textOf(entry).length,
  };
}

async function archive(files: Files, of: { paths?: string[]; exclude?: string[]; memory?: number } = {}) {
  using folder = new TempFolder();
  const selection = { paths: of.paths ?? [""], exclude: of.exclude ?? [] };
  const options = {
    file: join(folder.path, "spool"),
    maxMemoryBytes: of.memory ?? 2 ** 20,
    maxBytes: 2 ** 24,
    maxFiles: 1_000,
    signal: noSignal,
  };
  const { checksum, store } = await makeTreeArchive(treeOf(files), selection, options);
  const bytes = Buffer.concat(await Array.fromAsync(store.read()));
  assert.equal(createHash("sha256").update(bytes).digest("hex"), checksum);
  assert.equal(bytes.length, store.bytes);
  await store.close();
  return { bytes, inMemory: store.memoryBytes > 0, names: namesIn(bytes) };
}

function namesIn(archived: Buffer): string[] {
  const listed = execFileSync("tar", ["-tzvf", "-", "--quoting-style=literal"], {
    input: archived,
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8", TZ: "UTC" },
  });
  return listed
    .trim()
    .split("\n")
    .map((line) => line.replace(/^(\S{10}) .* 00:00 /, "$1 "));
}

const files: Files = {
  "a.txt": "a",
  "dir/run.sh": { executable: "#!/bin/sh" },
  "dir/link": { link: "../a.txt" },
  "dir/sub/x.log": "x",
  "other/x.log": "x",
};

test("files, modes and links; tar reads them", async () => {
  assert.deepEqual((await archive(files)).names, [
    "-rw-r--r-- a.txt",
    "lrwxrwxrwx dir/link -> ../a.txt",
    "-rwxr-xr-x dir/run.sh",
    "-rw-r--r-- dir/sub/x.log",
    "-rw-r--r-- other/x.log",
  ]);
});

test("names and targets of any length and letters", async () => {
  const long = `${"directory/".repeat(20)}ü.txt`;
  const { names } = await archive({ [long]: "x", link: { link: long } });
  assert.deepEqual(names.sort(), [`-rw-r--r-- ${long}`, `lrwxrwxrwx link -> ${long}`]);
});

test("equal trees, equal bytes", async () => {
  const [one, two] = await Promise.all([archive(files), archive(files)]);
  assert.ok(one.bytes.equals(two.bytes));
});

test("a directory that an exclusion matches is left out whole; stars stay within one directory", async () => {
  const { names } = await archive(files, { exclude: ["dir", "*.log"] });
  assert.deepEqual(names, ["-rw-r--r-- a.txt", "-rw-r--r-- other/x.log"]);
});

test("named paths are an exact list", async () => {
  const { names } = await archive(files, { paths: ["other", "a.txt", "a.txt", "absent"] });
  assert.deepEqual(names, ["-rw-r--r-- other/x.log", "-rw-r--r-- a.txt"]);
});

test("what does not fit into memory goes to a file that has no name any more", async () => {
  const random = Array.from({ length: 200 }, (_, index) =>
    createHash("sha512").update(String(index)).digest("base64"),
  );
  const { inMemory, names } = await archive({ "big.txt": random.join("\n") }, { memory: 1_000 });
  assert.equal(inMemory, false);
  assert.deepEqual(names, ["-rw-r--r-- big.txt"]);
});

test("links out of the repository, too many bytes and no files at all are refused", async () => {
  await assert.rejects(
    archive({ bad: { link: "/etc/passwd" } }),
    failsWith({ code: "SYMLINK_OUTSIDE", file: "bad" }),
  );
  await assert.rejects(
    archive({ big: "x".repeat(2 ** 24 + 1) }),
    failsWith({ code: "TREE_TOO_LARGE", path: "big" }),
  );
  await assert.rejects(archive(files, { exclude: ["*", "*/*"] }), /no files to send/);
});
