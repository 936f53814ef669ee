import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { connect } from "node:tls";
import { isRecord } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import {
  createSelfMadeCertificate,
  type EmbeddedClusterProcess,
  realClock,
  startEmbeddedCluster,
} from "@capstan/testkit";
import type { PluginDevState } from "@capstan/wire";
import { runMain } from "../../test-main.ts";

const services = { apiVersion: "v1", kind: "Service", namespace: "argocd" };

describe("capstan plugin dev, seen from elsewhere", () => {
  let top: string;
  let cluster: EmbeddedClusterProcess;
  before(async () => {
    top = await mkdtemp(join(tmpdir(), "capstan-plugin-dev-"));
    cluster = await startEmbeddedCluster();
    const signal = AbortSignal.timeout(100_000);
    await cluster.kube.create(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } },
      { signal },
    );
    await capstan(["plugin", "init", join(top, "mine"), "--kind", "command"], () => undefined);
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(top, { recursive: true, force: true });
  });

  /** Runs until `onErr` says stop, with what was said so far. */
  async function capstan(argv: readonly string[], onErr: (all: string, stop: () => void) => void) {
    const stopping = new AbortController();
    return runMain(argv, {
      home: top,
      clock: realClock,
      env: { PATH: process.env.PATH },
      program: {
        makeCertificate: async (host, now) =>
          createSelfMadeCertificate({ commonName: host, names: [host] }, now),
      },
      signal: stopping.signal,
      onErr: (all) => onErr(all, () => stopping.abort(new Error("enough"))),
    });
  }

  const dev = (...flags: string[]) => {
    const source = join(top, "mine/testdata/hello/source");
    return ["plugin", "dev", join(top, "mine"), "--source", source, ...flags];
  };
  const list = async (): Promise<Manifest[]> => {
    const { items } = await cluster.kube.list(services, AbortSignal.timeout(100_000));
    return [...items];
  };

  async function provesItself(service: Manifest | undefined): Promise<boolean> {
    const spec = isRecord(service?.spec) ? service.spec : {};
    const [port] = Array.isArray(spec.ports) ? spec.ports : [];
    const ca = service?.metadata.annotations?.["argocd.argoproj.io/plugin-ca"] ?? "";
    const socket = connect({ host: `${spec.externalName}`, port: port.port, ca, ALPNProtocols: ["h2"] });
    await once(socket, "secureConnect");
    socket.destroy();
    return socket.authorized;
  }

  test("what is odd in plugin.yaml is said", async () => {
    const file = join(top, "mine", "plugin.yaml");
    const text = await readFile(file, "utf8");
    await writeFile(file, text.replace("  inputs:", "  shiny: true\n  inputs:"));
    try {
      const { code, err } = await capstan(dev("--once"), () => undefined);
      assert.equal(code, 0);
      assert.match(err, /^warning: .*plugin\.yaml: .*shiny/m);
    } finally {
      await writeFile(file, text);
    }
  });

  test("attached, it is a Service of the cluster as long as the command runs", async () => {
    let seen: Manifest | undefined;
    let isProved = false;
    let token: unknown;
    const isOver = Promise.withResolvers<void>();
    const run = await capstan(dev("--attach", cluster.kubeconfig), (all, stop) => {
      if (!all.includes("watching ") || seen) return;
      seen = { apiVersion: "v1", kind: "Service", metadata: {} };
      const look = async () => {
        [seen] = await list();
        isProved = await provesItself(seen);
        const secret = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "dev-mine-token" };
        token = (await cluster.kube.get(secret, AbortSignal.timeout(100_000)))?.data;
      };
      look().finally(stop).then(isOver.resolve, isOver.reject);
    });
    await isOver.promise;
    assert.ok(isProved, "what listens there is of the authority that the Service names");
    assert.equal(run.code, 0, run.err);
    assert.ok(isRecord(token) && `${token.token}`.length > 40, "callers find a token beside the Service");
    assert.equal(seen?.metadata.name, "dev-mine");
    assert.equal(seen?.metadata.labels?.["argocd.argoproj.io/plugin"], "true");
    const { spec } = seen ?? {};
    assert.ok(isRecord(spec) && Array.isArray(spec.ports));
    assert.equal(spec.type, "ExternalName");
    assert.equal(spec.externalName, "127.0.0.1");
    assert.ok(spec.ports[0].port > 0);
    assert.deepEqual(await list(), []);
  });

  test("a Service of another is left alone", async () => {
    const theirs = { ...services, metadata: { name: "dev-mine", namespace: "argocd" } };
    const signal = AbortSignal.timeout(100_000);
    const spec = { ports: [{ port: 80 }] };
    await cluster.kube.create({ ...theirs, spec }, { signal });
    const run = await capstan(dev("--attach", cluster.kubeconfig, "--once"), () => undefined);
    assert.equal(run.code, 20);
    assert.match(run.err, /Service argocd\/dev-mine is there already/);
    assert.equal((await list()).length, 1);
    await cluster.kube.delete({ ...services, name: "dev-mine" }, { signal });
  });

  test("flags of attaching without a cluster are a mistake", async () => {
    const { code, err } = await capstan(dev("--attach-host", "laptop"), () => undefined);
    assert.equal(code, 1);
    assert.match(err, /need --attach KUBECONFIG/);
  });

  test("the page hears each render, and only a page of this machine does", async () => {
    const heard: PluginDevState[] = [];
    let isForeign = 0;
    const isOver = Promise.withResolvers<void>();
    let hasBegun = false;
    const run = await capstan(dev("--web"), (all, stop) => {
      const [, url] = /page: (\S+)/.exec(all) ?? [];
      if (url === undefined || !all.includes("watching ") || hasBegun) return;
      hasBegun = true;
      void follow(url).then(stop).then(isOver.resolve, isOver.reject);
    });
    assert.ok(hasBegun, run.err);
    await isOver.promise;
    assert.equal(isForeign, 403);
    assert.deepEqual(
      heard.map(({ because, problem }) => [because, problem === undefined]),
      [
        ["start", true],
        ["generate.sh", false],
      ],
    );
    assert.equal(heard[0]?.plugin, "mine");
    assert.match(heard[0]?.render?.stages[0]?.manifests[0] ?? "", /Hello ada/);
    assert.match(heard[1]?.problem ?? "", /out of names/);
    assert.match(heard[1]?.stderr ?? "", /out of names/);

    async function follow(url: string): Promise<void> {
      const { port } = new URL(url);
      isForeign = await statusFor(Number(port), "evil.example");
      const signal = AbortSignal.timeout(100_000);
      const { body } = await fetch(`${url}/events`, { signal });
      assert.ok(body);
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        for (const line of text.split("\n").filter((one) => one.startsWith("data: ")))
          heard.push(JSON.parse(line.slice("data: ".length)));
        if (heard.length > 1) return;
        const script = join(top, "mine/generate.sh");
        const good = await readFile(script, "utf8");
        await writeFile(script, good.replace("set -eu", "echo out of names >&2; exit 3"));
      }
    }
  });
});

/** fetch sets Host by itself. */
async function statusFor(port: number, host: string): Promise<number> {
  const { request } = await import("node:http");
  return new Promise((answer, fail) => {
    request({ host: "127.0.0.1", port, path: "/events", headers: { host } }, (response) => {
      response.resume();
      answer(response.statusCode ?? 0);
    })
      .once("error", fail)
      .end();
  });
}
