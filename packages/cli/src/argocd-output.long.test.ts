/** `argocd` and `capstan` print the same of the same server. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import {
  configMapText,
  createGitRepository,
  type GitRepository,
  lacking,
  realClock,
  realProgramPath,
} from "@capstan/testkit";
import { sampleOf } from "@capstan/testkit/whole-suite";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "./test-main.ts";

const exec = promisify(execFile);

/** Each is asked with both programs, in this order; what changes something is asked with the one alone that it names. */
const calls = [
  "proj list",
  "proj list -o name",
  "proj get web",
  "proj role list web",
  "proj role list web -o name",
  "proj windows list web",
  "app list",
  "app list -o name",
  "app list -l x=y",
  "app get web",
  "app get web --show-operation",
  "app history web -o id",
  "app resources web",
  "app actions list web",
  "app manifests web",
  "app manifests web --source live",
  "app diff web",
  "app get-resource web --kind ConfigMap --resource-name config -o yaml",
  "repo list",
  "repo list -o url",
  "repocreds list",
  "cluster list",
  "cluster list -o server",
  "cert list",
  "gpg list",
  "account list",
  "account get --account admin",
  "account get-user-info",
  "account can-i get applications '*'",
];

/** Why a call prints something else. */
const differs: Readonly<Record<string, string>> = {
  "proj windows list web":
    "argocd has no heading for its last column, and prints it as a mistake of its format",
  "app get web":
    "the page's address has the namespace; argocd prints a result's phase as status, its status as health",
  "app get web --show-operation": "as app get",
  "app get-resource web --kind ConfigMap --resource-name config -o yaml": "argocd indents by four here alone",
};

describe("what argocd prints", { skip: lacking("argocd") }, () => {
  let api: ApiWorld;
  let git: GitRepository;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-output-"));
    git = await createGitRepository({ "web/config.yaml": configMapText("config") });
    api = await openApiWorld();
    const ofApp = ["--repo", git.url, "--path", "web", "--dest-server", "https://kubernetes.default.svc"];
    for (const argv of [
      ["app", "create", "web", ...ofApp, "--dest-namespace", "web", "--sync-option", "CreateNamespace=true"],
      ["app", "sync", "web"],
      [
        "proj",
        "create",
        "web",
        "-s",
        "*",
        "-d",
        "https://kubernetes.default.svc,web",
        "--description",
        "The shop",
      ],
      ["proj", "role", "create", "web", "ci", "--description", "For pipelines"],
      [
        "proj",
        "windows",
        "add",
        "web",
        "-k",
        "deny",
        "--schedule",
        "0 22 * * *",
        "--duration",
        "1h",
        "--namespaces",
        "a",
      ],
      ["repo", "add", git.url],
      ["repocreds", "add", "https://git.example/team", "--username", "me", "--password", "secret"],
    ]) {
      const { code, err } = await capstan(...argv);
      assert.equal(code, 0, err);
    }
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const capstan = (...argv: string[]) =>
    runMain([...argv, "--server", api.url, "--auth-token", api.token], { home, clock: realClock });

  async function argocd(...argv: string[]): Promise<{ code: number; out: string }> {
    const server = ["--server", new URL(api.url).host, "--plaintext", "--auth-token", api.token];
    try {
      const { stdout } = await exec(realProgramPath("argocd"), [...argv, ...server], {
        env: { HOME: home, PATH: process.env.PATH },
        timeout: 60_000,
      });
      return { code: 0, out: stdout };
    } catch (error) {
      const failed = error instanceof Error && "code" in error && "stdout" in error ? error : undefined;
      if (!failed || typeof failed.code !== "number") throw error;
      return { code: failed.code, out: String(failed.stdout) };
    }
  }

  for (const call of sampleOf(calls))
    test(call, async () => {
      const argv = call.split(" ").map((word) => word.replaceAll("'", ""));
      const [real, ours] = [await argocd(...argv), await capstan(...argv)];
      const isSame = real.code === ours.code && bare(real.out) === bare(ours.out);
      if (differs[call]) assert.ok(!isSame, `${call} prints the same now: strike it`);
      else
        assert.deepEqual({ code: ours.code, out: bare(ours.out) }, { code: real.code, out: bare(real.out) });
    });
});

/** Without blanks at the ends of lines, and without the port by which a page is named. */
function bare(text: string): string {
  return `${text.replace(/[ \t]+$/gm, "").trimEnd()}\n`;
}
