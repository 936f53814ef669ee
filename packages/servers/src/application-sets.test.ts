import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { createGitRepository, eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const path = "/api/v1/applicationsets";
const signal = () => AbortSignal.timeout(60_000);

function sketch(name: string, more: { project?: string; value?: string } = {}) {
  return {
    metadata: { name, labels: { team: name } },
    spec: {
      generators: [{ list: { elements: [{ name: more.value ?? "one" }] } }],
      template: {
        metadata: { name: "{{name}}" },
        spec: {
          project: more.project ?? "default",
          source: { repoURL: "https://git.example/x", path: "." },
          destination: { server: "https://kubernetes.default.svc", namespace: "default" },
        },
      },
    },
  };
}

describe("ApplicationSets over REST", () => {
  let api: ApiWorld;
  before(async () => {
    api = await openApiWorld();
  });
  after(() => api[Symbol.asyncDispose]());

  const ask = async (method: string, rest: string, body?: object) => {
    const answer = await api.request(method, `${path}${rest}`, body ? { body } : {});
    return { status: answer.status, headers: answer.headers, body: isRecord(answer.body) ? answer.body : {} };
  };
  const names = (body: Record<string, unknown>, field: "name" | "namespace" = "name") =>
    (Array.isArray(body.items) ? body.items : []).map(
      (one: { metadata: { name: string; namespace?: string } }) => one.metadata[field],
    );

  async function* linesOf(url: string): AsyncGenerator<string, undefined> {
    const headers = { authorization: `Bearer ${api.token}` };
    const answer = await fetch(url, { headers, signal: signal() });
    let rest = "";
    for await (const piece of answer.body ?? []) {
      const lines = (rest + Buffer.from(piece).toString()).split("\n");
      rest = lines.pop() ?? "";
      yield* lines.filter((line) => line !== "");
    }
    return undefined;
  }

  test("sets are created, changed on request alone, listed by project and label, shown and deleted", async () => {
    const created = await ask("POST", "", sketch("web"));
    assert.equal(created.status, 200, JSON.stringify(created.body));
    assert.equal((await ask("POST", "", sketch("web"))).status, 200);
    const other = sketch("web", { value: "two" });
    const refused = await ask("POST", "", other);
    assert.match(String(refused.body.message), /use upsert flag to force update/);
    assert.equal((await ask("POST", "?upsert=true", other)).status, 200);
    await ask("POST", "", sketch("db"));
    assert.deepEqual(names((await ask("GET", "")).body), ["db", "web"]);
    assert.deepEqual(names((await ask("GET", "?selector=team%3Dweb")).body), ["web"]);
    const { body: last } = await ask("GET", "?sort=-name&limit=1");
    assert.ok(isRecord(last.metadata));
    assert.deepEqual([names(last), last.metadata.remainingItemCount], [["web"], 1]);
    assert.deepEqual(names((await ask("GET", `?sort=-name&continue=${last.metadata.continue}`)).body), [
      "db",
    ]);
    assert.deepEqual(names((await ask("GET", "?projects=absent")).body), []);
    const { body } = await ask("GET", "/web");
    assert.match(JSON.stringify(body.spec), /"name":"two"/);
    assert.equal((await ask("GET", "/web/events")).status, 200);
    assert.equal((await ask("DELETE", "/db")).status, 200);
    assert.equal((await ask("GET", "/db")).status, 404);
  });

  test("a dry run and generate show what would be made, and change nothing", async () => {
    const { status, body } = await ask("POST", "?dryRun=true", sketch("dry"));
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(isRecord(body.status) && Array.isArray(body.status.resources));
    const [resource] = body.status.resources;
    assert.equal(resource.kind, "Application");
    assert.equal((await ask("GET", "/dry")).status, 404);
    const generated = await ask("POST", "/generate", { applicationSet: sketch("dry") });
    assert.ok(Array.isArray(generated.body.applications));
    assert.equal(generated.body.applications[0].metadata.name, resource.name);
    // In the namespace that was named, as Argo CD answers.
    const placed = { ...sketch("dry"), metadata: { name: "dry", namespace: "argocd" } };
    const { body: inArgocd } = await ask("POST", "/generate", { applicationSet: placed });
    const ofFirst = ({ applications }: Record<string, unknown>) =>
      names({ items: applications }, "namespace")[0];
    assert.deepEqual([ofFirst(generated.body), ofFirst(inArgocd)], [undefined, "argocd"]);
    assert.deepEqual([names({ items: [body] }, "namespace")[0], resource.namespace], [undefined, ""]);
    assert.equal((await ask("GET", "/dry")).status, 404);
    const spec = { ...sketch("dry").spec, generators: [{ plugin: { configMapRef: { name: "x" } } }] };
    const refused = await ask("POST", "/generate", { applicationSet: { ...sketch("dry"), spec } });
    assert.match(String(refused.body.message), /plugin x: there is no ConfigMap "x" with baseUrl and token/);
  });

  test("a project that is a template or absent, and what is no set, are refused in words", async () => {
    for (const [set, says] of [
      [sketch("a", { project: "{{project}}" }), /could not ask for rights/],
      [sketch("a", { project: "absent" }), /references project absent which does not exist/],
      [{ ...sketch("a"), spec: { ...sketch("a").spec, generators: [{}] } }, /generators\[0\]/],
      [{ ...sketch("a"), metadata: { name: "a", namespace: "elsewhere" } }, /'elsewhere' is not permitted/],
    ] as const) {
      const { status, body } = await ask("POST", "", set);
      assert.equal(status, 400);
      assert.match(String(body.message), says);
    }
  });

  test("deletions that are held are allowed by the code that the condition shows, and by no other", async () => {
    await ask("POST", "", sketch("held"));
    const code = `18-${"ab".repeat(10)}`;
    const allow = (text: string) => ask("POST", "/held/allow-deletion", { code: text });
    assert.match(String((await allow(code)).body.message), /holds no deletions now/);
    const said = { type: "DeletionHeld", status: "True", reason: "DeletionBudgetExceeded" };
    const message = `18 of 20: capstan appset allow-deletion argocd/held ${code}`;
    const ref = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      namespace: "argocd",
      name: "held",
    };
    const patch = { type: "merge", body: { status: { conditions: [{ ...said, message }] } } } as const;
    await api.world.kube.patch(ref, patch, { signal: signal(), subresource: "status" });
    await eventually(
      async () => (JSON.stringify((await ask("GET", "/held")).body).includes(code) ? true : undefined),
      { signal: signal(), describe: () => "the condition is not shown" },
    );
    assert.match(String((await allow("18")).body.message), /is no such code/);
    assert.match(String((await allow(`17-${"ab".repeat(10)}`)).body.message), /holds other deletions now/);
    assert.equal((await allow(code)).status, 200);
    const { body } = await ask("GET", "/held");
    assert.match(
      JSON.stringify(body.metadata),
      new RegExp(`"capstan.dev/deletion-allowed":"${code}@\\d{4}-.*Z"`),
    );
  });

  test("a diff shows what would be done, and what cannot be", async () => {
    await ask("POST", "", sketch("diff"));
    const { status, body } = await ask("POST", "/diff", { name: "diff" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.ok(Array.isArray(body.changes));
    assert.deepEqual([body.changes[0].act, body.changes[0].name, body.problems], ["create", "one", []]);
    assert.match(body.changes[0].targetState, /"repoURL":"https:\/\/git.example\/x"/);
    const changed = await ask("POST", "/diff", { applicationSet: sketch("diff", { value: "Two" }) });
    assert.match(JSON.stringify(changed.body.problems), /Two .*its name is none that Kubernetes takes/);
    assert.equal((await ask("POST", "/diff", { name: "absent" })).status, 404);
  });

  test("who asks after a push sees what the push means", async () => {
    await using repository = await createGitRepository({ "apps/one/x.yaml": "a: 1\n" });
    const set = sketch("pushed");
    const git = { repoURL: repository.url, revision: "main", directories: [{ path: "apps/*" }] };
    const template = { ...set.spec.template, metadata: { name: "{{path.basename}}" } };
    const body = { ...set, spec: { generators: [{ git }], template } };
    await ask("POST", "", body);
    const seen = async () => {
      const made = await ask("POST", "/generate", { applicationSet: body });
      const diff = await ask("POST", "/diff", { name: "pushed" });
      const { changes } = diff.body;
      assert.ok(Array.isArray(made.body.applications) && Array.isArray(changes), JSON.stringify(diff.body));
      return [
        made.body.applications
          .map(({ metadata }) => metadata.name)
          .sort()
          .join(),
        changes
          .map(({ name }) => name)
          .sort()
          .join(),
      ];
    };
    assert.deepEqual(await seen(), ["one", "one"]);
    await repository.commit({ "apps/two/x.yaml": "a: 1\n" });
    assert.deepEqual(await seen(), ["one,two", "one,two"]);
  });

  test("the tree holds the applications that the status names; a stream brings what is and what changes", async () => {
    await ask("POST", "?upsert=true", sketch("tree"));
    const lines = linesOf(`${api.url}/api/v1/stream/applicationsets?name=tree`);
    const first = await lines.next();
    assert.match(first.value ?? "", /"type":"ADDED".*"name":"tree"/);
    const resources = [
      { group: "argoproj.io", version: "v1alpha1", kind: "Application", name: "one", namespace: "argocd" },
    ];
    const ref = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "ApplicationSet",
      namespace: "argocd",
      name: "tree",
    };
    const patch = { type: "merge", body: { status: { resources } } } as const;
    await api.world.kube.patch(ref, patch, { signal: signal(), subresource: "status" });
    assert.match((await lines.next()).value ?? "", /"type":"MODIFIED"/);
    await lines.return?.(undefined);
    const { body } = await ask("GET", "/tree/resource-tree");
    assert.ok(Array.isArray(body.nodes));
    assert.equal(body.nodes[0].name, "one");
    assert.equal(body.nodes[0].parentRefs[0].kind, "ApplicationSet");
  });
});
