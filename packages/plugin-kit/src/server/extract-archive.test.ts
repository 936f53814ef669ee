import assert from "node:assert/strict";
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createGzip } from "node:zlib";
import { type Headers, pack } from "tar-stream";
import { type ExtractOptions, extractArchive } from "./extract-archive.ts";

type Entry = Omit<Headers, "size"> & { content?: string };

async function withExtracted(
  entries: readonly Entry[],
  check: (directory: string) => Promise<void>,
  options: Partial<ExtractOptions> = {},
): Promise<void> {
  const top = await realpath(await mkdtemp(join(tmpdir(), "capstan-extract-")));
  const directory = join(top, "in");
  await mkdir(directory);
  const tar = pack();
  for (const { content, ...header } of entries) tar.entry(header, content ?? "");
  tar.finalize();
  const signal = AbortSignal.timeout(100_000);
  const limits = { maxTreeBytes: 1_000_000, maxTreeFiles: 100, preserveFileMode: false };
  try {
    await extractArchive(tar.pipe(createGzip()), { ...limits, directory, signal, ...options });
    await check(directory);
  } finally {
    assert.deepEqual(await readdir(top), ["in"], "nothing beside it");
    await rm(top, { recursive: true });
  }
}

const file = (name: string, content = "x"): Entry => ({ name, content });
const link = (name: string, linkname: string): Entry => ({ name, linkname, type: "symlink" });
const nothing = async () => undefined;

test("files, directories and links, parents made as needed", async () => {
  await withExtracted(
    [
      { name: ".", type: "directory" },
      file("./a/b/c", "text"),
      link("a/l", "b/c"),
      { name: "d/", type: "directory" },
    ],
    async (directory) => {
      assert.equal(await readFile(join(directory, "a/l"), "utf8"), "text");
      assert.equal((await lstat(join(directory, "a/b/c"))).mode & 0o777, 0o644);
      assert.ok((await lstat(join(directory, "d"))).isDirectory());
    },
  );
});

test("modes are kept where asked for, without the special bits", async () => {
  await withExtracted(
    [{ name: "run", mode: 0o4755, content: "" }],
    async (directory) => assert.equal((await lstat(join(directory, "run"))).mode & 0o7777, 0o755),
    { preserveFileMode: true },
  );
});

test("devices, pipes and hard links are passed over", async () => {
  const entries: Entry[] = [
    file("a"),
    { name: "hard", type: "link", linkname: "a" },
    { name: "pipe", type: "fifo" },
    { name: "device", type: "character-device" },
  ];
  await withExtracted(entries, async (directory) => assert.deepEqual(await readdir(directory), ["a"]));
});

for (const [fact, entries, message] of [
  ["by its name", [file("../out")], /illegal filepath in archive/],
  ["by a name in the middle", [file("a/../../out")], /illegal filepath in archive/],
  ["by a link", [link("out", "../..")], /illegal filepath in symlink/],
  ["by a link and then through it", [link("s", "."), file("s/x")], /illegal filepath in archive/],
  [
    "by a link made through a link",
    [file("a/f"), link("p/q/s", "../../a"), link("p/q/s/l", "../../../x")],
    /illegal/,
  ],
] satisfies [string, Entry[], RegExp][])
  test(`nothing leaves the directory ${fact}`, () =>
    assert.rejects(withExtracted(entries, nothing), message));

test("an absolute name stays below the directory, an absolute link counts from where it stands", async () => {
  await withExtracted([file("/etc/x"), link("a/l", "/b")], async (directory) => {
    assert.equal(await readFile(join(directory, "etc/x"), "utf8"), "x");
    assert.equal(await readlink(join(directory, "a/l")), "b");
  });
});

test("an existing target is resolved, a missing one kept", async () => {
  await withExtracted(
    [file("t"), link("one", "t"), link("two", "one"), link("later", "one2")],
    async (directory) => {
      assert.equal(await readlink(join(directory, "two")), "t");
      assert.equal(await readlink(join(directory, "later")), "one2");
    },
  );
});

test("too much is refused", async () => {
  const large = { maxTreeBytes: 10 };
  await assert.rejects(withExtracted([file("a", "x".repeat(11))], nothing, large), {
    code: "TREE_TOO_LARGE",
  });
  const many = [file("a"), file("b"), file("c")];
  await assert.rejects(withExtracted(many, nothing, { maxTreeFiles: 2 }), /more than 2 files/);
});
