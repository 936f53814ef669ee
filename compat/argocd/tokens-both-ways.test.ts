/** Tokens of the real Argo CD's server count here, and those made here count there: of logins, accounts and roles. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  type EmbeddedClusterProcess,
  eventually,
  lackingArgoCD,
  type RealArgoCD,
  startArgoCD,
  startEmbeddedCluster,
} from "@capstan/testkit";

const limitMs = 60_000;
const signal = () => AbortSignal.timeout(limitMs);

describe("tokens, both ways", { skip: lackingArgoCD() }, () => {
  const opened = new AsyncDisposableStack();
  let cluster: EmbeddedClusterProcess;
  let argo: RealArgoCD;
  let own: string;

  before(async () => {
    cluster = opened.use(await startEmbeddedCluster());
    own = JSON.parse(await readFile(join(cluster.dataDir, "status.json"), "utf8")).url;
    // The first request makes the Secret with the admin's password; else Argo CD makes one of its own.
    await logIn(own);
    argo = opened.use(await startArgoCD(cluster, { hasLogin: true }));
    const ref = { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-cm" };
    const body = { data: { "accounts.ci": "apiKey" } };
    await cluster.kube.patch(ref, { type: "merge", body }, { signal: signal() });
    const admin = await logIn(own);
    const spec = { sourceRepos: ["*"], destinations: [], roles: [{ name: "deploy" }] };
    const project = { project: { metadata: { name: "team" }, spec } };
    assert.equal((await call(own, "POST /api/v1/projects", { token: admin, body: project })).status, 200);
    for (const url of [own, argo.url])
      await eventually(
        async () => (await call(url, "GET /api/v1/account/ci", { token: admin })).status === 200 || undefined,
        { signal: signal(), describe: () => `${url} does not know the account` },
      );
  });
  after(() => opened.disposeAsync());

  async function call(url: string, line: string, { token, body }: { token?: string; body?: object } = {}) {
    const [method = "GET", path = "/"] = line.split(" ");
    const answer = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      signal: signal(),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const value: unknown = JSON.parse((await answer.text()) || "{}");
    return { status: answer.status, body: isRecord(value) ? value : {} };
  }

  async function logIn(url: string): Promise<string> {
    const password = (await readFile(join(cluster.dataDir, "admin-password"), "utf8")).trim();
    const { body } = await call(url, "POST /api/v1/session", { body: { username: "admin", password } });
    assert.equal(typeof body.token, "string", `${url}: ${JSON.stringify(body)}`);
    return String(body.token);
  }

  /** What one server writes reaches the other some time later. */
  const becomes = (url: string, path: string, { token, status }: { token: string; status: number }) =>
    eventually(async () => (await call(url, `GET ${path}`, { token })).status === status || undefined, {
      signal: signal(),
      describe: () => `${url}${path} does not answer ${status}`,
    });

  const directions = [
    ["Argo CD takes what Capstan made", () => [own, argo.url]],
    ["Capstan takes what Argo CD made", () => [argo.url, own]],
  ] as const;
  for (const [fact, servers] of directions) {
    test(`${fact}: logins`, async () => {
      const [maker = "", taker = ""] = servers();
      await becomes(taker, "/api/v1/account/admin", { token: await logIn(maker), status: 200 });
    });

    test(`${fact}: tokens of accounts, until they are deleted by either`, async () => {
      const [maker = "", taker = ""] = servers();
      const admin = await logIn(maker);
      const make = async (id: string) => {
        const made = await call(maker, "POST /api/v1/account/ci/token", {
          token: admin,
          body: { id, expiresIn: 3600 },
        });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        return String(made.body.token);
      };
      const path = "/api/v1/account/ci";
      for (const deleter of [maker, taker]) {
        const id = `${new URL(deleter).port}-${new URL(maker).port}`;
        const token = await make(id);
        await becomes(taker, path, { token, status: 200 });
        const listed = [(await call(own, `GET ${path}`, { token: admin })).body.tokens];
        listed.push((await call(argo.url, `GET ${path}`, { token: admin })).body.tokens);
        for (const one of listed) assert.match(JSON.stringify(one), new RegExp(id));
        const deleted = await call(deleter, `DELETE ${path}/token/${id}`, { token: admin });
        assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
        for (const url of [maker, taker]) await becomes(url, path, { token, status: 401 });
      }
    });

    test(`${fact}: tokens of a project's role, until they are deleted by either`, async () => {
      const [maker = "", taker = ""] = servers();
      const admin = await logIn(maker);
      const path = "/api/v1/projects/team";
      for (const deleter of [maker, taker]) {
        const tokens = `${path}/roles/deploy/token`;
        const made = await call(maker, `POST ${tokens}`, { token: admin, body: { expiresIn: 3600 } });
        assert.equal(made.status, 200, JSON.stringify(made.body));
        const token = String(made.body.token);
        const { iat, jti } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
        for (const url of [maker, taker]) await becomes(url, path, { token, status: 200 });
        const deleted = await call(deleter, `DELETE ${tokens}/${iat}?id=${jti}`, { token: admin });
        assert.equal(deleted.status, 200, JSON.stringify(deleted.body));
        for (const url of [maker, taker]) await becomes(url, path, { token, status: 401 });
      }
    });
  }
});
