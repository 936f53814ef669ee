import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { copyBaseImages } from "./base-images.ts";
import { addImage, addLayer, finishLayout } from "./image-layout.ts";

async function makeLayout(t: TestContext) {
  const top = await mkdtemp(join(tmpdir(), "capstan-base-"));
  t.after(() => rm(top, { recursive: true, force: true }));
  const [root, from, to] = [join(top, "root"), join(top, "from"), join(top, "to")];
  await mkdir(join(root, "etc"), { recursive: true });
  await writeFile(join(root, "etc/base"), "of the base");
  const layers = [await addLayer(from, root)];
  const images = [];
  for (const architecture of ["amd64", "arm64"])
    images.push(await addImage(from, { architecture, layers, config: { Env: ["A=b"] } }));
  await finishLayout(from, images, "24");
  return { from, to, layers };
}

test("the images of a layout are found through its indexes, and their layers are copied", async (t) => {
  const { from, to, layers } = await makeLayout(t);
  const images = await copyBaseImages(from, to);
  assert.deepEqual(
    images,
    ["amd64", "arm64"].map((architecture) => ({
      architecture,
      layers,
      config: { Env: ["A=b"] },
      history: [],
    })),
  );
  assert.deepEqual(await readdir(join(to, "blobs/sha256")), [layers[0]?.digest.slice("sha256:".length)]);
});

test("the same files are the same layer whenever it is made", async (t) => {
  const [one, other] = [await makeLayout(t), await makeLayout(t)];
  assert.deepEqual(one.layers, other.layers);
});

test("what is no layout, leads out of it or is not what its digest says is refused", async (t) => {
  const { from, to, layers } = await makeLayout(t);
  const index = await readFile(join(from, "index.json"), "utf8");
  await assert.rejects(copyBaseImages(join(from, "absent"), to), /ENOENT/);
  for (const [text, expected] of [
    [index.replace(/sha256:[0-9a-f]{64}/, "sha256:../../../etc/passwd"), /is no digest/],
    ['{"manifests": []}', /holds no image for Linux/],
    ["[]", /is no JSON object/],
    [" ".repeat(2 ** 22 + 1), /has more than 4194304 bytes/],
  ] as const) {
    await writeFile(join(from, "index.json"), text);
    await assert.rejects(copyBaseImages(from, to), expected);
  }
  await writeFile(join(from, "index.json"), index);
  const blob = join(from, "blobs/sha256", layers[0]?.digest.slice("sha256:".length) ?? "");
  const bytes = await readFile(blob);
  await writeFile(blob, Buffer.concat([bytes, Buffer.from("more")]));
  await assert.rejects(copyBaseImages(from, to), /is larger than \d+ bytes/);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  await writeFile(blob, bytes);
  await assert.rejects(copyBaseImages(from, to), /is not sha256:/);
});
