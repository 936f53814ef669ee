import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isRecord } from "@capstan/formats";
import {
  eventually,
  type GitServer,
  lackingGitSshServer,
  startChartServer,
  startGitServer,
  startGitSshServer,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";

const path = "/api/v1/certificates";
const signal = () => AbortSignal.timeout(60_000);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const ofGitHub = {
  serverName: "github.com",
  certType: "ssh",
  certSubType: "ssh-ed25519",
  certData: base64("AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"),
};

function itemsOf(body: unknown): Record<string, unknown>[] {
  return isRecord(body) && Array.isArray(body.items) ? body.items.filter(isRecord) : [];
}

describe("certificates of repositories", () => {
  let api: ApiWorld;
  let git: GitServer;
  before(async () => {
    [api, git] = await Promise.all([openApiWorld(), startGitServer({ tls: true })]);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  const create = (items: object[], upsert = false) =>
    api.request("POST", `${path}?upsert=${upsert}`, { body: { items } });
  const validate = (url: string, query = "") =>
    api.request("POST", `/api/v1/repositories/${encodeURIComponent(url)}/validate${query}`, { body: '""' });
  const becomes = (url: string, status: number, query = "") =>
    eventually(async () => ((await validate(url, query)).status === status ? true : undefined), {
      signal: signal(),
      describe: () => `${url} does not answer with ${status}`,
    });
  const change = (name: string, data: object) =>
    api.world.kube.patch(
      { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name },
      { type: "merge", body: { data } },
      { signal: signal() },
    );
  const tls = (pem: string) => ({ serverName: "127.0.0.1", certType: "https", certData: base64(pem) });

  test("a host's certificate counts as soon as it is there, the last good one while it cannot be read, none once it is gone", async () => {
    const { url } = await git.createRepository("app", { "a.yaml": "a: 1\n" });
    const charts = await startChartServer([{ name: "web", version: "1.0.0" }], { tls: true });
    await using _ = charts;
    const refused = await validate(url);
    assert.notEqual(refused.status, 200);
    const both = git.certificateAuthority + charts.certificateAuthority;
    const { status, body } = await create([tls(both)]);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(itemsOf(body).length, 2);
    await becomes(url, 200);
    assert.equal((await validate(charts.url, "?type=helm")).status, 200);
    await change("argocd-tls-certs-cm", { "127.0.0.1": `${both}-----BEGIN CERTIFICATE-----\nAAAA\n` });
    const problems = () =>
      api.world.settings.current.problems
        .filter(({ field }) => field === "127.0.0.1")
        .map((one) => one.problem);
    await eventually(() => problems().length > 0 || undefined, {
      signal: signal(),
      describe: () => "it is not said",
    });
    assert.match(
      problems().join(),
      /certificate 3 has no line -----END.*the certificates of before stay in force/,
    );
    assert.equal((await validate(url)).status, 200);
    const gone = await api.request("DELETE", `${path}?hostNamePattern=127.0.*&certType=https`);
    assert.equal(itemsOf(gone.body).length, 3);
    const again = await eventually(
      async () => {
        const { status, body } = await validate(url);
        return status === 200 ? undefined : JSON.stringify(body);
      },
      { signal: signal(), describe: () => "the certificate still counts" },
    );
    assert.match(again, /certificate/);
  });

  test("what is listed says by subject and fingerprint what a host is known by", async () => {
    await create([ofGitHub, tls(git.certificateAuthority)], true);
    const { body } = await api.request("GET", path);
    assert.deepEqual(itemsOf(body), [
      {
        serverName: "github.com",
        certType: "ssh",
        certSubType: "ssh-ed25519",
        // As GitHub publishes it.
        certInfo: "SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU",
      },
      { serverName: "127.0.0.1", certType: "https", certSubType: "ecdsa", certInfo: "CN=Capstan testkit" },
    ]);
    const named = async (query: string) =>
      itemsOf((await api.request("GET", `${path}?${query}`)).body).map(({ serverName }) => serverName);
    assert.deepEqual(await named("hostNamePattern=git*.com"), ["github.com"]);
    assert.deepEqual(await named("certType=tls"), ["127.0.0.1"]);
    assert.deepEqual(await named("certType=ssh&certSubType=ssh-rsa"), []);
  });

  test("another key for the same host needs upsert; what is no name, key or certificate is refused whole", async () => {
    await create([ofGitHub], true);
    assert.deepEqual(itemsOf((await create([ofGitHub])).body), []);
    const otherKey = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJm";
    const other = { ...ofGitHub, certData: base64(otherKey) };
    const refused = await create([other]);
    assert.match(JSON.stringify(refused.body), /already exists, and upsert was not specified/);
    const changed = itemsOf((await create([other], true)).body);
    assert.equal(changed[0]?.certData, other.certData);
    for (const [bad, says] of [
      [{ ...ofGitHub, serverName: "a.example,*" }, /invalid hostname/],
      [{ ...ofGitHub, serverName: "a.example\nb.example" }, /invalid hostname/],
      [{ ...tls(git.certificateAuthority), serverName: "__proto__" }, /invalid hostname/],
      [{ ...ofGitHub, certData: base64("AAAA\nevil.example ssh-rsa AAAA") }, /is not the key of a host/],
      [{ ...ofGitHub, certSubType: "ssh-rsa" }, /is not the key of a host/],
      [{ ...ofGitHub, certType: "dns" }, /unknown certificate type/],
      [tls("no PEM"), /holds no certificate/],
    ] as const) {
      const { status, body } = await create([{ ...ofGitHub, serverName: "new.example" }, bad]);
      assert.equal(status, 400, JSON.stringify(body));
      assert.match(JSON.stringify(body), says);
    }
    assert.deepEqual(itemsOf((await api.request("GET", `${path}?hostNamePattern=new.example`)).body), []);
  });

  test("known hosts count for git over ssh; lines that are none stay where they are", {
    skip: lackingGitSshServer(),
  }, async () => {
    await using ssh = await startGitSshServer();
    const { url } = await ssh.createRepository("app", { "a.yaml": "a: 1\n" });
    const post = () =>
      api.request("POST", "/api/v1/repositories?upsert=true", {
        body: { repo: url, sshPrivateKey: ssh.privateKey },
      });
    assert.match(JSON.stringify((await post()).body), /its host is not known/);
    await change("argocd-ssh-known-hosts-cm", { ssh_known_hosts: "# ours\n" });
    const [serverName = "", certSubType = "", key = ""] = ssh.knownHosts.trim().split(" ");
    const { status } = await create([{ serverName, certType: "ssh", certSubType, certData: base64(key) }]);
    assert.equal(status, 200);
    await eventually(async () => ((await post()).status === 200 ? true : undefined), {
      signal: signal(),
      describe: () => "the host is not known",
    });
    const kept = await api.world.kube.get(
      { apiVersion: "v1", kind: "ConfigMap", namespace: "argocd", name: "argocd-ssh-known-hosts-cm" },
      signal(),
    );
    assert.match(JSON.stringify(kept?.data), /# ours/);
  });
});
