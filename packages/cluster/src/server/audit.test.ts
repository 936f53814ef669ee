import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { startCluster } from "../start-cluster.ts";
import type { AuditEvent } from "./audit.ts";

test("each request is told of: who asked, as whom, for what, how it ended", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-audit-"));
  const events: AuditEvent[] = [];
  const audit = { write: (event: AuditEvent) => events.push(event), annotations: { "x-for": "for" } };
  const cluster = await startCluster({ dataDir, audit });
  t.after(async () => {
    await cluster.close();
    rmSync(dataDir, { recursive: true });
  });
  const signal = AbortSignal.timeout(100_000);
  const maps = "/api/v1/namespaces/default/configmaps";
  await cluster.handle({
    method: "POST",
    url: maps,
    headers: { "content-type": "application/json", "x-for": "team/app" },
    body: JSON.stringify({ metadata: { name: "one" } }),
    signal,
  });
  const asRobot = { "impersonate-user": "robot" };
  await cluster.handle({ method: "GET", url: `${maps}/none`, headers: asRobot, signal });
  const seen = events.map(({ verb, objectRef, user, impersonatedUser, responseStatus, annotations }) => [
    ...[verb, objectRef?.resource, objectRef?.namespace, objectRef?.name],
    ...[user.username, impersonatedUser?.username, responseStatus.code, annotations?.for],
  ]);
  assert.deepEqual(seen, [
    ["create", "configmaps", "default", "one", "kubernetes-admin", undefined, 201, "team/app"],
    ["get", "configmaps", "default", "none", "kubernetes-admin", "robot", 403, undefined],
  ]);
});
