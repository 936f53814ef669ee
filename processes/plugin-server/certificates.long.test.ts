/** Whom a caller of plugin services believes: certificates of both sides, over real TLS. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { createAuthority, createServerCertificate } from "@capstan/cluster/certificates";
import { messageOf } from "@capstan/model";
import { grpcService } from "@capstan/plugin-kit/grpc";
import { createRepoServer, type RepoServerOptions } from "@capstan/render";
import {
  createGitRepository,
  eventually,
  type GitRepository,
  realClock,
  startProcess,
} from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import type { PluginService } from "@capstan/wire";
import { cmp } from "@capstan/wire/plugin-protocols";
import { Server, ServerCredentials } from "@grpc/grpc-js";

interface Pair {
  certificate: string;
  key: string;
}
interface Seen {
  service?: Partial<PluginService>;
  access?: ReturnType<NonNullable<RepoServerOptions["pluginAccess"]>>;
}

const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";
const launcher = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const now = realClock.now();
const [ours, theirs] = [createAuthority("ours", now), createAuthority("theirs", now)];
const serverName = "names.argocd.svc";
const certificateFor = (...names: string[]): Pair =>
  createServerCertificate(ours, { commonName: "plugin", names }, now);
const manifest = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" } });

/** A plugin that is served over TLS, as a stock one behind a port is. */
async function startServer({ certificate, key }: Pair, clientAuthority?: string) {
  const { definition, implementation } = grpcService(cmp.ConfigManagementPluginService, {
    checkPluginConfiguration: async () => ({ isDiscoveryConfigured: false, provideGitCreds: false }),
    generateManifest: async (requests) => {
      for await (const _ of requests);
      return { manifests: [manifest], sourceType: "" };
    },
    matchRepository: async () => ({ isSupported: true, isDiscoveryEnabled: false }),
    getParametersAnnouncement: async () => ({ parameterAnnouncements: [] }),
  });
  const server = new Server();
  server.addService(definition, implementation);
  const pair = { cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) };
  const authority = clientAuthority === undefined ? null : Buffer.from(clientAuthority);
  const access = ServerCredentials.createSsl(authority, [pair], authority !== null);
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", access);
  return { port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

describe("certificates of plugin services", () => {
  let repository: GitRepository;
  let dir: string;
  before(async () => {
    repository = await createGitRepository({ "app/file": "" });
    dir = await mkdtemp(join(tmpdir(), "capstan-certificates-"));
  });
  after(async () => {
    await repository[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  /** "" when the plugin rendered, else why not; and what is told of the plugin. */
  async function renderBy(port: number, { service = {}, access = {} }: Seen) {
    const warned: string[] = [];
    const silent = () => undefined;
    const warn = (_facts: object, message: string) => void warned.push(message);
    const dataDir = await mkdtemp(join(dir, "render-"));
    const endpoints = [{ host: "127.0.0.1", port, process: "names-1", workload: "names" }];
    await using server = await createRepoServer({
      dataDir,
      clock: realClock,
      log: { debug: silent, info: silent, warn, error: silent },
      env: { ...process.env, GIT_CONFIG_NOSYSTEM: "1" },
      plugins: builtInPlugins,
      pluginServices: () => [{ name: "names", serverName, endpoints, ...service }],
      pluginAccess: () => access,
    });
    const { url } = repository;
    const source = { repoURL: url, path: "app", targetRevision: "main", plugin: { name: "names" } };
    const request = { repository: { url }, source, appName: "app", namespace: "default", project: "default" };
    const problem = await server
      .generateManifests({ ...request, kubeVersion: "1.34.0", apiVersions: [] }, AbortSignal.timeout(100_000))
      .then(() => "", messageOf);
    const listed = await server.listPlugins();
    const notes = listed.find(({ name }) => name === "names")?.notes ?? [];
    return { problem, notes, warned, plugins: listed.map(({ name }) => name) };
  }

  test("a certificate of the authority that names the service is accepted", async () => {
    await using server = await startServer(certificateFor(serverName));
    for (const seen of [
      { service: { authority: ours.certificate } },
      { access: { authority: { authority: ours.certificate, from: "a file" } } },
    ]) {
      const { problem, notes, warned } = await renderBy(server.port, seen);
      assert.deepEqual([problem, notes, warned], ["", [], []]);
    }
  });

  test("the service's own authority goes before the general one", async () => {
    await using server = await startServer(certificateFor(serverName));
    const general = { authority: { authority: theirs.certificate, from: "a file" } };
    const { problem } = await renderBy(server.port, {
      service: { authority: ours.certificate },
      access: general,
    });
    assert.equal(problem, "");
  });

  test("one of another authority is not, and the error names service, endpoint and reason", async () => {
    await using server = await startServer(certificateFor(serverName));
    const { problem } = await renderBy(server.port, { service: { authority: theirs.certificate } });
    assert.match(
      problem,
      new RegExp(`plugin names does not answer at 127\\.0\\.0\\.1:${server.port} \\(service names\\)`),
    );
    assert.match(problem, /its certificate is not accepted: .*unable to (verify|get local issuer)/);
  });

  test("one that names another service is not", async () => {
    await using server = await startServer(certificateFor("others.argocd.svc", "localhost", "127.0.0.1"));
    const { problem } = await renderBy(server.port, { service: { authority: ours.certificate } });
    assert.match(problem, /its certificate is not accepted: .*names\.argocd\.svc.*others\.argocd\.svc/);
  });

  test("a service that is another name for a host must show that host's, be it a name or an address", async () => {
    const external = { authority: ours.certificate, serverName: "127.0.0.1" };
    await using good = await startServer(certificateFor("127.0.0.1"));
    assert.equal((await renderBy(good.port, { service: external })).problem, "");
    await using bad = await startServer(certificateFor("127.0.0.2", "localhost"));
    assert.match((await renderBy(bad.port, { service: external })).problem, /IP: 127\.0\.0\.1 is not in/);
  });

  test("one that has expired is not", async () => {
    const pair = createServerCertificate(
      ours,
      { commonName: "plugin", names: [serverName] },
      now - 400 * 86_400_000,
    );
    await using server = await startServer(pair);
    const { problem } = await renderBy(server.port, { service: { authority: ours.certificate } });
    assert.match(problem, /its certificate is not accepted: .*expired/);
  });

  test("an authority that is no certificate lets nobody in and says where it is written", async () => {
    await using server = await startServer(certificateFor(serverName));
    for (const authority of ["", "nonsense"]) {
      const { problem } = await renderBy(server.port, { service: { authority } });
      assert.match(problem, /annotation argocd\.argoproj\.io\/plugin-ca of service names/);
    }
  });

  test("without an authority whoever answers is believed, and the plugin's notes and the log say so", async () => {
    await using server = await startServer(certificateFor("whatever"));
    const { problem, notes, warned } = await renderBy(server.port, {});
    assert.equal(problem, "");
    assert.match(notes.join(), /certificate is not verified/);
    assert.deepEqual(warned, notes);
  });

  test("a plugin that serves itself shows the certificate that it is given", async () => {
    const { certificate, key } = certificateFor(serverName, "127.0.0.1");
    const files = { certificate: join(dir, "server.crt"), key: join(dir, "server.key") };
    await writeFile(files.certificate, certificate);
    await writeFile(files.key, key);
    const program = join(import.meta.dirname, "..", "..", "examples", "plugins", "generator", "plugin.ts");
    const tls = ["--tls-cert", files.certificate, "--tls-key", files.key];
    const flags = ["--listen", "127.0.0.1:0", "--anyone-may-call", ...tls];
    const env = { ...process.env, ARGOCD_CMP_WORKDIR: dir };
    await using server = startProcess(process.execPath, [program, ...flags], { env });
    const port = await eventually(async () => /127\.0\.0\.1:(\d+)/.exec(server.output())?.[1], {
      signal: AbortSignal.timeout(100_000),
      describe: server.output,
    });
    const { plugins } = await renderBy(Number(port), { service: { authority: ours.certificate } });
    assert.ok(plugins.includes("names"), plugins.join());
    const list = async (authority: string) => {
      const file = join(dir, "authority.crt");
      await writeFile(file, authority);
      const asked = ["plugin", "list", "--address", `127.0.0.1:${port}`, "--ca-file", file];
      const { stdout, stderr } = spawnSync(process.execPath, [launcher, ...asked], { encoding: "utf8" });
      return stdout + stderr;
    };
    assert.match(await list(ours.certificate), /^NAME .*\nnames +installed .*\n$/);
    const plainly = ["plugin", "list", "--address", `127.0.0.1:${port}`, "--plaintext"];
    const { stderr } = spawnSync(process.execPath, [launcher, ...plainly], { encoding: "utf8" });
    assert.match(stderr, /no plugin answers at .*; it speaks TLS: leave out --plaintext/);
    assert.match(
      await list(theirs.certificate),
      /no plugin answers at .* with a certificate of .*authority.crt/,
    );
  });

  test("a server that asks for a certificate: with one it renders, else the error says what it asks for", {
    skip: noOpenssl,
  }, async () => {
    const [keyFile, file] = [join(dir, "client.key"), join(dir, "client.crt")];
    const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=capstan"];
    execFileSync("openssl", ["req", ...made, "-keyout", keyFile, "-out", file], { stdio: "ignore" });
    const client = { certificate: await readFile(file, "utf8"), key: await readFile(keyFile, "utf8") };
    await using server = await startServer(certificateFor(serverName), client.certificate);
    const service = { authority: ours.certificate };
    assert.equal((await renderBy(server.port, { service, access: { certificate: client } })).problem, "");
    const { problem } = await renderBy(server.port, { service });
    assert.match(problem, /it asks for a certificate/);
  });
});
