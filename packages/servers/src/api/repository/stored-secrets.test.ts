import assert from "node:assert/strict";
import { test } from "node:test";
import { createEnforcer, parsePolicy } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { readSettings } from "@capstan/kube";
import type { Manifest } from "@capstan/model";
import type { Right } from "../access/rights.ts";
import { createCluster } from "../cluster/create-cluster.ts";
import { deleteCluster } from "../cluster/delete-cluster.ts";
import { updateCluster } from "../cluster/update-cluster.ts";
import { ConnectionStates } from "./connection-states.ts";
import { createRepoCreds } from "./credential-handlers.ts";
import {
  createRepository,
  deleteRepository,
  listRepositories,
  updateRepository,
} from "./repository-handlers.ts";
import { forReading, forWriting } from "./repository-kind.ts";

const lines = [
  "p, alice, repositories, *, team/*, allow",
  "p, alice, clusters, *, team/*, allow",
  "p, bob, repositories, *, rival/*, allow",
  "p, admin, *, *, *, allow",
];
const enforcer = createEnforcer({ policy: parsePolicy([{ name: "policy.csv", text: lines.join("\n") }]) });
const clock = { now: () => 0, sleep: () => Promise.resolve() };

type Context = Parameters<typeof createRepository>[0] & Parameters<typeof createCluster>[0];

/** Somebody else's, which goes to the own cluster: nobody may claim that for his project. */
const rivals = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Application",
  metadata: { name: "web", namespace: "argocd" },
  spec: { project: "rival", destination: { server: "https://kubernetes.default.svc", namespace: "web" } },
};

/** Handlers over Secrets in memory; what is tried with which credentials is remembered. */
function world(...given: Manifest[]) {
  const secrets = new Map(given.map((one) => [one.metadata.name ?? "", one]));
  const tried: { url: string; password?: string; proxy?: string }[] = [];
  const kube = {
    get: async ({ name }: { name: string }) => secrets.get(name),
    create: async (one: Manifest) => secrets.set(one.metadata.name ?? "", one) && one,
    replace: async (one: Manifest) => secrets.set(one.metadata.name ?? "", one) && one,
    delete: async ({ name }: { name: string }) => void secrets.delete(name),
  };
  const context = {
    kube,
    controlNamespace: "argocd",
    kind: forReading,
    clock,
    connections: new ConnectionStates(clock),
    settings: {
      get current() {
        return readSettings([], secrets.values());
      },
    },
    rights: {
      allows: (user: { name: string }, right: Right) => enforcer.allowsName({ subject: user.name, ...right }),
    },
    repo: {
      testRepository: async ({ repository }: { repository: (typeof tried)[0] }) =>
        void tried.push(repository),
    },
    clusters: { open: () => [], ask: async () => "v1.34.0" },
    live: { ofKind: () => [rivals], get: () => undefined },
  } as unknown as Context;
  const call = (name: string) => ({ user: { name, groups: [] }, signal: AbortSignal.timeout(5000) }) as never;
  return { context, secrets, tried, call };
}

function secret(name: string, type: string, texts: Record<string, string>): Manifest {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
  );
  const labels = { "argocd.argoproj.io/secret-type": type };
  return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: "argocd", labels }, data };
}

function textOf(one: Manifest | undefined, field: string): string | undefined {
  const value = isRecord(one?.data) ? one.data[field] : undefined;
  return typeof value === "string" ? Buffer.from(value, "base64").toString() : undefined;
}

const url = "https://git.example/org/app";
const refused = /may not|permission|forbidden|not allowed/i;

test("a repository is changed by whom both its former and its new project permit", async () => {
  const { context, secrets, call } = world(
    secret("of-team", "repository", { url, project: "team", password: "p" }),
  );
  const put = updateRepository(context);
  await assert.rejects(put({ url, repo: { repo: url } }, call("alice")), refused);
  await assert.rejects(put({ url, repo: { repo: url, project: "rival" } }, call("alice")), refused);
  await assert.rejects(
    put({ url, repo: { repo: url, project: "rival" } }, call("bob")),
    /not exist|not found|there is no/i,
  );
  assert.equal(textOf(secrets.get("of-team"), "project"), "team");
  await put({ url, repo: { repo: url, project: "rival" } }, call("admin"));
  assert.equal(secrets.size, 1);
  assert.equal(textOf(secrets.get("of-team"), "project"), "rival");
});

