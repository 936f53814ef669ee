import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSet } from "@capstan/model";
import { matchPullRequests } from "./pull-requests.ts";
import { admitWebhook, readWebhook } from "./read-webhook.ts";

type Generator = ApplicationSet["spec"]["generators"][number];

function setOf(
  name: string,
  pullRequest: NonNullable<Generator["pullRequest"]>,
  isNested = false,
): ApplicationSet {
  const list = { list: { elements: [{ a: "b" }] } };
  const generator = isNested ? { matrix: { generators: [list, { pullRequest }] } } : { pullRequest };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name },
    spec: { generators: [generator], template: { metadata: {}, spec: { project: "p", destination: {} } } },
  };
}

const sets = [
  setOf("github", { github: { owner: "Acme", repo: "web" } }),
  setOf("enterprise", {
    github: { owner: "acme", repo: "web", api: "https://git.acme.example:8443/api/v3" },
  }),
  setOf("templated", { github: { owner: "acme", repo: "{{a}}" } }, true),
  setOf("other", { github: { owner: "acme", repo: "api" } }),
  setOf("gitlab", { gitlab: { project: "15" } }),
  setOf("gitlab-path", { gitlab: { project: "acme/web", api: "https://gl.example/" } }),
  setOf("gitea", { gitea: { owner: "acme", repo: "web", api: "https://gt.example/" } }),
  setOf("azure", { azuredevops: { organization: "acme", project: "shop", repo: "web" } }),
  setOf("cloud", { bitbucket: { owner: "acme", repo: "web" } }),
  setOf("server", { bitbucketServer: { project: "PRJ", repo: "web", api: "https://bb.example" } }),
];

function concerned(headers: Record<string, string>, payload: unknown): string[] | string {
  const admission = admitWebhook(headers, { secrets: {}, maxBytes: 1_000_000 });
  assert.ok(admission.kind === "admitted");
  const reading = readWebhook(admission, { headers, body: Buffer.from(JSON.stringify(payload)) });
  if (reading.kind !== "pullRequest") return reading.kind;
  return matchPullRequests(reading.event, sets).map(({ metadata }) => metadata.name);
}

const github = (action: string, url: string) =>
  concerned(
    { "x-github-event": "pull_request" },
    { action, repository: { name: "web", owner: { login: "acme" }, url } },
  );

test("GitHub's pull requests concern the sets of that repository at that host, whatever its case", () => {
  assert.deepEqual(github("opened", "https://api.github.com/repos/acme/web"), ["github", "templated"]);
  assert.deepEqual(github("labeled", "https://git.acme.example/api/v3/repos/acme/web"), ["enterprise"]);
  assert.equal(github("assigned", "https://api.github.com/repos/acme/web"), "ignored");
});

test("merge requests of GitLab are known by the project's number and by its path", () => {
  const merge = (action: string, web_url: string) =>
    concerned(
      { "x-gitlab-event": "Merge Request Hook" },
      {
        object_kind: "merge_request",
        project: { web_url, path_with_namespace: "acme/web" },
        object_attributes: { action, target_project_id: 15 },
      },
    );
  assert.deepEqual(merge("open", "https://gitlab.com/acme/web"), ["gitlab"]);
  assert.deepEqual(merge("merge", "https://gl.example/acme/web"), ["gitlab-path"]);
  assert.equal(merge("approved", "https://gitlab.com/acme/web"), "ignored");
});

test("Gitea, Azure DevOps and Bitbucket tell of theirs", () => {
  const repository = { name: "web", owner: { login: "acme" }, html_url: "https://gt.example/acme/web" };
  assert.deepEqual(concerned({ "x-gitea-event": "pull_request" }, { action: "opened", repository }), [
    "gitea",
  ]);
  const resource = { repository: { name: "web", project: { name: "shop" } } };
  const azure = { "x-vss-activityid": "1" };
  assert.deepEqual(concerned(azure, { eventType: "git.pullrequest.updated", resource }), ["azure"]);
  assert.equal(concerned(azure, { eventType: "git.pullrequest.commented", resource }), "ignored");
  const cloud = { "x-hook-uuid": "1", "x-event-key": "pullrequest:created" };
  assert.deepEqual(concerned(cloud, { repository: { full_name: "acme/web" } }), ["cloud"]);
  const toRef = { repository: { slug: "web", project: { key: "PRJ" } } };
  assert.deepEqual(concerned({ "x-event-key": "pr:opened" }, { pullRequest: { toRef } }), ["server"]);
});
