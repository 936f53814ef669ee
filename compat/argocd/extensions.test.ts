/** Requests to extensions: the real argocd-server and Capstan, on one cluster with the same settings, pass on and refuse the same. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import {
  type EmbeddedClusterProcess,
  eventually,
  freePorts,
  lackingArgoCD,
  type RealArgoCD,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { type AccountName, accountSettings, openOwn, tokensOfAccounts } from "./shared-accounts.ts";

const signal = () => AbortSignal.timeout(60_000);
const server = "https://kubernetes.default.svc";

/** What reached a backend. */
interface Recorded {
  readonly backend: string;
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

interface Asked {
  readonly line: string;
  /** Whose token; null: none; default: ada's. */
  readonly who?: AccountName | null;
  /** Default: application argocd:web of project team. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const cases: Readonly<Record<string, Asked>> = {
  "a path with a query": { line: "GET /extensions/one/api/v1/things?limit=3&x=%20y" },
  "nothing below": { line: "GET /extensions/one/" },
  "a path that is written otherwise": { line: "GET /extensions/one/a%2Fb/c%20d/(e)/%C3%BC/f;g=1" },
  "a body": {
    line: "POST /extensions/one/things",
    headers: { "content-type": "text/plain", "x-own": "kept" },
    body: "hello",
  },
  "a deletion": { line: "DELETE /extensions/one/things/1" },
  "what tells who asks is not passed on": {
    line: "GET /extensions/one/x",
    headers: { authorization: "Bearer x", "proxy-authorization": "Basic x", te: "trailers" },
  },
  "what the server itself says, said by the caller": {
    line: "GET /extensions/one/x",
    headers: { "argocd-username": "root", "argocd-namespace": "x", "argocd-target-cluster-url": "x" },
  },
  "a configured header, given by the caller": { line: "GET /extensions/one/x", headers: { "x-key": "mine" } },
  "the backend of the cluster's address": { line: "GET /extensions/two/x" },
  "the backend of the cluster's name": {
    line: "GET /extensions/two/x",
    headers: { "argocd-application-name": "argocd:named" },
  },
  "an answer that is a refusal": { line: "GET /extensions/one/status/418" },
  "an answer that leads elsewhere": { line: "GET /extensions/one/status/302" },
  "a backend that is not there": { line: "GET /extensions/dead/x" },
  "an extension that is not there": { line: "GET /extensions/three/x" },
  "no token": { line: "GET /extensions/one/x", who: null },
  "no token and no such extension": { line: "GET /extensions/three/x", who: null },
  "an account that may not invoke it": { line: "GET /extensions/one/x", who: "viewer" },
  "an account that may not see the application": { line: "GET /extensions/one/x", who: "nobody" },
  "no application": { line: "GET /extensions/one/x", headers: { "argocd-application-name": "" } },
  "an application without a namespace": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "web" },
  },
  "an application of two namespaces": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "a:b:c" },
  },
  "a namespace that is none": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "a_b:web" },
  },
  "an application that can be none": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "argocd:We_b" },
  },
  "an application that is not there": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "argocd:absent" },
  },
  "no project": { line: "GET /extensions/one/x", headers: { "argocd-project-name": "" } },
  "a project that can be none": {
    line: "GET /extensions/one/x",
    headers: { "argocd-project-name": "Te_am" },
  },
  "another project": { line: "GET /extensions/one/x", headers: { "argocd-project-name": "default" } },
  "a destination that the project has not": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "argocd:astray" },
  },
  "a cluster that is not there": {
    line: "GET /extensions/one/x",
    headers: { "argocd-application-name": "argocd:lost" },
  },
};

describe("extensions beside the real argocd-server", { skip: lackingArgoCD() }, () => {
  const opened = new AsyncDisposableStack();
  let cluster: EmbeddedClusterProcess;
  let argo: RealArgoCD;
  let own: string;
  const recorded: Recorded[] = [];
  let tokens: Map<AccountName, string>;

  before(async () => {
    cluster = opened.use(await startEmbeddedCluster({ flags: ["--enable-proxy-extension"] }));
    const opening = await openOwn(cluster);
    own = opening.url;
    const [first, second] = [await listen("first"), await listen("second")];
    await fill({ first, second, dead: `http://127.0.0.1:${(await freePorts(1))[0]}` });
    argo = opened.use(
      await startArgoCD(cluster, {
        hasLogin: true,
        only: ["redis-server", "argocd-repo-server", "argocd-server"],
        env: { ARGOCD_SERVER_ENABLE_PROXY_EXTENSION: "true" },
      }),
    );
    tokens = await tokensOfAccounts(opening);
    for (const url of [own, argo.url])
      await eventually(
        async () => ((await play(url, { line: "GET /extensions/one/" })).status === 200 ? true : undefined),
        {
          signal: signal(),
          describe: () => `${url} passes nothing on`,
        },
      );
  });
  after(() => opened.disposeAsync());

  /** A backend that records what reaches it, and answers as the path says. */
  async function listen(backend: string): Promise<string> {
    const listener = createServer(async (request: IncomingMessage, response) => {
      const { method, url, headers } = request;
      recorded.push({ backend, method, url, headers: comparable(headers), body: await text(request) });
      const status = Number(/^\/status\/(\d+)/.exec(url ?? "")?.[1] ?? 200);
      response.writeHead(status, { "x-backend": backend, ...(status === 302 ? { location: "/away" } : {}) });
      response.end(`answer of ${backend}`);
    }).listen(0, "127.0.0.1");
    await once(listener, "listening");
    opened.defer(() => {
      listener.closeAllConnections();
      listener.close();
    });
    const address = listener.address();
    return typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
  }

