/** The image layout that `capstan plugin build` writes, through the real registry to where a runtime would unpack it. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { addImage, addLayer, finishLayout } from "@capstan/registries";
import {
  lacking,
  lackingOciRegistry,
  realClock,
  realProgramPath,
  startOciRegistry,
  startProcess,
  untilServing,
} from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import { pushLayout } from "../../../../../tools/image/push-layout.ts";
import { runPlugin } from "./test-run-plugin.ts";

const run = promisify(execFile);
const home = "home/argocd/cmp-server";

interface Manifest {
  config: { digest: string };
  layers: { digest: string; mediaType: string }[];
  manifests?: { digest: string; platform?: { architecture: string } }[];
}

describe("the image of a built plugin", () => {
  let top: string;
  before(async () => {
    top = await mkdtemp(join(tmpdir(), "capstan-plugin-image-"));
  });
  after(() => rm(top, { recursive: true, force: true }));

  const capstan = (...argv: string[]) =>
    runPlugin(argv, { home: top, clock: realClock, plugins: builtInPlugins });

  /** Stands for an image with Node: what of it counts is what becomes of its layers and its settings. */
  async function makeBase(name: string): Promise<string> {
    const [root, layout] = [join(top, `${name}-root`), join(top, name)];
    await mkdir(join(root, "etc"), { recursive: true });
    await writeFile(join(root, "etc/base"), "of the base");
    const layers = [await addLayer(layout, root)];
    const config = { Env: ["PATH=/opt/node/bin:/bin", "LANG=C"], Cmd: ["node"], WorkingDir: "/srv" };
    await finishLayout(layout, [await addImage(layout, { architecture: "arm64", layers, config })], "24");
    return layout;
  }

  async function pull(url: string, architecture: string) {
    const ask = async (path: string) => {
      const answer = await fetch(`${url}/v2/plugin/${path}`, {
        headers: {
          accept: "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json",
        },
      });
      assert.equal(answer.status, 200, path);
      return answer;
    };
    const index: Manifest = JSON.parse(await (await ask("manifests/1")).text());
    const found = index.manifests?.find(({ platform }) => platform?.architecture === architecture);
    const manifest: Manifest = JSON.parse(await (await ask(`manifests/${found?.digest}`)).text());
    const image: { config: object; rootfs: { diff_ids: string[] } } = JSON.parse(
      await (await ask(`blobs/${manifest.config.digest}`)).text(),
    );
    const root = await mkdtemp(join(top, "root-"));
    for (const { digest } of manifest.layers) {
      const file = join(top, "layer.tgz");
      await writeFile(file, Buffer.from(await (await ask(`blobs/${digest}`)).arrayBuffer()));
      await run("tar", ["-xzf", file, "-C", root, "--no-same-owner"]);
    }
    return { index, image, root };
  }

  async function push(layout: string, host: string): Promise<void> {
    if (lacking("crane")) await pushLayout(layout, `${host}/plugin`, "1");
    else await run(realProgramPath("crane"), ["push", "--insecure", layout, `${host}/plugin:1`]);
  }

  async function servesFrom(root: string, name: string): Promise<void> {
    const sockets = await mkdtemp(join(top, "s-"));
    const args = [join(root, home, "plugin/plugin.js"), "--socket-dir", sockets];
    await using server = startProcess(process.execPath, args, { cwd: top });
    await untilServing(name, server, () => existsSync(join(sockets, `${name}.sock`)) || undefined);
    const source = join(top, name, "testdata/hello/source");
    const { out, err } = await capstan(
      "render",
      "--plugin",
      name,
      "--socket-dir",
      sockets,
      "--source",
      source,
    );
    assert.match(out, /text: Hello ada/, err + server.output());
  }

  test("stands on its base, and what a registry gives back serves the plugin", {
    skip: lackingOciRegistry(),
  }, async () => {
    await using registry = await startOciRegistry();
    await capstan("init", join(top, "greet"), "--kind", "command");
    const base = await makeBase("base");
    const built = await capstan("build", join(top, "greet"), "-o", join(top, "built"), "--base", base);
    assert.equal(built.code, 0, built.err);
    assert.equal(await readFile(join(top, "built/.dockerignore"), "utf8"), "image-layout\n");
    await push(join(top, "built/image-layout"), registry.host);
    const { image, root, index } = await pull(registry.url, "arm64");
    assert.equal(index.manifests?.length, 1);
    assert.deepEqual(image.config, {
      Env: ["LANG=C", `PATH=/${home}/plugin:/opt/node/bin:/bin`],
      WorkingDir: "/srv",
      User: "999",
      Entrypoint: ["node", `/${home}/plugin/plugin.js`],
    });
    assert.equal(image.rootfs.diff_ids.length, 2);
    assert.equal(await readFile(join(root, "etc/base"), "utf8"), "of the base");
    assert.ok(!existsSync(join(root, home, "plugin/image-layout")));
    assert.equal((await lstat(join(root, home, "plugins"))).mode & 0o1777, 0o1777);
    assert.ok((await lstat(join(root, home, "config/plugin.yaml"))).isSymbolicLink());
    await servesFrom(root, "greet");
  });

  test("without a base has the plugin's files alone, for machines of both kinds", {
    skip: lackingOciRegistry(),
  }, async () => {
    await using registry = await startOciRegistry();
    await capstan("init", join(top, "labels"));
    const output = join(top, "labels-built");
    assert.equal((await capstan("build", join(top, "labels"), "-o", output)).code, 0);
    await push(join(output, "image-layout"), registry.host);
    const { index, image, root } = await pull(registry.url, "amd64");
    assert.deepEqual(
      index.manifests?.map(({ platform }) => platform?.architecture),
      ["amd64", "arm64"],
    );
    assert.deepEqual(image.config, {});
    assert.deepEqual(await readdir(join(root, home)), ["plugin", "plugins"]);
    await servesFrom(root, "labels");
  });
});
