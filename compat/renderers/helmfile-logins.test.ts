/** Charts from private repositories for a helmfile, with the logins that Capstan has; the real programs. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createAuthority } from "@capstan/cluster/certificates";
import type { Repository } from "@capstan/model";
import { lovely } from "@capstan/plugin-lovely";
import {
  type Files,
  lacking,
  lackingOciRegistry,
  realClock,
  startChartServer,
  startOciRegistry,
} from "@capstan/testkit";
import type { ManifestRequest } from "@capstan/wire";
import { credentials, openRenderWorld, pushCharts } from "./render-world.ts";

const skip = lackingOciRegistry() || lacking("helmfile", "helm3", "helm4");

const template =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Chart.Name }}-{{ .Chart.Version }}'}\n";
const chart = (name: string, version = "1.0.0") => ({
  name,
  version,
  files: { "templates/c.yaml": template },
});

/** The names of what is rendered; nothing of the login may be left anywhere. */
async function render(files: Files, request: Partial<ManifestRequest>, helm = "helm4"): Promise<string[]> {
  const plugins = [lovely({ CAPSTAN_UNCONFINED_COMMANDS: "true", LOVELY_HELM_PATH: helm })];
  await using world = await openRenderWorld(files, { plugins });
  const secret = new RegExp(credentials.password);
  try {
    const answer = await world.render({ path: "app", plugin: { name: "lovely" } }, request);
    assert.doesNotMatch(JSON.stringify(answer), secret);
    return answer.manifests.map(({ manifest }) => manifest.metadata.name ?? "").toSorted();
  } catch (error) {
    assert.doesNotMatch(String(error), secret);
    throw error;
  } finally {
    assert.doesNotMatch(JSON.stringify(world.logged), secret);
    const entries = readdirSync(world.dataDir, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile()))
      assert.doesNotMatch(readFileSync(join(entry.parentPath, entry.name), "latin1"), secret);
  }
}

test("a Helm repository with a password: by its URL, also where another file of the repository names it", {
  skip,
}, async () => {
  await using server = await startChartServer([chart("far")], { credentials });
  const repositories: Repository[] = [{ url: server.url, type: "helm", ...credentials }];
  const releases = "releases: [{name: a, chart: shop/far, version: 1.0.0}]\n";
  const own = { "app/helmfile.yaml": `repositories: [{name: shop, url: "${server.url}"}]\n${releases}` };
  assert.deepEqual(await render(own, { repositories }), ["far-1.0.0"]);
  assert.deepEqual(await render(own, { repositories }, "helm3"), ["far-1.0.0"]);
  const elsewhere = {
    "bases/repositories.yaml": `repositories:\n- name: shop\n  url: ${server.url}/\n`,
    "app/helmfile.yaml": `bases: [../bases/repositories.yaml]\n---\n${releases}`,
  };
  assert.deepEqual(await render(elsewhere, { repositories }), ["far-1.0.0"]);
});

test("an OCI registry with a password, as a repository and as a chart's own address", { skip }, async () => {
  await using registry = await startOciRegistry({ credentials });
  const { files } = chart("packed");
  await pushCharts(registry.host, [
    { name: "packed", version: "2.0.0", files },
    { name: "direct", version: "3.0.0", files },
  ]);
  const helmfile = `repositories:
- name: shop
  url: ${registry.host}/charts
  oci: true
releases:
- {name: a, chart: shop/packed, version: ~2.0}
- {name: b, chart: "oci://${registry.host}/charts/direct", version: 3.0.0}
`;
  const repositories: Repository[] = [
    { url: registry.host, type: "oci", insecureOciForceHttp: true, ...credentials },
  ];
  for (const helm of ["helm3", "helm4"]) {
    const found = await render({ "app/helmfile.yaml": helmfile }, { repositories }, helm);
    assert.deepEqual(found, ["direct-3.0.0", "packed-2.0.0"]);
  }
});

test("a Helm repository that asks for a client's certificate", { skip }, async () => {
  const client = createAuthority("robot", realClock.now());
  await using server = await startChartServer([chart("far")], {
    credentials,
    tls: true,
    clientCertificate: client.certificate,
  });
  const helmfile = `repositories: [{name: shop, url: "${server.url}"}]\nreleases: [{name: a, chart: shop/far}]\n`;
  const known: Repository = { url: server.url, type: "helm", insecure: true, ...credentials };
  const tls = { tlsClientCertData: client.certificate, tlsClientCertKey: client.key };
  const files = { "app/helmfile.yaml": helmfile };
  for (const helm of ["helm3", "helm4"])
    assert.deepEqual(await render(files, { repositories: [{ ...known, ...tls }] }, helm), ["far-1.0.0"]);
  await assert.rejects(render(files, { repositories: [known] }), /certificate required|bad certificate/);
});

test("what the project does not permit gets no login; one of the helmfile's own goes first", {
  skip,
}, async () => {
  await using server = await startChartServer([chart("far")], { credentials });
  const repositories: Repository[] = [{ url: server.url, type: "helm", ...credentials }];
  const helmfile = (login: string) => ({
    "app/helmfile.yaml": `repositories: [{name: shop, url: "${server.url}"${login}}]\nreleases: [{name: a, chart: shop/far}]\n`,
  });
  const sourceRepos = ["https://elsewhere.example/*"];
  await assert.rejects(render(helmfile(""), { repositories, sourceRepos }), /index\.yaml : 401/);
  const wrong = ", username: robot, password: wrong";
  await assert.rejects(render(helmfile(wrong), { repositories }), /index\.yaml : 401/);
});
