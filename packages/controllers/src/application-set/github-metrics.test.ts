import assert from "node:assert/strict";
import { test } from "node:test";
import { HostCalls, hostFor } from "@capstan/git-hosts";
import { realClock, startHostServer } from "@capstan/testkit";
import { Registry } from "prom-client";
import { createGithubMetrics } from "./github-metrics.ts";

const look = () => ({
  signal: AbortSignal.timeout(20_000),
  notBeforeMs: Date.now(),
  asker: { namespace: "argocd", name: "pulls" },
});

test("requests to GitHub are counted for the set that asked, with what is left of its limit", async () => {
  const limits = {
    "x-ratelimit-limit": "5000",
    "x-ratelimit-remaining": "4990",
    "x-ratelimit-used": "10",
    "x-ratelimit-reset": String(Math.floor(realClock.now() / 1000) + 600),
    "x-ratelimit-resource": "core",
  };
  await using server = await startHostServer(({ path }) =>
    path.startsWith("/api/v3/repos/acme/web/pulls") ? { body: [], headers: limits } : undefined,
  );
  const registry = new Registry();
  const calls = new HostCalls(realClock);
  let isOn = false;
  calls.onCall(createGithubMetrics(registry, { isOn: () => isOn, now: () => realClock.now() }));
  const ask = async (kind: "github" | "gitea", name: string) => {
    const host = hostFor(kind, { calls, api: server.url, guarded: false, credential: undefined });
    await host.listPullRequests({ owner: "acme", name }, {}, look());
  };
  await ask("github", "web");
  assert.doesNotMatch(await registry.metrics(), /endpoint=/, "it is off unless the settings say so");
  isOn = true;
  await ask("github", "web");
  await ask("github", "gone");
  await ask("gitea", "web").catch(() => undefined);
  const text = await registry.metrics();
  const set = 'appset_namespace="argocd",appset_name="pulls"';
  const web = "/api/v3/repos/acme/web/pulls";
  const lines = [
    `argocd_github_api_requests_total{method="GET",endpoint="${web}",status="200",${set}} 1`,
    `argocd_github_api_requests_total{method="GET",endpoint="/api/v3/repos/acme/gone/pulls",status="404",${set}} 1`,
    `argocd_github_api_request_duration_seconds_count{method="GET",endpoint="${web}",${set}} 1`,
    `argocd_github_api_rate_limit_limit{endpoint="${web}",${set},resource="core"} 5000`,
    `argocd_github_api_rate_limit_remaining{endpoint="${web}",${set},resource="core"} 4990`,
    `argocd_github_api_rate_limit_used{endpoint="${web}",${set},resource="core"} 10`,
  ];
  for (const line of lines) assert.ok(text.includes(line), `${line} is not in ${text}`);
  const left = /rate_limit_reset_seconds{.*} (\d+)/.exec(text)?.[1] ?? "";
  assert.ok(Number(left) > 0 && Number(left) <= 600, left);
  assert.doesNotMatch(text, /api\/v1/);
});

test("sets that name repositories without end make no metrics without end", async () => {
  const registry = new Registry();
  const told = createGithubMetrics(registry, { isOn: () => true, now: () => 0 });
  const call = {
    site: { name: "GitHub", base: "" },
    asker: undefined,
    method: "GET",
    status: 200,
    headers: {},
    ms: 1,
  };
  for (let repo = 0; repo < 3_000; repo += 1)
    told({ ...call, url: `https://api.github.com/repos/a/${repo}` });
  const text = await registry.metrics();
  assert.equal([...text.matchAll(/^argocd_github_api_requests_total/gm)].length, 1_001);
  assert.match(text, /endpoint="other",status="200",appset_namespace="unknown",appset_name="unknown"} 2000/);
});
