import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { realClock, sketchImage, startSmallRegistry } from "@capstan/testkit";
import { OciSources } from "./oci-sources.ts";
import { UnreachableHosts } from "./unreachable-hosts.ts";

test("what a registry is asked about artifacts is counted, with what failed", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-oci-"));
  await using registry = await startSmallRegistry();
  await registry.push("team/app", "v1", sketchImage());
  const told: string[] = [];
  const sources = new OciSources({
    dataDir,
    clock: realClock,
    revisionCacheMs: 60_000,
    requestTimeoutMs: 20_000,
    fetchTimeoutMs: 20_000,
    maxTreeBytes: 2 ** 20,
    maxFiles: 100,
    hosts: new UnreachableHosts(realClock),
    metrics: { oci: ({ repo, request, ok }) => told.push(`${request} ${repo} ${ok}`) },
  });
  const signal = AbortSignal.timeout(60_000);
  const repository = { type: "oci" as const, url: `oci://${registry.host}/team/app` };
  const source = { repoURL: repository.url, targetRevision: "v1", path: "." };
  const { revision } = await sources.resolve({ repository, source }, signal);
  await sources.resolve({ repository, source }, signal);
  assert.deepEqual(await sources.tags(repository, signal), ["v1"]);
  await sources.metadata({ repository, source, revision }, signal);
  // Its layer is no archive.
  await assert.rejects(sources.tree({ repository, source, revision }, signal));
  await assert.rejects(sources.resolve({ repository, source, revision: "v2" }, signal));
  const repo = `oci://${registry.host}/team/app`;
  assert.deepEqual(
    told,
    [
      "resolve-revision true",
      "get-tags true",
      "digest-metadata true",
      "extract false",
      "resolve-revision false",
    ].map((one) => one.replace(" ", ` ${repo} `)),
  );
  await rm(dataDir, { recursive: true });
});
