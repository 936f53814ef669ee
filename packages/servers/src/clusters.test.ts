import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { eventually } from "@capstan/testkit";
import { type ApiWorld, openApiWorld, openSecondCluster } from "@capstan/testkit/worlds";

const path = "/api/v1/clusters";
const signal = () => AbortSignal.timeout(60_000);

describe("clusters over REST", () => {
  let api: ApiWorld;
  let second: Awaited<ReturnType<typeof openSecondCluster>>;
  before(async () => {
    api = await openApiWorld();
    second = await openSecondCluster(api.world.kube, "second");
    await eventually(() => api.world.settings.current.clusters[0], {
      signal: signal(),
      describe: () => "the second cluster is not known",
    });
  });
  after(async () => {
    await second[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  const ask = async (method: string, rest: string, body?: object) => {
    const answer = await api.request(method, `${path}${rest}`, body ? { body } : {});
    return { status: answer.status, body: isRecord(answer.body) ? answer.body : {} };
  };
  const secretOf = (name: string) =>
    api.world.kube.get({ apiVersion: "v1", kind: "Secret", namespace: "argocd", name }, signal());
  const configOf = async () => {
    const secret = await secretOf("second");
    const encoded = isRecord(secret?.data) ? String(secret.data.config) : "";
    return JSON.parse(Buffer.from(encoded, "base64").toString()) as { bearerToken: string };
  };
  const settled = (is: () => boolean, what: string) =>
    eventually(() => is() || undefined, { signal: signal(), describe: () => what });
  const known = () => api.world.settings.current.clusters.find(({ name }) => name.startsWith("second"));

  test("named fields of a cluster are changed, its credentials stay; what does not answer is not kept", async () => {
    const before = await configOf();
    const changed = await ask("PUT", "/second?id.type=name&updatedFields=labels&updatedFields=namespaces", {
      name: "other",
      labels: { team: "web" },
      namespaces: ["default"],
    });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
    assert.deepEqual(changed.body.labels, { team: "web" });
    assert.deepEqual(changed.body.namespaces, ["default"]);
    assert.equal(changed.body.name, "second");
    assert.match(String(changed.body.serverVersion), /^1\.\d+$/);
    assert.deepEqual(changed.body.config, { tlsClientConfig: { insecure: false } });
    assert.deepEqual(await configOf(), before);
    const dead = { config: { ...before, bearerToken: "wrong" } };
    const refused = await ask("PUT", "/second?id.type=name&updatedFields=config", dead);
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /does not answer as a Kubernetes cluster does/);
    assert.deepEqual(await configOf(), before);
    const slashes = { server: `https://x${"/".repeat(500_000)}x` };
    const moved = await ask("PUT", "/second?id.type=name&updatedFields=labels", slashes);
    assert.match(JSON.stringify(moved.body), /a cluster keeps its address/);
    const created = await ask("POST", "", { server: "https://127.0.0.1:1", name: "dead" });
    assert.equal(created.status, 503, JSON.stringify(created.body));
    await settled(() => known()?.labels.team === "web", "the label does not come");
  });

  test("a token of a service account is exchanged for another one, and the old one ends", async () => {
    const { kube } = second;
    const metadata = { namespace: "default", name: "manager" };
    await kube.create({ apiVersion: "v1", kind: "ServiceAccount", metadata }, { signal: signal() });
    await kube.create(
      {
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRoleBinding",
        metadata: { name: "manager" },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
        subjects: [{ kind: "ServiceAccount", ...metadata }],
      },
      { signal: signal() },
    );
    const annotations = { "kubernetes.io/service-account.name": "manager" };
    const named = { namespace: "default", name: "manager-long-lived-token" };
    const type = "kubernetes.io/service-account-token";
    await kube.create(
      { apiVersion: "v1", kind: "Secret", type, metadata: { ...named, annotations } },
      { signal: signal() },
    );
    const token = await eventually(
      async () => {
        const secret = await kube.get({ apiVersion: "v1", kind: "Secret", ...named }, signal());
        const encoded = isRecord(secret?.data) ? secret.data.token : undefined;
        return typeof encoded === "string" ? Buffer.from(encoded, "base64").toString() : undefined;
      },
      { signal: signal(), describe: () => "there is no token" },
    );
    const notYet = await ask("POST", "/second/rotate-auth?id.type=name");
    assert.match(JSON.stringify(notYet.body), /cannot be rotated/);
    const config = { ...(await configOf()), bearerToken: token };
    const put = await ask("PUT", "/second?id.type=name&updatedFields=config", { config });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    await settled(() => known()?.config.bearerToken === token, "the token is not known");
    const rotated = await ask("POST", "/second/rotate-auth?id.type=name");
    assert.equal(rotated.status, 200, JSON.stringify(rotated.body));
    assert.notEqual((await configOf()).bearerToken, token);
    assert.equal(await kube.get({ apiVersion: "v1", kind: "Secret", ...named }, signal()), undefined);
    const account = await kube.get({ apiVersion: "v1", kind: "ServiceAccount", ...metadata }, signal());
    assert.match(JSON.stringify(account?.secrets), /^\[\{"name":"manager-long-lived-/);
    const own = await ask("POST", `/${encodeURIComponent("https://kubernetes.default.svc")}/rotate-auth`);
    assert.match(JSON.stringify(own.body), /does not use bearer token authentication/);
  });

  test("what is known of a cluster is asked anew on request, also of the one without a Secret", async () => {
    const own = `/${encodeURIComponent("https://kubernetes.default.svc")}`;
    const before = api.world.clusters.forDestination({ server: "https://kubernetes.default.svc" });
    const { status, body } = await ask("POST", `${own}/invalidate-cache`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.match(String(body.refreshRequestedAt), /^\d{4}-/);
    await settled(() => before.closed.aborted, "the connection is the old one");
    await settled(
      () => api.world.settings.current.clusters.some(({ name }) => name === "in-cluster"),
      "the cluster has no Secret",
    );
    const { body: shown } = await ask("GET", own);
    assert.equal(shown.refreshRequestedAt, body.refreshRequestedAt);
    assert.equal(shown.serverVersion, "1.36");
    const { status: state, message } = shown.connectionState as { status: string; message?: string };
    assert.deepEqual({ state, message }, { state: "Successful", message: undefined });
    assert.equal((await ask("POST", "/absent/invalidate-cache?id.type=name")).status, 404);
  });

  test("a name may be escaped, as clients write it into addresses", async () => {
    const shown = await ask("GET", "/s%2565cond?id.type=name_escaped");
    assert.equal(shown.body.name, "second", JSON.stringify(shown.body));
    assert.equal((await ask("GET", "/s%2565cond?id.type=name")).status, 404);
    const { body } = await ask("GET", "?name=second");
    assert.equal(Array.isArray(body.items) && body.items.length, 1);
  });
});
