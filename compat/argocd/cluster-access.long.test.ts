/** Every way by which a Secret of Argo CD names a cluster, and a kubeconfig of files, against the real kube-apiserver. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { createKubeClient, httpTransport, readCluster } from "@capstan/kube";
import { lackingRealCluster, realClock, startCapstan, startRealCluster } from "@capstan/testkit";

const run = promisify(execFile);
const limit = () => AbortSignal.timeout(30_000);

/** An authority, and a client's certificate for a member of system:masters. */
async function writeCertificates(dir: string): Promise<void> {
  const openssl = (...args: string[]) => run("openssl", args, { cwd: dir });
  await openssl(
    ..."req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=ca -keyout ca.key -out ca.crt".split(" "),
  );
  await openssl(
    ..."req -newkey rsa:2048 -nodes -subj /O=system:masters/CN=ada -keyout ada.key -out ada.csr".split(" "),
  );
  await openssl(
    ..."x509 -req -days 1 -in ada.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out ada.crt".split(" "),
  );
}

/** Programs that stand for the clouds' own: they write down how they were called and give the token. */
async function writePrograms(dir: string, token: string): Promise<void> {
  const credential = JSON.stringify({
    apiVersion: "client.authentication.k8s.io/v1beta1",
    kind: "ExecCredential",
    status: { token },
  });
  for (const name of ["aws", "gke-gcloud-auth-plugin", "kubelogin", "own-program"]) {
    await writeFile(
      join(dir, name),
      `#!/bin/sh\necho "$@" > '${dir}/${name}.called'\necho '${credential}'\n`,
    );
    await chmod(join(dir, name), 0o755);
  }
}