test("a Secret that Argo CD made is changed in place, whatever its name, and never another's", async () => {
  const { context, secrets, call } = world(
    secret("repo-1234", "repository", { url: "https://git.example/xteam", password: "global" }),
    secret("repo-99", "repository", { url: `${url}.git`, project: "team", password: "old" }),
  );
  const post = createRepository(context);
  const mine = { repo: "https://git.example/x", project: "team", password: "mine" };
  await post({ repo: mine, upsert: true }, call("alice"));
  assert.equal(textOf(secrets.get("repo-1234"), "password"), "global");
  assert.equal(secrets.size, 3);
  await post({ repo: { repo: url, project: "team", password: "new" }, upsert: true }, call("alice"));
  assert.equal(textOf(secrets.get("repo-99"), "password"), "new");
  assert.equal(secrets.size, 3);
  const again = post({ repo: { repo: url, project: "team", password: "other" } }, call("alice"));
  await assert.rejects(again, /exists already with other settings/);
  await deleteRepository(context)({ repo: url, appProject: "team" }, call("alice"));
  assert.equal(secrets.has("repo-99"), false);
});

test("a Secret of the name that has become something else is left alone", async () => {
  const { context, secrets, call } = world(secret("a", "repository", { url, project: "team" }));
  const before = context.settings.current;
  secrets.set("a", secret("a", "repository", { url, project: "rival", password: "theirs" }));
  const stale = { ...context, settings: { current: before } };
  const post = createRepository(stale)({ repo: { repo: url, project: "team" }, upsert: true }, call("alice"));
  await assert.rejects(post, /changed meanwhile/);
  await assert.rejects(
    deleteRepository(stale)({ repo: url, appProject: "team" }, call("alice")),
    /changed meanwhile/,
  );
  assert.equal(textOf(secrets.get("a"), "password"), "theirs");
});

test("credentials to write with are kept and asked for apart from those to read with", async () => {
  const { context, secrets, call } = world(
    secret("r", "repository", { url, project: "team", password: "p" }),
  );
  const writing = { ...context, kind: forWriting };
  const repo = { repo: url, project: "team", password: "writes" };
  await assert.rejects(createRepository(writing)({ repo }, call("alice")), refused);
  await createRepository(writing)({ repo }, call("admin"));
  assert.deepEqual((await listRepositories(writing)({}, call("alice"))).items, []);
  assert.equal((await listRepositories(writing)({}, call("admin"))).items.length, 1);
  assert.equal((await listRepositories(context)({}, call("admin"))).items.length, 1);
  const made = [...secrets.values()].find(({ metadata }) => metadata.name !== "r");
  assert.equal(made?.metadata.labels?.["argocd.argoproj.io/secret-type"], "repository-write");
  await createRepoCreds(writing)({ creds: { url, password: "w" } }, call("admin"));
  assert.equal(context.settings.current.writeCredentialTemplates.length, 1);
  await deleteRepository(writing)({ repo: url, appProject: "team" }, call("admin"));
  assert.ok(secrets.has("r"));
});

test("what a tenant sets does not lead a template's password elsewhere", async () => {
  const template = secret("t", "repo-creds", { url: "https://git.example/org", password: "template" });
  const { context, secrets, tried, call } = world(
    template,
    secret("r", "repository", { url, project: "team" }),
  );
  for (const more of [
    { proxy: "http://127.0.0.1:1" },
    { noProxy: "*" },
    { insecure: true },
    { insecureIgnoreHostKey: true },
    { forceHttpBasicAuth: true },
  ]) {
    const repo = { repo: url, project: "team", ...more };
    await assert.rejects(
      updateRepository(context)({ url, repo }, call("alice")),
      /credentials from a template/,
    );
    await assert.rejects(
      createRepository(context)({ repo, upsert: true }, call("alice")),
      /credentials from a template/,
    );
  }
  assert.equal(tried.length, 0);
  await updateRepository(context)({ url, repo: { repo: url, project: "team", name: "app" } }, call("alice"));
  assert.equal(tried.at(-1)?.password, "template");
  const own = { repo: url, project: "team", proxy: "http://127.0.0.1:1", password: "mine" };
  await updateRepository(context)({ url, repo: own }, call("alice"));
  assert.equal(tried.at(-1)?.password, "mine");
  assert.equal(textOf(secrets.get("r"), "proxy"), "http://127.0.0.1:1");
});

