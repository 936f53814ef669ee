import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { Clock } from "@capstan/flow";
import type { Application, ApplicationSet } from "@capstan/model";
import type { WebhookSecrets } from "./push-event.ts";
import { createWebhookReceiver, type WebhookNeeds } from "./webhook-receiver.ts";

function newClock(): Clock {
  let now = Date.parse("2026-01-02T03:04:05.678Z");
  return {
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

function app(name: string, repoURL: string): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd" },
    spec: { project: "default", source: { repoURL, path: name }, destination: {} },
  };
}

interface Given {
  sets?: readonly ApplicationSet[];
  changedFiles?: WebhookNeeds["changedFiles"];
  secrets?: WebhookSecrets;
}

function receiver(
  annotate: (name: string) => Promise<void>,
  { sets = [], changedFiles = async () => undefined, secrets = {} }: Given = {},
) {
  const asked: [string, Readonly<Record<string, string>>][] = [];
  const forgotten: string[] = [];
  const fetched: [string, object][] = [];
  const images: string[] = [];
  const warnings: object[] = [];
  const apps = [
    app("a", "file:///srv/git/apps"),
    app("b", "file:///srv/git/apps.git"),
    app("c", "https://git.example/x"),
  ];
  const made = createWebhookReceiver({
    applications: () => apps,
    applicationSets: () => sets,
    rules: () => ({ secrets, maxBytes: 50_000_000 }),
    registrySecret: (key) =>
      ({
        "docker.secret": "d0cker",
        "harbor.secret": "harb0r",
        "acr.secret": "azur3",
        "aliyun-acr.secret": "al1",
        "artifact-registry.secret": "g00gle",
        "cloudevents.secret": "cl0ud",
      })[key],
    imageFollowers: (image) => {
      images.push(image);
      return apps.slice(0, 1);
    },
    forgetRevisions: (url) => forgotten.push(url),
    changedFiles,
    fetchRevision: async (one, wanted) => void fetched.push([one.metadata.name, wanted]),
    count: () => undefined,
    async annotate({ metadata }, annotations) {
      await annotate(metadata.name);
      asked.push([metadata.name, annotations]);
    },
    clock: newClock(),
    log: { info: () => undefined, warn: (facts) => warnings.push(facts) },
    signal: new AbortController().signal,
  });
  const receive = (request: typeof push) => {
    const admission = made.admit(request.headers, {});
    assert.equal(admission.kind, "admitted");
    return made.receive(admission, request);
  };
  return { ...made, apps, images, judge: made.receive, receive, asked, fetched, forgotten, warnings };
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

test("a local repository's push, whose files nobody tells, is looked at by one of those that follow the same", async () => {
  const { apps, notice, asked, idle } = receiver(async () => {
    // The controller has answered at once.
    for (const [at, one] of apps.entries())
      apps[at] = { ...one, metadata: { ...one.metadata, resourceVersion: "2" } };
  });
  apps.push(app("a2", "file:///srv/git/apps"), app("a3", "file:///srv/git/apps"));
  notice("file:///srv/git/apps", "refs/heads/main");
  await idle();
  assert.deepEqual(
    asked.map(([name]) => name),
    ["a", "b"],
  );
});

for (const [how, changedFiles, expected] of [
  ["are found", async () => ["a3/x.yaml"], ["a3", "b"]],
  ["cannot be found", () => Promise.reject(new Error("no such commit")), ["a", "b"]],
] as const)
  test(`of a local repository's push whose changed files ${how} ${expected[0]} looks first`, async () => {
    const { apps, notice, asked, idle } = receiver(
      async () => {
        for (const [at, one] of apps.entries())
          apps[at] = { ...one, metadata: { ...one.metadata, resourceVersion: "2" } };
      },
      { changedFiles },
    );
    apps.push(app("a2", "file:///srv/git/apps"), app("a3", "file:///srv/git/apps"));
    const seen = { sync: { status: "Synced", revision: "c".repeat(40) } } as const;
    for (const [at, one] of apps.entries()) apps[at] = { ...one, status: seen };
    notice("file:///srv/git/apps", "refs/heads/main");
    await idle();
    assert.deepEqual(
      asked.map(([name]) => name),
      expected,
    );
  });

const [secret, pushed] = ["s3cret", "d".repeat(40)];

function signed(payload: object) {
  const repository = { clone_url: "file:///srv/git/apps", default_branch: "main" };
  const body = Buffer.from(JSON.stringify({ ref: "refs/heads/main", after: pushed, repository, ...payload }));
  const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
  return { headers: { "x-github-event": "push", "x-hub-signature-256": signature }, body };
}

test("the commit of a push is fetched at once where its sender has proved who it is, and it is on a branch", async () => {
  for (const [what, secrets, payload, commit] of [
    ["a branch", { github: secret }, {}, pushed],
    ["nobody's secret", {}, {}, undefined],
    ["a branch that is gone", { github: secret }, { after: "0".repeat(40) }, undefined],
    ["a tag", { github: secret }, { ref: "refs/tags/v1" }, undefined],
    ["no id", { github: secret }, { after: "--upload-pack=x" }, undefined],
    [
      "another's repository",
      { github: secret },
      { repository: { clone_url: "https://git.example/y" } },
      undefined,
    ],
  ] as const) {
    const { receive, idle, fetched } = receiver(async () => undefined, { secrets });
    receive(signed(payload));
    await idle();
    const source = { repoURL: "file:///srv/git/apps", path: "a" };
    assert.deepEqual(fetched, commit === undefined ? [] : [["a", { source, revision: commit }]], what);
  }
});

test("of a proven push that tells no files those are looked for in its commit", async () => {
  const wanted: object[] = [];
  const changedFiles: WebhookNeeds["changedFiles"] = async (_app, commit) => {
    wanted.push(commit);
    return ["a3/x.yaml"];
  };
  const { apps, receive, idle, asked } = receiver(
    async () => {
      for (const [at, one] of apps.entries())
        apps[at] = { ...one, metadata: { ...one.metadata, resourceVersion: "2" } };
    },
    { secrets: { github: secret }, changedFiles },
  );
  apps.push(app("a2", "file:///srv/git/apps"), app("a3", "file:///srv/git/apps"));
  const seen = { sync: { status: "Synced", revision: "c".repeat(40) } } as const;
  for (const [at, one] of apps.entries()) apps[at] = { ...one, status: seen };
  receive(signed({ forced: true }));
  await idle();
  assert.deepEqual(wanted, [{ revision: pushed }]);
  assert.deepEqual(
    asked.slice(0, 2).map(([name]) => name),
    ["a3", "b"],
  );
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
  const { receive, idle, asked } = receiver(async () => undefined, { sets });
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

/** Tells what a registry sends: the status of the answer, and of a refusal its message. */
const teller =
  ({ admit, judge }: Pick<ReturnType<typeof receiver>, "admit" | "judge">) =>
  (query: Record<string, string>, headers: Record<string, string>, payload: unknown) => {
    const admission = admit(headers, query);
    if (admission.kind === "refused") return `${admission.status} ${admission.message}`;
    return judge(admission, { headers, body: Buffer.from(JSON.stringify(payload)) }).status;
  };

test("registries of clouds tell what was pushed, each in its own words", async () => {
  const made = receiver(async () => undefined);
  const tell = teller(made);
  const azure = (action: string) => ({
    action,
    target: { repository: "shop/web", tag: "1", digest: "sha256:1" },
    request: { host: "shop.azurecr.io" },
  });
  const alibaba = {
    push_data: { tag: "1" },
    repository: { name: "web", namespace: "shop", region: "cn-hangzhou", repo_full_name: "shop/web" },
  };
  const google = { action: "INSERT", digest: "europe-docker.pkg.dev/shop/images/web@sha256:1" };
  const envelope = (told: object) => ({
    message: { data: Buffer.from(JSON.stringify(told)).toString("base64"), messageId: "1" },
  });
  const amazon = {
    specversion: "1.0",
    type: "com.amazon.ecr.push",
    source: "urn:aws:ecr:eu-west-1:123456789012:repository/shop/web",
    subject: "shop/web:1",
    data: { repositoryName: "shop/web", imageTag: "1", registryId: "210987654321" },
  };
  const other = {
    specversion: "1.0",
    type: "io.example.image.pushed",
    source: "https://registry.example/v2",
    subject: "shop/web:1",
  };
  const own = { type: "aliyun-acr", secret: "al1", registry_url: "own-registry.cn-hangzhou.cr.aliyuncs.com" };
  const cloud = { "x-webhook-secret": "cl0ud" };
  const acr = { type: "acr", secret: "azur3" };
  const pubsub = { type: "artifact-registry", secret: "g00gle" };
  const told: readonly (readonly [Record<string, string>, Record<string, string>, object])[] = [
    [acr, {}, azure("push")],
    [acr, {}, azure("delete")],
    [{ type: "aliyun-acr", secret: "al1" }, {}, alibaba],
    [own, {}, { ...alibaba, repository: { name: "web", namespace: "shop" } }],
    [pubsub, {}, envelope(google)],
    [pubsub, {}, { ...google, digest: "gcr.io/shop/web:1" }],
    [pubsub, {}, envelope({ ...google, action: "DELETE" })],
    [pubsub, {}, envelope({ ...google, digest: "internal.example/shop/web@sha256:1" })],
    [pubsub, {}, { message: { data: "no JSON" } }],
    [{ type: "cloudevents" }, cloud, amazon],
    [{ type: "cloudevents", secret: "cl0ud" }, {}, { ...amazon, data: {} }],
    [{ type: "cloudevents" }, cloud, other],
    [{ type: "cloudevents" }, cloud, { ...other, type: "io.example.door.opened" }],
  ];
  for (const one of told) {
    assert.equal(tell(...one), 200, JSON.stringify(one));
    await made.idle();
  }
  assert.deepEqual(made.images, [
    "shop.azurecr.io/shop/web",
    "registry.cn-hangzhou.aliyuncs.com/shop/web",
    "own-registry.cn-hangzhou.cr.aliyuncs.com/shop/web",
    "europe-docker.pkg.dev/shop/images/web",
    "gcr.io/shop/web",
    "210987654321.dkr.ecr.eu-west-1.amazonaws.com/shop/web",
    "123456789012.dkr.ecr.eu-west-1.amazonaws.com/shop/web",
    "registry.example/shop/web",
  ]);
  for (const type of ["acr", "aliyun-acr", "artifact-registry", "cloudevents"])
    assert.match(String(tell({ type, secret: "wrong" }, {}, azure("push"))), /^401 .*does not match/);
});

test("a registry tells by its type and its secret that an image was pushed, and who follows it looks at once", async () => {
  const made = receiver(async () => undefined);
  const { images, idle, asked } = made;
  const tell = teller(made);
  const hub = {
    push_data: { tag: "1.1" },
    repository: { repo_name: "shop/web", namespace: "shop", name: "web" },
  };
  const harbor = {
    type: "PUSH_ARTIFACT",
    event_data: {
      resources: [{ tag: "1", resource_url: "harbor.example/shop/web:1" }],
      repository: { name: "web", namespace: "shop", repo_full_name: "shop/web" },
    },
  };
  assert.equal(tell({ type: "docker.io", secret: "d0cker" }, {}, hub), 200);
  assert.equal(tell({ type: "harbor" }, { authorization: "harb0r" }, harbor), 200);
  assert.equal(
    tell({ type: "harbor" }, { authorization: "harb0r" }, { ...harbor, type: "DELETE_ARTIFACT" }),
    200,
  );
  const github = {
    action: "published",
    package: { name: "Web", package_type: "CONTAINER", owner: { login: "Shop" } },
  };
  assert.equal(tell({ type: "ghcr.io" }, { "x-github-event": "package" }, github), 200);
  await idle();
  assert.deepEqual(asked, Array(3).fill(["a", { "capstan.dev/image-updates-refresh": "now" }]));
  assert.deepEqual(images, ["docker.io/shop/web", "harbor.example/shop/web", "ghcr.io/shop/web"]);
  assert.match(String(tell({ type: "docker.io", secret: "wrong" }, {}, hub)), /^401 .*does not match/);
  assert.match(String(tell({ type: "docker.io" }, {}, hub)), /^401 .*does not match/);
  assert.match(String(tell({ type: "quay.io", secret: "" }, {}, hub)), /^401 .*set webhook\.quay\.secret/);
  assert.match(String(tell({ type: "constructor" }, {}, hub)), /^400 unknown type/);
  assert.equal(images.length, 3);
});
