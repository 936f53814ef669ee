/** The entries of docs/notification-services.md for commit statuses ask what the hosts' published APIs want. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { printNotification, RepoFacts, readNotifications } from "@capstan/planning";
import { realClock } from "@capstan/testkit";
import { load } from "js-yaml";
import { Recorder } from "./recorder.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/notification-services.md"), "utf8");
const block = /## Commit statuses[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
const revision = "0123456789012345678901234567890123456789";
const refuse = () => Promise.reject(new Error("not asked"));
const { signal } = new AbortController();

async function told(service: string, phase: string) {
  await using recorder = await Recorder.start();
  const map = load(block.replaceAll(/https:\/\/(?!cd)[\w.]+/g, recorder.address)) as Record<string, string>;
  const keys = ["gitlab", "gitea", "bitbucket", "bitbucket-server"].map((one) => [`${one}-token`, "s3cret"]);
  const setup = await readNotifications(
    { map, secrets: Object.fromEntries(keys) },
    { services: { clock: realClock }, tellsSecrets: true },
  );
  assert.deepEqual(setup.problems, []);
  const app = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "shop", namespace: "argocd" },
    spec: { source: { repoURL: "git@git.example.com:acme/shop.git" } },
    status: { operationState: { phase, syncResult: { revision } } },
  };
  const facts = new RepoFacts({ commit: refuse, details: refuse });
  const subject = { app, appProject: undefined, facts, nowMs: () => 0 };
  const to = { service, recipient: "" };
  const printed = await printNotification(setup, { templates: ["commit-status"], to }, { subject, signal });
  await setup.services.get(service)?.send(printed, "", { signal });
  const [request, ...others] = recorder.take();
  assert.ok(request);
  assert.deepEqual(others, []);
  return request;
}

const url = "https://cd.example.com/applications/shop";
const hosts = [
  {
    service: "gitlab",
    path: `/api/v4/projects/acme%2Fshop/statuses/${revision}`,
    header: ["private-token", "s3cret"],
    body: (state: string) => ({ name: "deploy/shop", state, target_url: url }),
    states: ["success", "running", "failed"],
  },
  {
    service: "gitea",
    path: `/api/v1/repos/acme/shop/statuses/${revision}`,
    header: ["authorization", "token s3cret"],
    body: (state: string) => ({ context: "deploy/shop", state, target_url: url }),
    states: ["success", "pending", "failure"],
  },
  {
    service: "bitbucket",
    path: `/2.0/repositories/acme/shop/commit/${revision}/statuses/build`,
    header: ["authorization", "Bearer s3cret"],
    body: (state: string) => ({ key: "deploy/shop", state, url }),
    states: ["SUCCESSFUL", "INPROGRESS", "FAILED"],
  },
  {
    service: "bitbucket-server",
    path: `/rest/build-status/1.0/commits/${revision}`,
    header: ["authorization", "Bearer s3cret"],
    body: (state: string) => ({ key: "deploy/shop", state, url }),
    states: ["SUCCESSFUL", "INPROGRESS", "FAILED"],
  },
] as const;

for (const { service, path, header, body, states } of hosts)
  test(`${service} is told how a sync of a commit ended`, async () => {
    for (const [index, phase] of ["Succeeded", "Running", "Failed"].entries()) {
      const request = await told(service, phase);
      assert.equal(request.method, "POST");
      assert.equal(request.path, path);
      assert.equal(request.headers[header[0]], header[1]);
      assert.equal(request.headers["content-type"], "application/json");
      assert.deepEqual(request.body, body(states[index] ?? ""));
    }
  });
