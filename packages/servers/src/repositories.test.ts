import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  type ChartServer,
  createGitRepository,
  type GitRepository,
  startChartServer,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const values = "image: {tag: one}\n";
const maintainers = [{ name: "Ada", email: "ada@example.com" }, { name: "Bob" }];

describe("what a repository holds, over REST", () => {
  let api: ApiWorld;
  let charts: ChartServer;
  let git: GitRepository;
  before(async () => {
    [api, charts, git] = await Promise.all([
      openApiWorld(),
      startChartServer([
        {
          name: "web",
          version: "1.0.0",
          fields: { description: "A web", home: "https://web.example", maintainers },
          files: { "values.yaml": values, "templates/a.yaml": "kind: ConfigMap" },
        },
        { name: "web", version: "1.1.0" },
        { name: "db", version: "2.0.0" },
      ]),
      createGitRepository({ "kust/kustomization.yaml": "images: []\n", "plain/a.yaml": "a: 1\n" }),
    ]);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await charts[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await api.request(method, `/api/v1/${path}`, body ? { body } : {});
    return { status: answer.status, body: isRecord(answer.body) ? answer.body : {} };
  };
  const repository = (url: string) => `repositories/${encodeURIComponent(url)}`;

  test("charts with their versions, and what a chart says to people", async () => {
    const { body } = await ask("GET", `${repository(charts.url)}/helmcharts`);
    assert.deepEqual(body.items, [
      { name: "web", versions: ["1.1.0", "1.0.0"] },
      { name: "db", versions: ["2.0.0"] },
    ]);
    const source = { repoURL: charts.url, chart: "web", targetRevision: "1.0.0" };
    const spec = {
      project: "default",
      source,
      destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    };
    const created = await ask("POST", "applications?validate=false", { metadata: { name: "web" }, spec });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const details = await ask("GET", "applications/web/revisions/1.0.0/chartdetails");
    assert.deepEqual(details.body, {
      description: "A web",
      home: "https://web.example",
      maintainers: ["Ada <ada@example.com>", "Bob"],
    });
    const artifact = await ask("GET", "applications/web/revisions/1.0.0/ocimetadata");
    assert.equal(artifact.status, 400);
    assert.match(String(artifact.body.message), /is of no artifact in a registry/);
    const tags = await ask("GET", `${repository(git.url)}/oci-tags`);
    assert.match(String(tags.body.message), /is of no registry/);
  });

  test("details of a source by its type; of an application that is there only of its own sources", async () => {
    const details = (source: object, more: object = {}) =>
      ask("POST", `${repository(String((source as { repoURL: string }).repoURL))}/appdetails`, {
        source,
        appName: "new",
        appProject: "default",
        ...more,
      });
    const chart = { repoURL: charts.url, chart: "web", targetRevision: "1.0.0" };
    const helm = await details(chart, { appName: "web" });
    assert.equal(helm.body.type, "Helm", JSON.stringify(helm.body));
    assert.ok(isRecord(helm.body.helm));
    assert.equal(helm.body.helm.values, values);
    assert.deepEqual(helm.body.helm.parameters, [{ name: "image.tag", value: "one" }]);
    const kustomize = await details({ repoURL: git.url, path: "kust" });
    assert.deepEqual(kustomize.body, { type: "Kustomize", kustomize: { images: [] } });
    const directory = await details({ repoURL: git.url, path: "plain" });
    assert.deepEqual(directory.body, { type: "Directory", directory: {} });
    const another = await details({ repoURL: git.url, path: "plain" }, { appName: "web" });
    assert.equal(another.status, 403);
  });
});
