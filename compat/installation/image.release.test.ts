import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  createGitRepository,
  lacking,
  lackingOciRegistry,
  lackingRealCluster,
  startOciRegistry,
} from "@capstan/testkit";
import { doWork, workFiles } from "./do-work.ts";
import { parts, saidBy, startParts } from "./start-parts.ts";
import { chart, deployFolder, openInstallWorld } from "./tools.ts";

const run = promisify(execFile);
const buildLimitMs = 600_000;
const skip =
  lackingOciRegistry() ||
  lackingRealCluster() ||
  lacking("helm3", "kubectl") ||
  (!existsSync("/usr/bin/apt-get") && "the image's programs are Debian's: no apt-get");

async function build(folder: string, ...words: string[]): Promise<string> {
  const program = join(import.meta.dirname, "..", "..", "tools", "image.ts");
  const { stdout } = await run(process.execPath, [program, "--to", folder, ...words], {
    timeout: buildLimitMs,
  });
  return /capstan:\S+@(sha256:\w+)/.exec(stdout)?.[1] ?? stdout;
}

/** What a container's file system would be, out of what the registry gives. */
async function unpack(image: string, root: string): Promise<void> {
  const fetched = async (path: string): Promise<Buffer> => {
    const accept = "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json";
    const answer = await fetch(`${image}/${path}`, { headers: { accept } });
    assert.equal(answer.status, 200, path);
    return Buffer.from(await answer.arrayBuffer());
  };
  const { manifests } = JSON.parse((await fetched("manifests/0.1.0")).toString());
  const { layers } = JSON.parse((await fetched(`manifests/${manifests[0].digest}`)).toString());
  for (const { digest } of layers) {
    const file = `${root}.layer`;
    await writeFile(file, await fetched(`blobs/${digest}`));
    await run("tar", ["-xzf", file, "-C", root]);
    await rm(file);
  }
}

test("the image is the same twice; pushed to a registry and unpacked, all its programs start and do the whole work", {
  skip,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-image-test-"));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const registry = opened.use(await startOciRegistry());
  const digest = await build(join(folder, "one"), "--push", `${registry.host}/capstan`);
  const root = join(folder, "root");
  await mkdir(root);
  await unpack(`${registry.url}/v2/capstan`, root);
  const bill = JSON.parse(await readFile(join(root, "opt/capstan/sbom.cdx.json"), "utf8"));
  const named = new Set(bill.components.map(({ name }: { name: string }) => name));
  for (const name of ["node", "git", "bubblewrap", "fastify"]) assert.ok(named.has(name), name);
  const world = opened.use(await openInstallWorld({ nodes: false }));
  const repository = opened.use(await createGitRepository(workFiles));
  const namespace = "capstan-system";
  await world.kubectl("apply", "--server-side", "-k", join(deployFolder, "crds"));
  await world.helm("install", "capstan", chart, "-n", namespace, "--create-namespace");
  const started = opened.use(await startParts({ world, namespace, allowFolder: repository.dir, root }));
  try {
    await doWork({ world, parts: started, repository, namespace });
  } catch (error) {
    const said = parts.map((part) => `${part}:\n${saidBy(started, part).slice(-6_000)}`);
    throw new Error(`${String(error)}\n${said.join("\n")}`);
  }
  assert.equal(await build(join(folder, "two")), digest);
});