  async function fill(urls: { first: string; second: string; dead: string }): Promise<void> {
    const extensions = [
      {
        name: "one",
        backend: {
          connectionTimeout: "2s",
          services: [{ url: urls.first, headers: [{ name: "X-Key", value: "$extension.key" }] }],
        },
      },
      {
        name: "two",
        backend: {
          services: [
            { url: urls.first, cluster: { server } },
            { url: urls.second, cluster: { name: "in-cluster" } },
          ],
        },
      },
    ];
    const policy = [
      "p, role:all, applications, get, */*, allow",
      "p, role:all, extensions, invoke, *, allow",
      "p, viewer, applications, get, */*, allow",
      "p, nobody, extensions, invoke, *, allow",
      "g, ada, role:all",
    ];
    const dead = { services: [{ url: urls.dead }] };
    const patches = [
      [
        "ConfigMap",
        "argocd-cm",
        {
          "extension.config": JSON.stringify({ extensions }),
          "extension.config.dead": JSON.stringify(dead),
          ...accountSettings,
        },
      ],
      ["ConfigMap", "argocd-rbac-cm", { "policy.csv": policy.join("\n") }],
    ] as const;
    const apply = { fieldManager: "test", force: true, signal: signal() };
    for (const [kind, name, data] of patches)
      await cluster.kube.apply(
        { apiVersion: "v1", kind, metadata: { namespace: "argocd", name }, data },
        apply,
      );
    const secret = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
    const stringData = { "extension.key": "s3cret" };
    await cluster.kube.patch(secret, { type: "merge", body: { stringData } }, { signal: signal() });
    const meta = (name: string) => ({
      apiVersion: "argoproj.io/v1alpha1",
      metadata: { name, namespace: "argocd" },
    });
    const destinations = [{ server, namespace: "team-*" }];
    await cluster.kube.create(
      { ...meta("team"), kind: "AppProject", spec: { sourceRepos: ["*"], destinations } },
      { signal: signal() },
    );
    const places = {
      web: { server, namespace: "team-a" },
      named: { name: "in-cluster", namespace: "team-a" },
      astray: { server, namespace: "kube-system" },
      lost: { name: "nowhere", namespace: "team-a" },
    };
    for (const [name, destination] of Object.entries(places)) {
      const source = { repoURL: "https://git.invalid/x", path: "." };
      const spec = { project: "team", source, destination };
      await cluster.kube.create({ ...meta(name), kind: "Application", spec }, { signal: signal() });
    }
  }

  async function play(url: string, { line, who = "ada", headers, body }: Asked) {
    const [method = "GET", path = "/"] = line.split(" ");
    const token = who === null ? undefined : tokens.get(who);
    recorded.length = 0;
    const answer = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        "accept-encoding": "identity",
        "argocd-application-name": "argocd:web",
        "argocd-project-name": "team",
        ...(token === undefined ? {} : { cookie: `other=1; argocd.token=${token}` }),
        ...headers,
      },
      signal: signal(),
      ...(body === undefined ? {} : { body }),
    });
    const said = await answer.text();
    const [told, location] = [answer.headers.get("x-backend"), answer.headers.get("location")];
    return { status: answer.status, said: said.trim(), told, location, recorded: [...recorded] };
  }

  for (const [name, asked] of Object.entries(cases))
    test(name, async () => {
      const [ours, theirs] = [await play(own, asked), await play(argo.url, asked)];
      // What is not there is said in words here.
      const both = theirs.status === 502 ? [{ ...ours, said: "" }, theirs] : [ours, theirs];
      assert.deepEqual(both[0], both[1]);
    });

  test("a token that is none", async () => {
    tokens.set("nobody", "nonsense");
    const asked = { line: "GET /extensions/one/x", who: "nobody" } as const;
    assert.deepEqual(await play(own, asked), await play(argo.url, asked));
  });
});

/** Of a connection alone. */
function comparable(headers: IncomingMessage["headers"]): Record<string, unknown> {
  const { connection: _, "keep-alive": __, ...others } = headers;
  return others;
}
