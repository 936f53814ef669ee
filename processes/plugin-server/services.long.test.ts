/** Plugins as Services, from the cluster's objects to the manifests: the load spread, replicas that go, and bad ones. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import type { Manifest } from "@capstan/model";
import { grpcClient, grpcService, type Handlers } from "@capstan/plugin-kit/grpc";
import {
  createGitRepository,
  eventually,
  type GitRepository,
  isSettled,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import { refresh } from "@capstan/testkit/worlds";
import { pluginV1 } from "@capstan/wire/plugin-protocols";
import { Client, credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { openServiceWorld, type ServiceWorld } from "./service-world.ts";

const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";
const namespace = "argocd";
const limitMs = 100_000;
const signal = () => AbortSignal.timeout(limitMs);

/** As it is in an image made for Argo CD. */
const stockYaml = (command: string) => `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata:
  name: names
spec:
  version: v1.0
  generate:
    command: [sh, -c]
    args: [${JSON.stringify(command)}]
`;
const plugin = { name: "names-v1.0" };
const manifest = (name: string, value: string) =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { value } });

const deployment = (replicas: number): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "names", namespace },
  spec: {
    replicas,
    selector: { matchLabels: { app: "names" } },
    template: {
      metadata: { labels: { app: "names" } },
      spec: { containers: [{ name: "plugin", image: "example/names:1", ports: [{ containerPort: 7000 }] }] },
    },
  },
});

const service = (spec: object, annotations: Record<string, string> = {}): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "names", namespace, labels: { "argocd.argoproj.io/plugin": "true" }, annotations },
  spec,
});
const selecting = { selector: { app: "names" }, ports: [{ port: 7000 }] };

async function create(world: ServiceWorld, ...objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) await world.kube.create(object, { fieldManager: "test", signal: signal() });
}

async function createApplications(world: ServiceWorld, repository: GitRepository, names: readonly string[]) {
  for (const name of names) {
    const source = name.startsWith("plain") ? {} : { plugin };
    await create(world, sketchApplication({ name, repoURL: repository.url, path: name, source }));
  }
}

const filesOf = (names: readonly string[], value: string) =>
  Object.fromEntries(names.map((name) => [`${name}/value.json`, manifest(name, value)]));

async function untilAt(world: ServiceWorld, names: readonly string[], revision: string): Promise<void> {
  for (const name of names) {
    const view = await untilApplication(
      world.kube,
      name,
      (one) => isSettled(one) && one.revision === revision,
    );
    assert.deepEqual(view.conditions, [], name);
  }
}

/** Those that hold the text, once there are any: an event may come after the status that it is about. */
async function untilEvents(world: ServiceWorld, reason: string, text = ""): Promise<string[]> {
  const found = async () => {
    const { items } = await world.kube.list({ apiVersion: "v1", kind: "Event", namespace }, signal());
    const messages = items.filter((one) => one.reason === reason).map(({ message }) => String(message));
    const wanted = messages.filter((message) => message.includes(text));
    return wanted.length > 0 ? wanted : undefined;
  };
  return eventually(found, { signal: signal(), describe: () => `no event ${reason} tells of ${text}` });
}

test("a stock configuration with one more line: two replicas, the load over both, rolled out meanwhile", async () => {
  await using world = await openServiceWorld();
  const names = Array.from({ length: 8 }, (_, index) => `app-${index}`);
  await using repository = await createGitRepository(filesOf(names, "first"));
  world.configure(stockYaml("sleep 0.2; cat value.json"));
  await create(world, deployment(2), service(selecting));
  await world.untilServing(2);
  await createApplications(world, repository, names);
  await untilAt(world, names, await repository.git("rev-parse", "HEAD"));
  const before = [...world.replicas];
  const runs = before.map(([, replica]) => replica.runs());
  assert.ok(Math.min(...runs) > 0, `one replica did all: ${runs}`);
  assert.equal(
    runs.reduce((sum, one) => sum + one),
    names.length,
  );

  world.configure(stockYaml("cat value.json"));
  const annotated = { spec: { template: { metadata: { annotations: { rolled: "out" } } } } };
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "names" };
  await world.kube.patch(ref, { type: "strategic", body: annotated }, { signal: signal() });
  const isNew = () => [...world.replicas.keys()].every((pod) => before.every(([old]) => old !== pod));
  for (let round = 0; round < 20; round++) {
    const revision = await repository.commit(filesOf(names, `round ${round}`));
    for (const name of names) await refresh(world, name);
    await untilAt(world, names, revision);
    if (round > 1 && isNew()) break;
  }
  await world.untilServing(2);
  assert.ok(isNew(), `the old replicas are still there: ${[...world.replicas.keys()]}`);
});

