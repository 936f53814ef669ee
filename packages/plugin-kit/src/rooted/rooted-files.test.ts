import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isCapstanError } from "@capstan/model";
import { fileName } from "./file-name.ts";
import { goBelow } from "./open-way.ts";
import {
  listBelow,
  makeBelow,
  readBelow,
  readItselfBelow,
  removeBelow,
  statBelow,
  writeBelow,
} from "./rooted-files.ts";

const top = mkdtempSync(join(realpathSync(tmpdir()), "capstan-rooted-"));
const root = join(top, "root");
const secret = join(top, "secret");
mkdirSync(join(root, "deep/er"), { recursive: true });
mkdirSync(secret);
writeFileSync(join(secret, "word"), "secret");
writeFileSync(join(root, "deep/f"), "text");
const links: Readonly<Record<string, string>> = {
  up: ".",
  d: "deep/er",
  inside: "d/../f",
  out: "up/up/up/../secret/word",
  "deep/absolute": join(secret, "word"),
  folder: "deep/../../secret",
  round: "round",
  new: "deep/made/here",
};
for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
after(() => rmSync(top, { recursive: true }));

const isOutside = (error: unknown) =>
  isCapstanError(error, "SYMLINK_OUTSIDE") || isCapstanError(error, "PATH_OUTSIDE");

test("nothing outside is read, written, listed or removed, by no kind of link or path", () => {
  for (const path of [
    "out",
    "deep/absolute",
    "folder/word",
    "up/folder/word",
    "../secret/word",
    "up/../../secret/word",
  ]) {
    assert.throws(() => readBelow(root, path), isOutside, path);
    assert.throws(() => writeBelow(root, path, "changed"), isOutside, path);
    assert.throws(() => statBelow(root, path), isOutside, path);
  }
  for (const path of ["folder", "up/folder"]) {
    assert.throws(() => listBelow(root, path), isOutside, path);
    assert.throws(() => makeBelow(root, `${path}/made`), isOutside, path);
    assert.throws(() => removeBelow(root, `${path}/word`), isOutside, path);
  }
  assert.throws(() => readBelow(root, "/etc/passwd"), isOutside);
  assert.equal(readFileSync(join(secret, "word"), "utf8"), "secret");
  assert.deepEqual(readdirSync(secret), ["word"]);
});

test("links within the root are gone, `..` from where they lead", () => {
  assert.equal(readBelow(root, "inside")?.toString(), "text");
  assert.equal(statBelow(root, "inside")?.real, join(root, "deep/f"));
  writeBelow(root, "new", "made");
  assert.equal(readFileSync(join(root, "deep/made/here"), "utf8"), "made");
  assert.ok(lstatSync(join(root, "new")).isSymbolicLink(), "the link stays");
  assert.deepEqual(readItselfBelow(root, "d"), { kind: "symlink", data: Buffer.from("deep/er") });
  assert.equal(readBelow(root, "gone/file"), undefined);
  assert.throws(() => readBelow(root, "round"), /circles/);
});

test("what is written is a new file: a hard link elsewhere keeps its content", () => {
  linkSync(join(secret, "word"), join(root, "hard"));
  writeBelow(root, "hard", "changed");
  assert.equal(readFileSync(join(secret, "word"), "utf8"), "secret");
  assert.equal(readFileSync(join(root, "hard"), "utf8"), "changed");
});

test("a directory that is swapped for a link while it is used is not followed", () => {
  mkdirSync(join(root, "swapped"));
  writeFileSync(join(root, "swapped/word"), "own");
  const read = goBelow(root, "swapped/word", {
    use: ({ at }) => {
      renameSync(join(root, "swapped"), join(root, "aside"));
      symlinkSync(secret, join(root, "swapped"));
      return readFileSync(at, "utf8");
    },
  });
  assert.equal(read, "own");
});

test("pipes are refused, not waited for; large files before they are read", () => {
  execFileSync("mkfifo", [join(root, "pipe")]);
  assert.throws(() => readBelow(root, "pipe"), /it is no file/);
  assert.throws(
    () => readBelow(root, "deep/f", { maxBytes: 3 }),
    (error) => isCapstanError(error, "FILE_TOO_LARGE"),
  );
});

test("removing a link leaves what it leads to", () => {
  symlinkSync(secret, join(root, "to-remove"));
  removeBelow(root, "to-remove");
  removeBelow(root, "not/there");
  assert.ok(!existsSync(join(root, "to-remove")) && existsSync(join(secret, "word")));
});

test("a name is one part of a path", () => {
  assert.equal(fileName("nginx-1.2.3+a.tgz", "name"), "nginx-1.2.3+a.tgz");
  for (const name of ["", ".", "..", "a/b", "../x", "a\\b", "a\0b", "a\nb", "-rf", "x".repeat(256)])
    assert.throws(() => fileName(name, "dependencies[].name"), /dependencies\[\]\.name/, name);
});