test("a request decides about the fields of a repository only", async () => {
  const { context, secrets, call } = world();
  const sly = { repo: url, project: "team", url: "https://other.example/x", secret: "y" };
  await createRepository(context)({ repo: sly }, call("alice"));
  const [made] = secrets.values();
  assert.equal(textOf(made, "url"), url);
  assert.equal(textOf(made, "secret"), undefined);
  await assert.rejects(
    createRepository(context)(
      { repo: { repo: "team/charts", type: "helm", enableOCI: true } },
      call("alice"),
    ),
    /names no host/,
  );
  await assert.rejects(
    createRepoCreds(context)({ creds: { url: "team/charts", password: "p" } }, call("alice")),
    /names no host/,
  );
  await assert.rejects(
    createRepository(context)({ repo: { repo: url, project: "team/../rival" } }, call("alice")),
    /not the name of a project/,
  );
});

test("a cluster's address and name belong to whoever has them", async () => {
  const config = JSON.stringify({ bearerToken: "theirs" });
  const { context, secrets, call } = world(
    secret("c", "cluster", { server: "https://prod.example/", name: "prod", config }),
  );
  const post = createCluster(context);
  const cluster = { server: "https://prod.example", name: "prod", project: "team" };
  await assert.rejects(post({ cluster, upsert: true }, call("alice")), refused);
  await assert.rejects(post({ cluster }, call("alice")), refused);
  const ownCluster = { ...cluster, server: "https://kubernetes.default.svc", name: "mine" };
  await assert.rejects(post({ cluster: ownCluster }, call("alice")), refused);
  for (const name of ["prod", "in-cluster"]) {
    const alias = { server: "https://evil.example", name, project: "team" };
    await assert.rejects(post({ cluster: alias }, call("alice")), refused);
  }
  const execProviderConfig = { command: "sh" };
  const program = {
    server: "https://evil.example",
    name: "e",
    project: "team",
    config: { execProviderConfig },
  };
  await assert.rejects(post({ cluster: program as never }, call("alice")), /names a program/);
  // A cloud's token, signed as Capstan, would go to an address that a tenant chooses.
  const awsAuthConfig = { clusterName: "prod" };
  const cloud = { ...program, config: { awsAuthConfig } };
  await assert.rejects(
    post({ cluster: cloud as never }, call("alice")),
    /config\.awsAuthConfig.*names a program/,
  );
  assert.equal(secrets.size, 1);
  await post({ cluster: { ...cluster, name: "prod" }, upsert: true }, call("admin"));
  assert.equal(textOf(secrets.get("c"), "project"), "team");
  const put = updateCluster(context);
  const ofTeam = { id: "https://prod.example", "id.type": undefined };
  const others: [object, RegExp][] = [
    [{ cluster: { project: "rival" }, updatedFields: ["project"] }, refused],
    [{ cluster: { name: "in-cluster" }, updatedFields: ["name"] }, refused],
    [{ cluster: { config: { execProviderConfig } }, updatedFields: ["config"] }, /names a program/],
    [{ cluster: { config: { awsAuthConfig } }, updatedFields: ["config"] }, /names a program/],
    [{ cluster: { server: "https://evil.example" } }, /keeps its address/],
  ];
  for (const [given, says] of others)
    await assert.rejects(put({ ...ofTeam, ...given } as never, call("alice")), says);
  await assert.rejects(put({ ...ofTeam, cluster: { server: "", name: "x" } }, call("bob")), refused);
  assert.equal(textOf(secrets.get("c"), "name"), "prod");
  const named = { cluster: { server: "", name: "new", namespaces: ["a"] }, updatedFields: ["name"] };
  await put({ ...ofTeam, ...named }, call("alice"));
  assert.equal(textOf(secrets.get("c"), "name"), "new");
  assert.equal(textOf(secrets.get("c"), "namespaces"), undefined);
  await deleteCluster(context)({ id: "https://prod.example", "id.type": undefined }, call("alice"));
  assert.equal(secrets.size, 0);
});