test("applications that a plugin without endpoints left as they were are looked at once it has some", async () => {
  await using world = await openServiceWorld();
  const names = ["app-0", "plain"];
  await using repository = await createGitRepository(filesOf(names, "first"));
  world.configure(stockYaml("cat value.json"));
  await create(world, deployment(1), service(selecting));
  await world.untilServing(1);
  await createApplications(world, repository, names);
  await untilAt(world, names, await repository.git("rev-parse", "HEAD"));
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace, name: "names" };
  const scale = (replicas: number) =>
    world.kube.patch(ref, { type: "merge", body: { spec: { replicas } } }, { signal: signal() });
  const untilLogged = (app: string, wanted: RegExp) =>
    eventually(
      async () =>
        world.log.some(({ facts }) => facts.app === app && wanted.test(JSON.stringify(facts))) || undefined,
      { signal: signal(), describe: () => `nothing of ${app} says ${wanted}` },
    );
  await scale(0);
  await world.untilServing(0);
  const revision = await repository.commit(filesOf(names, "second"));
  for (const name of names) await refresh(world, name);
  await untilLogged("argocd/app-0", /it has no ready endpoint/);
  await scale(1);
  await untilAt(world, names, revision);
  await untilLogged("argocd/app-0", /the plugins' services changed/);
  assert.ok(
    !JSON.stringify(world.log.filter(({ facts }) => facts.app === "argocd/plain")).includes("plugins'"),
  );
});

test("a replica killed in the middle of a render: another is asked, an event says so, others notice nothing", async () => {
  const marks = await mkdtemp(join(tmpdir(), "capstan-marks-"));
  try {
    await using world = await openServiceWorld({ env: { MARKS: marks } });
    const names = ["app-0", "app-1", "app-2", "app-3", "plain"];
    await using repository = await createGitRepository(filesOf(names, "first"));
    const hanging =
      'if [ -e "$MARKS/hang-$POD" ]; then touch "$MARKS/hangs-$POD"; sleep 60; fi; cat value.json';
    world.configure(`${stockYaml(hanging)}  isolation: none\n`);
    await create(world, deployment(2), service(selecting));
    await world.untilServing(2);
    await createApplications(world, repository, names);
    await untilAt(world, names, await repository.git("rev-parse", "HEAD"));
    const [victim = ""] = world.replicas.keys();
    await writeFile(join(marks, `hang-${victim}`), "");
    const revision = await repository.commit(filesOf(names, "second"));
    for (const name of names) await refresh(world, name);
    await untilAt(world, ["plain"], revision);
    await eventually(async () => existsSync(join(marks, `hangs-${victim}`)) || undefined, {
      signal: signal(),
      describe: () => `${victim} renders nothing`,
    });
    await world.replicas.get(victim)?.process.kill("SIGKILL");
    await untilAt(world, names, revision);
    const [told = ""] = await untilEvents(world, "PluginAskedAgain");
    assert.match(
      told,
      /^plugin names.* is asked at another endpoint than 127\.0\.0\.1:\d+ \(service names\): /,
    );
  } finally {
    await rm(marks, { recursive: true, force: true });
  }
});

const megabyte = "x".repeat(2 ** 20);
type Answer = (stream: Parameters<Handlers<typeof pluginV1.PluginService>["run"]>[0]) => Promise<void>;
/** Replicas of a broken build, by what the event must tell. */
const broken: Readonly<Record<string, { told: RegExp; answer?: Answer }>> = {
  "speaks no protocol at all": { told: /does not answer|failed/ },
  "answers what is no manifest": {
    told: /manifest 1 of its answer is no object/,
    answer: async ({ send }) => {
      await send({ message: { case: "manifests", value: { manifests: [{ json: "\u0000 garbage" }] } } });
      await send({ message: { case: "done", value: {} } });
    },
  },
  "ends without an answer": { told: /ended without an answer/, answer: async () => undefined },
  "floods with manifests": {
    told: /more than 4 ?Mi?B|limit|4194304/,
    answer: async ({ send }) => {
      const json = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: megabyte } });
      for (let sent = 0; sent < 100; sent++)
        await send({ message: { case: "manifests", value: { manifests: [{ json }] } } });
    },
  },
  "floods with words": {
    told: /more than 4 ?Mi?B|limit|4194304/,
    answer: async ({ send }) => {
      for (let sent = 0; sent < 100; sent++)
        await send({ message: { case: "log", value: { text: megabyte } } });
    },
  },
};

