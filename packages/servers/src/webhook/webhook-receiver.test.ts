import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import type { Application, ApplicationSet } from "@capstan/model";
import { createWebhookReceiver } from "./webhook-receiver.ts";

const clock: Clock = { now: () => Date.parse("2026-01-02T03:04:05.678Z"), sleep: async () => undefined };

function app(name: string, repoURL: string): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd" },
    spec: { project: "default", source: { repoURL, path: name }, destination: {} },
  };
}

function receiver(annotate: (name: string) => Promise<void>, sets: readonly ApplicationSet[] = []) {
  const asked: [string, Readonly<Record<string, string>>][] = [];
  const forgotten: string[] = [];
  const warnings: object[] = [];
  const apps = [
    app("a", "file:///srv/git/apps"),
    app("b", "file:///srv/git/apps.git"),
    app("c", "https://git.example/x"),
  ];
  const made = createWebhookReceiver({
    applications: () => apps,
    applicationSets: () => sets,
    rules: () => ({ secrets: {}, maxBytes: 50_000_000 }),
    forgetRevisions: (url) => forgotten.push(url),
    count: () => undefined,
    async annotate({ metadata }, annotations) {
      await annotate(metadata.name);
      asked.push([metadata.name, annotations]);
    },
    clock,
    log: { info: () => undefined, warn: (facts) => warnings.push(facts) },
    signal: new AbortController().signal,
  });
  const receive = (request: typeof push) => {
    const admission = made.admit(request.headers);
    assert.equal(admission.kind, "admitted");
    return made.receive(admission, request);
  };
  return { ...made, receive, asked, forgotten, warnings };
}

const push = {
  headers: { "x-github-event": "push" },
  body: Buffer.from(
    JSON.stringify({
      ref: "refs/heads/main",
      repository: { clone_url: "file:///srv/git/apps", default_branch: "main" },
    }),
  ),
};

test("a push annotates the applications of its repository and forgets its revisions under every address", async () => {
  const { receive, idle, asked, forgotten } = receiver(async () => undefined);
  assert.deepEqual(receive(push), { status: 200, message: "" });
  await idle();
  const annotations = {
    "argocd.argoproj.io/refresh": "normal",
    "argocd.argoproj.io/refresh-timestamp": "2026-01-02T03:04:05.678Z",
  };
  assert.deepEqual(asked, [
    ["a", annotations],
    ["b", annotations],
  ]);
  assert.deepEqual(forgotten, ["file:///srv/git/apps", "file:///srv/git/apps.git"]);
});

test("a push asks for the generators anew of sets that read what was pushed, nested ones too, and of plugins", async () => {
  const set = (
    name: string,
    git: { repoURL: string; revision?: string } | undefined,
    isNested = false,
  ): ApplicationSet => {
    const generator = git
      ? { git: { ...git, directories: [{ path: "*" }] } }
      : { plugin: { configMapRef: { name: "x" } } };
    const spec = { project: "default", destination: {} };
    return {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      metadata: { name, namespace: "argocd" },
      spec: {
        generators: [
          isNested ? { matrix: { generators: [{ list: { elements: [] } }, generator] } } : generator,
        ],
        template: { metadata: { name: "x" }, spec },
      },
    };
  };
  const here = "file:///srv/git/apps.git";
  const sets = [
    set("plain", { repoURL: here }),
    set("nested", { repoURL: here, revision: "main" }, true),
    set("template", { repoURL: "{{url}}" }, true),
    set("branch", { repoURL: here, revision: "other" }),
    set("elsewhere", { repoURL: "https://git.example/x" }),
    set("plugin", undefined, true),
  ];
  const { receive, idle, asked } = receiver(async () => undefined, sets);
  receive(push);
  await idle();
  const refreshed = asked.filter(([, all]) => all["argocd.argoproj.io/application-set-refresh"] === "true");
  assert.deepEqual(
    refreshed.map(([name]) => name),
    ["plain", "nested", "template", "plugin"],
  );
});

test("an application that cannot be annotated does not keep the others from it", async () => {
  const { receive, idle, asked, warnings } = receiver(async (name) => {
    if (name === "a") throw new Error("gone");
  });
  receive(push);
  await idle();
  assert.deepEqual(
    asked.map(([name]) => name),
    ["b"],
  );
  assert.equal(warnings.length, 1);
});

test("the same push sent again while it waits is worked off once, and too many different ones are refused", async () => {
  const gate = Promise.withResolvers<void>();
  const { receive, idle, asked } = receiver(() => gate.promise);
  const first = receive(push).status;
  await new Promise(setImmediate);
  const statuses = Array.from({ length: 50 }, () => receive(push).status);
  assert.deepEqual(new Set([first, ...statuses]), new Set([200]));
  const others = Array.from({ length: 1100 }, (_, index) => {
    const body = JSON.stringify({
      ref: `refs/heads/b${index}`,
      repository: { clone_url: "file:///srv/git/apps" },
    });
    return receive({ ...push, body: Buffer.from(body) }).status;
  });
  assert.equal(others.filter((status) => status === 503).length > 0, true);
  gate.resolve();
  await idle();
  assert.equal(asked.length, 4);
});
