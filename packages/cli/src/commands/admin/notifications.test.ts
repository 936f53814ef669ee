import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { parseYaml } from "@capstan/model";
import { realClock, startLoopbackServer } from "@capstan/testkit";
import { runMain } from "../../test-main.ts";

let dir: string;
const files = {
  "cm.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-notifications-cm}
data:
  trigger.on-synced: |
    - when: app.status.sync.status == 'Synced'
      send: [synced, other]
      oncePer: app.metadata.name
    - when: "false"
      send: [other]
  template.synced: |
    message: |
      {{.app.metadata.name}} is {{.secrets.word | toString}}
      for {{.recipient}}
  template.other: "webhook: {hook: {body: x}}"
  service.webhook.hook: "url: $url"
---
apiVersion: v1
kind: Secret
metadata: {name: argocd-notifications-secret}
stringData: {word: known, url: "http://127.0.0.1:1"}
`,
  "app.yaml": `
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec: {project: default}
status: {sync: {status: Synced}}
`,
};

before(async () => {
  dir = await mkdtemp(join(tmpdir(), "capstan-notifications-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
});
after(() => rm(dir, { recursive: true, force: true }));

const run = (words: string, secret = join(dir, "cm.yaml")) =>
  runMain(
    ["admin", "notifications", ...words.split(" "), "--config-map", join(dir, "cm.yaml"), "--secret", secret],
    { clock: realClock },
  );

test("triggers are listed as argocd lists them", async () => {
  assert.deepEqual(await run("trigger get"), {
    code: 0,
    out: "NAME       TEMPLATE       CONDITION\non-synced  synced, other  app.status.sync.status == 'Synced'\n           other          false\n",
    err: "",
  });
  assert.equal((await run("trigger get -o name")).out, "on-synced\n");
  assert.deepEqual(parseYaml((await run("trigger get on-synced -o yaml")).out), {
    "on-synced": [
      { oncePer: "app.metadata.name", when: "app.status.sync.status == 'Synced'", send: ["synced", "other"] },
      { when: "false", send: ["other"] },
    ],
  });
});

test("a trigger's conditions are evaluated for an application of a file", async () => {
  const { code, out } = await run(`trigger run on-synced ${join(dir, "app.yaml")}`);
  assert.equal(code, 0);
  assert.equal(
    out,
    "CONDITION                           RESULT\napp.status.sync.status == 'Synced'  true\nfalse                               false\n",
  );
  const unknown = await run(`trigger run on-lost ${join(dir, "app.yaml")}`);
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /trigger with name 'on-lost' does not exist \(found on-synced\)/);
});

test("templates are listed with a preview", async () => {
  assert.equal(
    (await run("template get")).out,
    'NAME    PREVIEW\nother   {"webhook":{"hook":{"body":"x"}}}\nsynced  {{.app.metadata.name}} is {{.secrets.word | toString}}\n',
  );
});

test("a dry run shows the message", async () => {
  const { out } = await run(`template notify synced ${join(dir, "app.yaml")}`);
  assert.deepEqual(parseYaml(out), { message: "shop is known\nfor stdout\n" });
});

/** Shows the message that a template makes with a server that answers so: the message, and what it was asked. */
async function shownBy(message: string, app: string, answer: object) {
  const asked: { url: string; body: unknown }[] = [];
  await using server = await startLoopbackServer(async (request, response) => {
    const body = await text(request);
    asked.push({ url: request.url ?? "", body: body === "" ? undefined : JSON.parse(body) });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answer));
  });
  const settings = join(dir, "asks.yaml");
  const synced = /template.synced: \|\n.*\n.*\n.*\n/;
  await writeFile(
    settings,
    files["cm.yaml"].replace(synced, `template.synced: |\n    message: '${message}'\n`),
  );
  const words = ["admin", "notifications", "template", "notify", "synced", join(dir, app)];
  const given = ["--config-map", settings, "--secret", ":empty"];
  const login = ["--server", server.url, "--auth-token", "t"];
  const { out, err } = await runMain([...words, ...given, ...login], { clock: realClock });
  return { shown: parseYaml(out), err, asked };
}

test("what a template asks of a commit, the server tells", async () => {
  const answer = { author: "Ann <ann@x>", date: "2026-01-02T03:04:05Z", message: "why" };
  const template = "{{ (call .repo.GetCommitMetadata `abc`).Author }}";
  const { shown, err, asked } = await shownBy(template, "app.yaml", answer);
  assert.deepEqual(shown, { message: "Ann <ann@x>" }, err);
  const url = "/api/v1/applications/shop/revisions/abc/metadata?appNamespace=argocd";
  assert.deepEqual(asked, [{ url, body: undefined }]);
});

test("what a template asks of the application's source, the server tells", async () => {
  const source = {
    repoURL: "https://example.org/shop.git",
    path: "chart",
    helm: {
      parameters: [{ name: "size", value: "9" }],
      fileParameters: [{ name: "logo", path: "logo.txt" }],
    },
  };
  const app = parseYaml(
    files["app.yaml"].replace(
      "{project: default}",
      JSON.stringify({ project: "default", source, destination: { namespace: "shop" } }),
    ),
  );
  await writeFile(join(dir, "chart.yaml"), JSON.stringify(app));
  const parameters = [
    { name: "size", value: "1" },
    { name: "colour", value: "red" },
  ];
  const answer = { type: "Helm", helm: { valueFiles: ["values.yaml"], values: "size: 1", parameters } };
  const asks = (name: string): string => `{{ $d.Helm.GetParameterValueByName ${"`"}${name}${"`"} }}`;
  const template = `{{ $d := call .repo.GetAppDetails }}{{ $d.Type }} ${asks("size")} ${asks("colour")} {{ $d.Helm.GetFileParameterPathByName ${"`logo`"} }} {{ index $d.Helm.HelmAppSpec.ValueFiles 0 }}`;
  const { shown, err, asked } = await shownBy(template, "chart.yaml", answer);
  assert.deepEqual(shown, { message: "Helm 9 red logo.txt values.yaml" }, err);
  const url = `/api/v1/repositories/${encodeURIComponent(source.repoURL)}/appdetails`;
  assert.deepEqual(asked, [{ url, body: { source, appName: "argocd/shop", appProject: "default" } }]);
  const none = await shownBy("{{ (call .repo.GetAppDetails).Type }}", "app.yaml", answer);
  assert.match(none.err, /the Application is not valid/);
});

test("a message is sent to whom one names, and what fails is told without its secrets", async () => {
  const asked: string[] = [];
  await using server = await startLoopbackServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(asked.length > 1 ? 404 : 200).end();
  });
  const secret = join(dir, "secret.yaml");
  await writeFile(secret, files["cm.yaml"].replace("http://127.0.0.1:1", `${server.url}/hidden`));
  const words = `template notify synced ${join(dir, "app.yaml")} --recipient hook:a`;
  assert.equal((await run(words, secret)).code, 0);
  assert.deepEqual(asked, ["/hidden"]);
  const failed = await run(words, secret);
  assert.equal(failed.code, 1);
  assert.match(failed.err, /failed to notify 'hook:a'/);
  assert.ok(!failed.err.includes("hidden"));
});

test("the catalog is a ConfigMap that reads without a problem", async () => {
  const { out } = await runMain(["admin", "notifications", "catalog", "--url", "https://cd.example/"], {
    clock: realClock,
  });
  const path = join(dir, "catalog.yaml");
  await writeFile(path, out);
  const read = (words: string) =>
    runMain(["admin", "notifications", ...words.split(" "), "--config-map", path, "--secret", ":empty"], {
      clock: realClock,
    });
  const { out: names, err } = await read("template get -o name");
  const others = err.split("\n").filter((line) => !line.endsWith("is of no service that this version knows"));
  assert.deepEqual(others, [""]);
  assert.equal(
    names,
    [
      "created",
      "deleted",
      "deployed",
      "health-degraded",
      "sync-failed",
      "sync-running",
      "sync-status-unknown",
      "sync-succeeded",
    ]
      .map((name) => `app-${name}\n`)
      .join(""),
  );
  const app = join(dir, "failed.yaml");
  await writeFile(
    app,
    JSON.stringify({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "shop", namespace: "argocd" },
      spec: { project: "default", sources: [{ repoURL: "https://a" }, { repoURL: "https://b" }] },
      status: {
        sync: { status: "OutOfSync" },
        health: { status: "Degraded", lastTransitionTime: "2024-01-01T00:00:00Z" },
        conditions: [{ type: "SyncError", message: 'a "quoted"\nline' }],
        operationState: {
          phase: "Failed",
          message: 'no "luck"',
          startedAt: "2024-01-01T00:00:00Z",
          finishedAt: "2024-01-01T00:01:00Z",
        },
      },
    }),
  );
  for (const name of names.trim().split("\n")) {
    const said = await read(`template notify ${name} ${app}`);
    assert.equal(said.code, 0, said.err);
    const printed = JSON.parse(JSON.stringify(parseYaml(said.out)));
    const [{ fields = [] } = {}] = printed.slack ? JSON.parse(printed.slack.attachments) : [];
    assert.ok(fields.length === 0 || fields.at(-1).value === 'a "quoted"\nline', said.out);
    if (printed.teams?.facts) JSON.parse(printed.teams.facts);
    assert.match(printed.message, /shop/);
  }
  const holds = await read(`trigger run on-sync-failed ${app}`);
  assert.match(holds.out, /true/);
});