/** In the place of a plugin server, with the description of a good one. */
async function startBroken(answer: Answer | undefined, goodPort: number) {
  if (!answer) {
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.end(randomBytes(4_096));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    return { port, [Symbol.asyncDispose]: async () => void server.close() };
  }
  const client = new Client(`127.0.0.1:${goodPort}`, credentials.createInsecure());
  const good = await grpcClient(pluginV1.PluginService, client).describe({}, { signal: signal() });
  client.close();
  const { definition, implementation } = grpcService(pluginV1.PluginService, {
    describe: async () => good,
    run: answer,
  });
  const server = new Server();
  server.addService(definition, implementation);
  const bind = promisify(server.bindAsync.bind(server));
  const port = await bind("127.0.0.1:0", ServerCredentials.createInsecure());
  return { port, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

test("replicas that answer garbage or flood: the other is asked, an event says why, others notice nothing", async (t) => {
  await using world = await openServiceWorld({
    flags: ["--plaintext"],
    limits: { maxOutputBytes: 4 * 2 ** 20 },
  });
  const names = ["app-0", "app-1", "app-2", "app-3", "plain"];
  await using repository = await createGitRepository(filesOf(names, "first"));
  world.configure(stockYaml("sleep 0.2; cat value.json"));
  const annotations = { "argocd.argoproj.io/plugin-plaintext": "true" };
  await create(world, deployment(1), service(selecting, annotations));
  await world.untilServing(1);
  await createApplications(world, repository, names);
  await untilAt(world, names, await repository.git("rev-parse", "HEAD"));
  const [good] = world.replicas.values();
  let host = 0;
  for (const [fact, { told, answer }] of Object.entries(broken)) {
    await t.test(`a replica that ${fact}`, async () => {
      await using bad = await startBroken(answer, good?.port ?? 0);
      const address = `10.99.0.${++host}`;
      world.ports.set(address, bad.port);
      await world.kube.apply(sliceOf(address), { fieldManager: "test", force: true, signal: signal() });
      await world.untilServing(2);
      const revision = await repository.commit(filesOf(names, fact));
      for (const name of names) await refresh(world, name);
      await untilAt(world, names, revision);
      const events = await untilEvents(world, "PluginAskedAgain", `:${bad.port} `);
      for (const event of events) assert.match(event, told);
      world.ports.delete(address);
    });
  }
});

/** Beside those that the cluster makes of the Service's selector. */
const sliceOf = (address: string): Manifest => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { name: "names-broken", namespace, labels: { "kubernetes.io/service-name": "names" } },
  addressType: "IPv4",
  endpoints: [{ addresses: [address], conditions: { ready: true } }],
  ports: [{ port: 7000 }],
});

test("a service that asks for a token and a certificate: with both it renders, else it is said what is wrong", {
  skip: noOpenssl,
}, async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-access-"));
  try {
    const [keyFile, certificateFile, tokenFile] = [join(dir, "key"), join(dir, "cert"), join(dir, "token")];
    const made = ["-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=capstan"];
    execFileSync("openssl", ["req", ...made, "-keyout", keyFile, "-out", certificateFile], {
      stdio: "ignore",
    });
    const [certificate, key] = [await readFile(certificateFile, "utf8"), await readFile(keyFile, "utf8")];
    await writeFile(tokenFile, "for-callers\n");
    const flags = ["--client-ca", certificateFile, "--token-file", tokenFile];
    for (const [access, told] of [
      [{ token: "for-callers", certificate: { certificate, key } }, undefined],
      [
        { token: "another", tokens: { "names-token": "for-callers" }, certificate: { certificate, key } },
        undefined,
      ],
      [{ token: "for-callers" }, /plugin names does not answer at localhost:\d+/],
      [{ token: "another", certificate: { certificate, key } }, /token/],
    ] as const) {
      await using world = await openServiceWorld({ flags, access });
      await using repository = await createGitRepository(filesOf(["app"], "first"));
      await using replica = await world.startReplica("one", stockYaml("cat value.json"));
      const { port } = replica;
      await create(world, service({ type: "ExternalName", externalName: "localhost", ports: [{ port }] }));
      await world.untilServing(1);
      await createApplications(world, repository, ["app"]);
      const view = await untilApplication(
        world.kube,
        "app",
        (one) => isSettled(one) || one.conditions.length > 0,
      );
      const problem = view.conditions.map(({ message }) => message).join();
      if (told) assert.match(problem, told);
      else assert.equal(problem, "");
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

test("an ExternalName leads to a plugin server on a person's machine", async () => {
  await using world = await openServiceWorld();
  await using repository = await createGitRepository(filesOf(["app"], "first"));
  await using laptop = await world.startReplica("laptop", stockYaml("cat value.json"));
  const { port } = laptop;
  await create(world, service({ type: "ExternalName", externalName: "localhost", ports: [{ port }] }));
  await world.untilServing(1);
  await createApplications(world, repository, ["app"]);
  await untilAt(world, ["app"], await repository.git("rev-parse", "HEAD"));
  assert.equal(laptop.runs(), 1);
});
