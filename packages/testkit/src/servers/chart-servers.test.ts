import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { lacking, lackingOciRegistry, realProgram, startChartServer, startOciRegistry } from "../index.ts";

const run = promisify(execFile);
const credentials = { username: "robot", password: "pass word" };
const login = ["--username", credentials.username, "--password", credentials.password];
const template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Chart.Version | quote }}}\n";
const web = { name: "web", version: "1.0.0", files: { "templates/one.yaml": template } };

/** A program of the test environment in a folder of its own. */
async function openClient(name: string) {
  const dir = await mkdtemp(join(tmpdir(), "capstan-chart-client-"));
  const found = realProgram(name);
  const program = "path" in found ? found.path : name;
  const env = { PATH: process.env.PATH, HOME: dir, DOCKER_CONFIG: dir };
  return {
    dir,
    run: async (...args: string[]) => (await run(program, args, { cwd: dir, env, timeout: 100_000 })).stdout,
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }),
  };
}

for (const helm of ["helm3", "helm4"]) {
  test(`${helm} reads a repository of charts over HTTPS with a password`, {
    skip: lacking(helm),
  }, async () => {
    await using server = await startChartServer([web], { credentials, tls: true });
    await using client = await openClient(helm);
    await writeFile(join(client.dir, "ca.pem"), server.certificateAuthority);
    const repo = ["--repo", server.url, "--ca-file", join(client.dir, "ca.pem")];
    const render = (...more: string[]) => client.run("template", "x", "web", ...repo, ...more);
    assert.match(await render(...login), /name: "1\.0\.0"/);
    await server.publish({ ...web, version: "1.1.0" });
    assert.match(await render(...login), /name: "1\.1\.0"/);
    await assert.rejects(render(), /401/);
    await assert.rejects(client.run("template", "x", "web", "--repo", server.url, ...login), /certificate/);
    assert.ok(server.requests.includes("GET /charts/web-1.1.0.tgz"));
  });

  test(`${helm} pushes a chart to an OCI registry and pulls it`, {
    skip: lackingOciRegistry() || lacking(helm),
  }, async () => {
    await using registry = await startOciRegistry({ credentials });
    await using charts = await startChartServer([web]);
    await using client = await openClient(helm);
    await client.run("pull", "web", "--repo", charts.url);
    const push = ["push", "web-1.0.0.tgz", `oci://${registry.host}/charts`, "--plain-http"];
    await assert.rejects(client.run(...push), /basic credential not found|401|nauthorized/);
    await client.run("registry", "login", registry.host, ...login, "--plain-http");
    await client.run(...push);
    const reference = `oci://${registry.host}/charts/web`;
    const rendered = await client.run("template", "x", reference, "--plain-http");
    assert.match(rendered, /name: "1\.0\.0"/);
  });
}

test("crane reads an OCI registry over TLS, trusting its authority", {
  skip: lackingOciRegistry() || lacking("crane"),
}, async () => {
  await using registry = await startOciRegistry({ tls: true });
  await using client = await openClient("crane");
  await writeFile(join(client.dir, "layer.txt"), "hello");
  await run("tar", ["-cf", "layer.tar", "layer.txt"], { cwd: client.dir });
  await assert.rejects(client.run("catalog", registry.host), /certificate/);
  const append = ["append", "--insecure", "--new_layer", "layer.tar", "--new_tag", `${registry.host}/one:v1`];
  await client.run(...append);
  assert.equal(await client.run("ls", "--insecure", `${registry.host}/one`), "v1\n");
});
