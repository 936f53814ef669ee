import assert from "node:assert/strict";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { checkFile, readPins, snapshots, sourcesAt } from "./debian-packages.ts";

test("every package of the image is pinned by version and digest, at a moment at which Debian had it", async () => {
  const { snapshot, packages } = await readPins();
  assert.match(snapshot, /^\d{8}T\d{6}Z$/);
  assert.deepEqual(Object.keys(packages), ["amd64", "arm64"]);
  for (const pins of Object.values(packages)) {
    assert.ok("git" in pins && "bubblewrap" in pins && "gpg" in pins && "openssh-client" in pins);
    for (const [name, { version, sha256 }] of Object.entries(pins)) {
      assert.match(version, /^\d/, name);
      assert.match(sha256, /^[0-9a-f]{64}$/, name);
    }
  }
});

test("a file that is another than the pinned one is refused", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "capstan-pins-"));
  const file = join(folder.path, "git_1%3a2.39.5_amd64.deb");
  await writeFile(file, "a package");
  const sha256 = "2a44ddd4c7f0d7a1ed7f1e0d3d9dcf3e5a1b9d8ad8a1d1a0b7e1e1c2c5d6e7f8";
  const pinned = (digest: string) => ({ git: { version: "1:2.39.5", sha256: digest } });
  await assert.rejects(checkFile(file, pinned(sha256)), /git_1%3a2\.39\.5_amd64\.deb is another file/);
  await assert.rejects(checkFile(file, {}), /is another file/);
  const found = /one: ([0-9a-f]{64}),/.exec(String(await checkFile(file, {}).catch((error) => error)))?.[1];
  await checkFile(file, pinned(found ?? ""));
});

test("a snapshot is Debian with its updates as it was then", () => {
  const at = "20261128T204001Z";
  assert.deepEqual(
    sourcesAt(snapshots, at)
      .trim()
      .split("\n")
      .map((line) => line.replace(/^deb \[[^\]]*\] /, "")),
    [
      `http://snapshot.debian.org/archive/debian/${at} bookworm main`,
      `http://snapshot.debian.org/archive/debian/${at} bookworm-updates main`,
      `http://snapshot.debian.org/archive/debian-security/${at} bookworm-security main`,
    ],
  );
});