/** A proxy of HTTP CONNECT, and what it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer().on("connect", (request, caller) => {
    asked.push(request.url ?? "");
    const [host = "", port] = (request.url ?? "").split(":");
    const callee = connect(Number(port), host, () => {
      caller.write("HTTP/1.1 200 OK\r\n\r\n");
      callee.pipe(caller).pipe(callee);
    });
    callee.on("error", () => caller.destroy());
    caller.on("error", () => callee.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return { asked, url, [Symbol.dispose]: () => void server.close() };
}

test("clusters by Secret reach the real kube-apiserver", { skip: lackingRealCluster() }, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-clusters-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await writeCertificates(dir);
  await using cluster = await startRealCluster({ clientAuthority: join(dir, "ca.crt") });
  const { token: bearerToken } = cluster;
  await writePrograms(dir, bearerToken);
  using proxy = await startProxy();
  const base64 = async (path: string) => (await readFile(path)).toString("base64");
  const caData = await base64(cluster.authority);
  const [certData, keyData] = [await base64(join(dir, "ada.crt")), await base64(join(dir, "ada.key"))];
  const insecure = { tlsClientConfig: { insecure: true } };
  const trusted = { tlsClientConfig: { caData } };
  /** Whether it may list the nodes, which only a known user may; else the status. */
  const ask = async (config: object): Promise<string> => {
    const text = (value: string) => Buffer.from(value).toString("base64");
    const { config: read } = readCluster({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "c", namespace: "argocd" },
      data: { name: text("c"), server: text(cluster.url), config: text(JSON.stringify(config)) },
    });
    const env = { PATH: `${dir}:${process.env.PATH}` };
    await using transport = httpTransport(read, { clock: realClock, env });
    const kube = createKubeClient({ transport, userAgent: "test", clock: realClock });
    return kube.list({ apiVersion: "v1", kind: "Namespace" }, limit()).then(
      () => "listed",
      (error: unknown) => String(error),
    );
  };
  const called = (name: string) => readFile(join(dir, `${name}.called`), "utf8");

  await t.test("with a bearer token; the authority, or none", async () => {
    assert.equal(await ask({ bearerToken, ...trusted }), "listed");
    assert.equal(await ask({ bearerToken, ...insecure }), "listed");
    assert.match(await ask({ bearerToken }), /certificate/i);
    assert.match(await ask({ bearerToken: "wrong", ...trusted }), /401|Unauthorized/i);
  });

  await t.test("with the name that the certificate must have", async () => {
    const named = (serverName: string) => ask({ bearerToken, tlsClientConfig: { caData, serverName } });
    assert.equal(await named("kubernetes.default.svc"), "listed");
    assert.match(await named("other.example"), /altnames|certificate/i);
  });

  await t.test("with a client's certificate", async () => {
    assert.equal(await ask({ tlsClientConfig: { caData, certData, keyData } }), "listed");
  });

  await t.test("with user and password, which kube-apiserver takes from nobody since 1.19", async () => {
    assert.match(
      await ask({ username: "ada", password: "secret", ...trusted }),
      /401|Unauthorized|forbidden/i,
    );
  });

  await t.test("by a program", async () => {
    const execProviderConfig = {
      command: "own-program",
      args: ["-x"],
      apiVersion: "client.authentication.k8s.io/v1",
    };
    assert.equal(await ask({ execProviderConfig, ...trusted }), "listed");
    assert.equal(await called("own-program"), "-x\n");
  });

  await t.test("of EKS, GKE and AKS, by the clouds' own programs", async () => {
    const awsAuthConfig = { clusterName: "shop", roleARN: "arn:aws:iam::1:role/deploy" };
    assert.equal(await ask({ awsAuthConfig, ...trusted }), "listed");
    const expected = "eks get-token --cluster-name=shop --output=json --role-arn=arn:aws:iam::1:role/deploy";
    assert.equal(await called("aws"), `${expected}\n`);
    const by = (args: string[], env: Record<string, string> = {}) =>
      ask({ execProviderConfig: { command: "argocd-k8s-auth", args, env }, ...trusted });
    assert.equal(await by(["aws", "--cluster-name", "two", "--profile=p"]), "listed");
    assert.equal(await called("aws"), "eks get-token --cluster-name=two --output=json --profile=p\n");
    assert.equal(await by(["gcp"]), "listed");
    assert.equal(await called("gke-gcloud-auth-plugin"), "\n");
    assert.equal(await by(["azure"], { AAD_LOGIN_METHOD: "msi" }), "listed");
    assert.equal(
      await called("kubelogin"),
      "get-token --server-id=6dae42f8-4368-4678-94ff-3960e28e3630 --login=msi\n",
    );
    await assert.rejects(ask({ awsAuthConfig: {} }), /clusterName/);
  });

  await t.test("by a proxy, and without compression", async () => {
    assert.equal(await ask({ bearerToken, proxyUrl: proxy.url, ...trusted }), "listed");
    assert.deepEqual(proxy.asked, [new URL(cluster.url).host]);
    assert.equal(await ask({ bearerToken, disableCompression: true, ...trusted }), "listed");
  });

  await t.test("capstan up, with certificates in files, as minikube and kubeadm write them", async () => {
    const folder = join(dir, "kube");
    await mkdir(folder);
    for (const name of ["ada.crt", "ada.key"]) await copyFile(join(dir, name), join(folder, name));
    await copyFile(cluster.authority, join(folder, "server.crt"));
    const kubeconfig = join(folder, "config");
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: "v1",
        kind: "Config",
        "current-context": "own",
        clusters: [{ name: "own", cluster: { server: cluster.url, "certificate-authority": "server.crt" } }],
        users: [{ name: "me", user: { "client-certificate": "ada.crt", "client-key": "ada.key" } }],
        contexts: [{ name: "own", context: { cluster: "own", user: "me" } }],
      }),
    );
    await using capstan = await startCapstan({ flags: ["--kubeconfig", kubeconfig] });
    const [apiVersion, namespace] = ["argoproj.io/v1alpha1", "argocd"];
    // By the copy of the kubeconfig in the data folder.
    const ref = { apiVersion, kind: "AppProject", namespace, name: "default" };
    assert.ok(await capstan.kube.get(ref, AbortSignal.timeout(100_000)));
  });
});
