import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { rootCertificates } from "node:tls";
import { realClock } from "@capstan/testkit";
import { type ApiWorld, openApiWorld, startListeningCluster } from "@capstan/testkit/worlds";
import { runMain } from "./test-main.ts";

const key = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";

describe("capstan repocreds, cert, gpg and cluster", () => {
  let api: ApiWorld;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-registry-"));
    api = await openApiWorld();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const run = (argv: readonly string[], input = "") =>
    runMain([...argv, "--server", api.url, "--auth-token", api.token], { home, input, clock: realClock });
  const capstan = (...argv: string[]) => run(argv);
  /** What a command says, and with which code it ends. */
  const said = async (...argv: string[]) => {
    const { code, out, err } = await capstan(...argv);
    return [code, out + err];
  };

  test("credentials of many repositories are added, listed without their secrets, and removed", async () => {
    const url = "https://git.example/team";
    assert.deepEqual(await said("repocreds", "add", url, "--username", "me", "--password", "secret"), [
      0,
      `Repository credentials for '${url}' added\n`,
    ]);
    assert.deepEqual(await said("repocreds", "list"), [
      0,
      `URL PATTERN               USERNAME  SSH_CREDS  TLS_CREDS\n${url}  me        false      false\n`,
    ]);
    assert.deepEqual(await said("repocreds", "list", "-o", "url"), [0, `${url}\n`]);
    assert.doesNotMatch((await capstan("repocreds", "list", "-o", "yaml")).out, /secret/);
    assert.deepEqual(await said("repocreds", "rm", url), [
      0,
      `Repository credentials for '${url}' removed\n`,
    ]);
    assert.equal((await capstan("repocreds", "list", "-o", "json")).out, "[]\n");
  });

  test("credentials that do not fit an address or each other are refused before anything is sent", async () => {
    const add = (...argv: string[]) => said("repocreds", "add", ...argv);
    const https = "https://git.example/team";
    const refusals: [string[], RegExp][] = [
      [[https, "--ssh-private-key-path", "x"], /only supported for SSH repositories/],
      [
        ["git@h:a", "--tls-client-cert-path", "x", "--tls-client-cert-key-path", "y"],
        /for HTTPS repositories/,
      ],
      [[https, "--tls-client-cert-path", "x"], /must be specified together/],
      [[https, "--bearer-token", "x", "--password", "y"], /not both/],
      [[https, "--bearer-token", "x", "--type", "helm"], /only supported for Git/],
      [["git@h:a", "--bearer-token", "x"], /only supported for HTTPS/],
    ];
    for (const [argv, sentence] of refusals) {
      const [code, text] = await add(...argv);
      assert.equal(code, 20);
      assert.match(String(text), sentence);
    }
    assert.equal((await capstan("repo", "add", "https://c", "--type", "helm")).code, 1);
  });

  test("keys of SSH servers come as ssh-keyscan prints them", async () => {
    const scan = `# git.example:22 SSH-2.0\ngit.example,[git.example]:2222 ssh-ed25519 ${key}\n`;
    const added = await run(["cert", "add-ssh", "--batch"], scan);
    assert.deepEqual(added, { code: 0, out: "Successfully created 2 SSH known host entries\n", err: "" });
    const listed = await capstan("cert", "list", "--cert-type", "ssh", "--hostname-pattern", "git.*");
    assert.match(listed.out, /^HOSTNAME +TYPE +SUBTYPE +INFO\ngit\.example +ssh +ssh-ed25519 +SHA256:/);
    assert.deepEqual(await said("cert", "rm", "git.example"), [
      0,
      "Removed cert for 'git.example' of type 'ssh' (subtype 'ssh-ed25519')\n",
    ]);
    assert.equal((await capstan("cert", "rm", "*")).code, 20);
    assert.match(
      (await run(["cert", "add-ssh", "--batch"], "git.example none\n")).err,
      /line 1 is not HOST TYPE KEY/,
    );
    assert.match((await run(["cert", "add-ssh"])).err, /you need to specify --batch/);
  });

  test("certificates of TLS servers are read before they are sent", async () => {
    const file = join(home, "server.pem");
    await writeFile(file, `The first:\n${rootCertificates[0]}\n`);
    assert.deepEqual(await said("cert", "add-tls", "git.example", "--from", file), [
      0,
      `Reading TLS certificate data in PEM format from '${file}'\nCreated entry with 1 PEM certificates for repository server git.example\n`,
    ]);
    assert.match((await capstan("cert", "list", "--cert-type", "https")).out, /\ngit\.example +https /);
    const { out } = await capstan("cert", "list", "-o", "json");
    assert.equal(
      JSON.parse(out).filter((one: { serverName: string }) => one.serverName === "git.example").length,
      1,
    );
    const twice = await run(
      ["cert", "add-tls", "x", "--upsert"],
      `${rootCertificates[0]}${rootCertificates[0]}`,
    );
    assert.match(twice.err, /stands in the text twice/);
    const cut = await run(
      ["cert", "add-tls", "x"],
      `${rootCertificates[0]}\n${rootCertificates[1]?.slice(0, 500)}`,
    );
    assert.match(cut.err, /^2 certificates begin in the text, and 1 are whole/);
    assert.equal(
      (await run(["cert", "add-tls", "x"], "none")).out,
      "No valid certificates have been detected in the stream.\n",
    );
  });

  test("keys of signatures are added, shown and removed", async () => {
    const file = join(import.meta.dirname, "..", "..", "servers", "src", "api", "testdata", "ada.asc");
    assert.deepEqual(await said("gpg", "add", "--from", file), [0, "Created 1 key(s) from input file.\n"]);
    assert.match(String(await said("gpg", "add", "--from", file)), /and 1 key\(s\) were skipped/);
    const { out } = await capstan("gpg", "list");
    assert.match(out, /^KEYID +TYPE +IDENTITY\n[0-9A-F]{16} +[A-Z0-9]+ +Ada/);
    const id = /\n([0-9A-F]{16}) /.exec(out)?.[1] ?? "";
    assert.match(
      (await capstan("gpg", "get", id)).out,
      new RegExp(`^Key ID: {10}${id}\nKey fingerprint: [0-9A-F]{40}\n`),
    );
    assert.deepEqual(await said("gpg", "rm", id), [0, `Deleted key with key ID ${id}\n`]);
    assert.equal((await capstan("gpg", "get", id)).code, 20);
    assert.match((await capstan("gpg", "add")).err, /--from is mandatory/);
  });

  test("a cluster is added with an account of its own, and managed by its token", async () => {
    await using cluster = await startListeningCluster();
    const { url } = cluster;
    const kubeconfig = join(home, "kubeconfig");
    await writeFile(kubeconfig, cluster.kubeconfig);
    const asked = await capstan("cluster", "add", "--kubeconfig", kubeconfig);
    assert.deepEqual([asked.code, asked.err], [1, "Choose a context name from: test\n"]);
    const added = await capstan(
      "cluster",
      "add",
      "test",
      "--kubeconfig",
      kubeconfig,
      "--name",
      "other",
      "--label",
      "a=b",
    );
    assert.equal(added.code, 0, added.err);
    assert.equal(added.out, `Cluster '${url}' added\n`);
    assert.match(
      added.err,
      /^ServiceAccount "argocd-manager" applied in namespace "kube-system"\nClusterRole "argocd-manager-role" applied\n/,
    );
    const shown = JSON.parse((await capstan("cluster", "get", "other", "-o", "json")).out);
    assert.deepEqual([shown.server, shown.labels], [url, { a: "b" }]);
    const rotated = await capstan("cluster", "rotate-auth", "other");
    assert.deepEqual([rotated.code, rotated.out], [0, "Cluster 'other' rotated auth\n"], rotated.err);
    const changed = await capstan("cluster", "set", "other", "--namespace", "web", "--name", "third");
    assert.equal(changed.out, "Cluster 'other' updated.\n", changed.err);
    assert.match((await capstan("cluster", "list")).out, /\(1 namespaces\) +third /);
    assert.equal((await capstan("cluster", "rm", "third", "-y")).out, "Cluster 'third' removed\n");
  });

  test("a cluster is shown, changed and forgotten", async () => {
    assert.match((await capstan("cluster", "get", "in-cluster")).out, /^(.*\n)*name: in-cluster\n/);
    const wide = await capstan("cluster", "get", "https://kubernetes.default.svc", "-o", "wide");
    assert.match(
      wide.out,
      /^Cluster information\n\n {2}Server URL: {12}https:\/\/kubernetes\.default\.svc\n/,
    );
    assert.equal((await capstan("cluster", "set", "in-cluster")).code, 1);
    assert.equal((await capstan("cluster", "get", "nowhere")).code, 20);
    assert.match((await capstan("cluster", "rm", "in-cluster")).err, /no terminal to ask at/);
    assert.equal((await capstan("cluster", "rotate-auth", "in-cluster")).code, 20);
  });
});
