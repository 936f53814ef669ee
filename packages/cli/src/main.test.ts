import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  type GitRepository,
  isSettled,
  realClock,
  untilApplication,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { type Run, runMain } from "./test-main.ts";

describe("capstan", () => {
  let api: ApiWorld;
  let git: GitRepository;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-home-"));
    git = await createGitRepository({
      "web/config.yaml": configMapText("config"),
      "web/web.yaml": deploymentText("web"),
      "other/config.yaml": configMapText("other"),
    });
    api = await openApiWorld();
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const run = (argv: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Run> =>
    runMain(argv, { home, env, input, clock: realClock });

  const capstan = (...argv: string[]) => run([...argv, "--server", api.url, "--auth-token", api.token]);
  const create = (name: string, path: string, ...more: string[]) =>
    capstan(
      ...["app", "create", name, "--repo", git.url, "--path", path, "--dest-name", "in-cluster"],
      ...["--dest-namespace", name, "--sync-option", "CreateNamespace=true", ...more],
    );

  test("an application is created, synced, listed and shown as argocd shows it", async () => {
    assert.deepEqual(await create("web", "web"), { code: 0, out: "application 'web' created\n", err: "" });
    const synced = await capstan("app", "sync", "web");
    assert.equal(synced.code, 0, synced.err);
    assert.match(synced.out, /^TIMESTAMP +GROUP +KIND +NAMESPACE +NAME +STATUS +HEALTH +HOOK +MESSAGE\n/);
    assert.match(synced.out, /\nPhase: {14}Succeeded\n/);
    const waited = await capstan("app", "wait", "web", "--timeout", "30");
    assert.match(waited.out, /\nSync Status: +Synced [^\n]*\n[\s\S]*\nPhase: +Succeeded\n/);
    assert.equal(JSON.parse((await capstan("app", "wait", "web", "-o", "json")).out).metadata.name, "web");
    assert.match((await capstan("app", "wait", "web", "-o", "tree")).out, /\nKIND\/NAME +STATUS/);
    const { out } = await capstan("app", "list");
    const width = git.url.length;
    const expected = [
      `NAME        CLUSTER     NAMESPACE  PROJECT  STATUS  HEALTH   SYNCPOLICY  CONDITIONS  ${"REPO".padEnd(width)}  PATH  TARGET`,
      `argocd/web  in-cluster  web        default  Synced  Healthy  Manual      <none>      ${git.url}  web   `,
      "",
    ];
    assert.deepEqual(out.split("\n"), expected);
    const shown = await capstan("app", "get", "web");
    assert.match(shown.out, /^Name: {15}argocd\/web\nProject: {12}default\nServer: {13}in-cluster\n/);
    assert.match(shown.out, /\nSync Status: {8}Synced to {2}\([0-9a-f]{7}\)\nHealth Status: {6}Healthy\n/);
    assert.match(shown.out, /\napps +Deployment +web +web +Synced +Healthy/);
  });

  test("names, JSON and YAML are for programs", async () => {
    assert.equal((await capstan("app", "list", "-o", "name")).out, "argocd/web\n");
    const { out } = await capstan("app", "get", "web", "-o", "json");
    assert.equal(JSON.parse(out).metadata.name, "web");
    assert.match(
      (await capstan("app", "get", "web", "-o", "yaml")).out,
      /^apiVersion: argoproj\.io\/v1alpha1\n/,
    );
    assert.match((await capstan("app", "get", "web", "-o", "tree")).out, /\n├─|\n└─ReplicaSet\/web-/);
  });

  test("diff exits with 0 without differences, with 1 with some, with 2 when it fails", async () => {
    assert.deepEqual(await capstan("app", "diff", "web"), { code: 0, out: "", err: "" });
    await git.commit({ "web/config.yaml": configMapText("config", "2") });
    const { code, out } = await capstan("app", "diff", "web", "--revision", "main", "--refresh");
    assert.equal(code, 1);
    assert.match(out, /===== \/ConfigMap web\/config ======\n--- live\n\+\+\+ git\n@@/);
    assert.match(out, /\n- {2}key: "1"\n\+ {2}key: "2"\n/);
    assert.equal((await capstan("app", "diff", "web", "--refresh", "--exit-code=false")).code, 0);
    assert.equal((await capstan("app", "diff", "web", "--diff-exit-code", "7")).code, 7);
    assert.equal((await capstan("app", "diff", "absent")).code, 2);
  });

  test("a dry run says what would happen and changes nothing", async () => {
    const { code, out } = await capstan("app", "sync", "web", "--dry-run");
    assert.equal(code, 0);
    assert.match(out, /Phase: {14}Succeeded/);
    assert.equal((await capstan("app", "diff", "web")).code, 1);
  });

  test("a preview without a terminal needs to be told to go on", async () => {
    const refused = await capstan("app", "sync", "web", "--preview-changes");
    assert.equal(refused.code, 20);
    assert.match(refused.out, /update +ConfigMap web\/config/);
    const accepted = await capstan("app", "sync", "web", "--preview-changes", "--assumeYes");
    assert.equal(accepted.code, 0, accepted.err);
  });

  test("history lists deployments, and rollback goes back", async () => {
    const { out } = await capstan("app", "history", "web");
    assert.match(
      out,
      /^ID {2}DATE +REVISION\n0 {3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC +[0-9a-f]{7}\n1 /,
    );
    const back = await capstan("app", "rollback", "web", "0");
    assert.equal(back.code, 0, back.err);
    assert.match(back.out, /configmap\/config configured/);
    assert.equal((await capstan("app", "rollback", "web", "99")).code, 20);
  });

  test("set and unset change what they name and nothing else", async () => {
    assert.equal((await create("other", "other", "--sync-policy", "none")).code, 0);
    const set = await capstan(
      "app",
      "set",
      "other",
      "--sync-policy",
      "automated",
      "--auto-prune",
      "--revision",
      "main",
    );
    assert.deepEqual(set, { code: 0, out: "", err: "" });
    const spec = async () => JSON.parse((await capstan("app", "get", "other", "-o", "json")).out).spec;
    const { syncPolicy, source } = await spec();
    assert.deepEqual(syncPolicy, { automated: { prune: true }, syncOptions: ["CreateNamespace=true"] });
    assert.deepEqual(source, { path: "other", repoURL: git.url, targetRevision: "main" });
    assert.equal((await capstan("app", "wait", "other", "--timeout", "30")).code, 0);
    assert.equal((await capstan("app", "set", "other", "--nameprefix", "x-", "--validate=false")).code, 0);
    assert.equal((await spec()).source.kustomize.namePrefix, "x-");
    assert.equal((await capstan("app", "unset", "other")).code, 1);
  });

  test("a mistyped name is answered with the one that was meant", async () => {
    const { code, err } = await capstan("app", "get", "wbe");
    assert.equal(code, 20);
    assert.equal(err, 'error: application "wbe" does not exist; did you mean "web"?\n');
    assert.equal(
      (await capstan("app", "gte", "web")).err.split("\n")[0],
      "unknown command: app gte; did you mean app get?",
    );
    assert.match(
      (await capstan("app", "sync", "web", "--prnue")).err,
      /unknown flag: --prnue; did you mean --prune\?/,
    );
  });

  test("an application comes from a file or from standard input", async () => {
    const text = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: piped}
spec:
  project: default
  source: {repoURL: "${git.url}", path: other}
  destination: {name: in-cluster, namespace: piped}
`;
    const server = ["--server", api.url, "--auth-token", api.token];
    assert.equal(
      (await run(["app", "create", "-f", "-", ...server], {}, text)).out,
      "application 'piped' created\n",
    );
    const file = join(home, "application.yaml");
    await writeFile(file, text.replace("path: other", "path: web"));
    const again = await capstan("app", "create", "-f", file);
    assert.equal(again.code, 20);
    assert.match(again.err, /existing application spec is different, use upsert/);
    for (const done of ["updated", "unchanged"])
      assert.equal(
        (await capstan("app", "create", "-f", file, "--upsert")).out,
        `application 'piped' ${done}\n`,
      );
    const deleted = await capstan("app", "delete", "piped", "-y", "--wait");
    assert.deepEqual(deleted, { code: 0, out: "application 'piped' deleted\n", err: "" });
    assert.equal((await capstan("app", "wait", "piped", "--delete", "--timeout", "5")).code, 0);
  });

  test("an application of several sources goes back too, as its plan says", async () => {
    const source = (path: string) => ({ repoURL: git.url, path, targetRevision: "main" });
    const application = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "two", namespace: "argocd" },
      spec: {
        project: "default",
        destination: { name: "in-cluster", namespace: "two" },
        sources: [source("other"), source("third")],
        syncPolicy: { syncOptions: ["CreateNamespace=true"] },
      },
    };
    await git.commit({ "third/config.yaml": configMapText("third", "before") });
    const server = ["--server", api.url, "--auth-token", api.token];
    const created = await run(["app", "create", "-f", "-", ...server], {}, JSON.stringify(application));
    assert.equal(created.code, 0, created.err);
    assert.equal((await capstan("app", "sync", "two")).code, 0);
    await git.commit({ "third/config.yaml": configMapText("third", "after") });
    assert.equal((await capstan("app", "sync", "two")).code, 0);
    const plan = await api.request("POST", "/api/v1/applications/two/sync-plan", { body: { historyId: 0 } });
    assert.match(JSON.stringify(plan.body), /"counts":\{[^}]*"update":1/);
    const back = await capstan("app", "rollback", "two", "0");
    assert.equal(back.code, 0, back.err);
    assert.doesNotMatch(back.out, /ComparisonError/);
    const third = { apiVersion: "v1", kind: "ConfigMap", namespace: "two", name: "third" };
    const found = await api.world.kube.get(third, AbortSignal.timeout(10_000));
    assert.deepEqual(found?.data, { key: "before" });
    await untilApplication(api.world.kube, "two", ({ sync }) => sync === "OutOfSync");
  });

  test("a wait that takes too long says so", async () => {
    const { code, err } = await capstan("app", "wait", "web", "--degraded", "--timeout", "1");
    assert.equal(code, 20);
    assert.match(err, /timed out \(1s\): web: its last operation Succeeded, .*; it is \w+ and Healthy/);
  });

  test("login keeps a token that only its owner can read; logout forgets it", async () => {
    const login = await run(["login", api.url, "--username", "admin", "--password", api.password]);
    assert.equal(login.code, 0, login.err);
    const config = join(home, ".config", "argocd", "config");
    assert.equal((await stat(config)).mode & 0o777, 0o600);
    const host = new URL(api.url).host;
    assert.match(await readFile(config, "utf8"), new RegExp(`current-context: ${host}\n`));
    assert.match((await run(["app", "list", "-o", "name"])).out, /argocd\/web/);
    assert.match((await run(["account", "get-user-info"])).out, /Username: admin/);
    assert.equal(
      (await run(["context"])).out,
      `CURRENT  NAME${" ".repeat(host.length - 4)}  SERVER\n*        ${host}  ${host}\n`,
    );
    const former = await run(["context", "-"]);
    assert.deepEqual([former.code, former.err], [20, "there was no context before this one\n"]);
    assert.equal((await run(["logout", host])).code, 0);
    const refused = await run(["app", "list"]);
    assert.equal(refused.code, 20);
    assert.match(refused.err, /Log in with: capstan login SERVER/);
    assert.equal((await run(["context", host, "--delete"])).code, 0);
    assert.equal((await run(["app", "list"])).code, 1);
    const piped = await run(["login", api.url, "--username", "admin"], {}, `${api.password}\n`);
    assert.equal(piped.code, 0, piped.err);
    assert.equal((await run(["context", host, "--delete"])).code, 0);
    const wrong = await run(["login", api.url, "--username", "admin", "--password", "wrong"]);
    assert.equal(wrong.code, 20);
    assert.match(wrong.err, /Invalid username or password/);
  });

  test("on the machine of `capstan up` no login is needed", async () => {
    const data = join(home, "data");
    await rm(data, { recursive: true, force: true });
    const { mkdir } = await import("node:fs/promises");
    await mkdir(data);
    await writeFile(join(data, "status.json"), JSON.stringify({ url: api.url }));
    await writeFile(join(data, "admin-password"), `${api.password}\n`);
    const quiet = await run(["app", "list", "-o", "name"], { CAPSTAN_DATA: data });
    assert.equal(quiet.err, "");
    assert.match(quiet.out, /argocd\/web/);
    const talking = await run(["app", "list", "-o", "name", "-v"], { CAPSTAN_DATA: data });
    assert.match(talking.err, /logging in to .* as admin/);
  });

  test("without a server the error says what to do", async () => {
    const { code, err } = await run(["app", "list"]);
    assert.equal(code, 1);
    assert.match(err, /no server is known: run `capstan up`/);
    const gone = await run(["app", "list", "--server", "http://127.0.0.1:1", "--auth-token", "x"]);
    assert.equal(gone.code, 20);
    assert.match(gone.err, /cannot reach http:\/\/127\.0\.0\.1:1: /);
  });

  test("completion knows commands, flags, their values and the applications", async () => {
    const complete = async (...words: string[]) => (await capstanComplete(words)).split("\n").filter(Boolean);
    assert.deepEqual((await complete("ap")).map(first), ["app", "appset"]);
    assert.ok((await complete("app", "")).map(first).includes("rollback"));
    assert.deepEqual((await complete("app", "sync", "--pru")).map(first), ["--prune"]);
    assert.deepEqual((await complete("app", "list", "-o", "")).map(first), ["wide", "name", "json", "yaml"]);
    assert.deepEqual((await complete("app", "get", "we")).map(first), ["web"]);
    assert.deepEqual((await complete("app", "get", "web", "")).map(first), []);
    for (const shell of ["bash", "zsh", "fish"])
      assert.match((await run(["completion", shell])).out, /__complete/);
  });

  const first = (line: string) => line.split("\t")[0];
  async function capstanComplete(words: readonly string[]): Promise<string> {
    const env = { CAPSTAN_SERVER: api.url, CAPSTAN_AUTH_TOKEN: api.token };
    return (await run(["__complete", "--", ...words], env)).out;
  }

  test("repositories, projects and clusters are listed", async () => {
    assert.equal((await capstan("repo", "add", git.url)).out, `Repository '${git.url}' added\n`);
    const proj = await capstan("proj", "list", "-o", "name");
    assert.equal(proj.out, "default\n");
    assert.match((await capstan("cluster", "list")).out, /in-cluster +1\.\d+ +Successful/);
    assert.equal((await capstan("proj", "create", "team", "-s", "*", "-d", "*,*")).code, 0);
    assert.match((await capstan("proj", "get", "team")).out, /^Name: +team\n/);
    assert.equal((await capstan("proj", "delete", "team")).code, 0);
    assert.equal((await capstan("account", "can-i", "sync", "applications", "*/*")).out, "yes\n");
  });

  test("what is set in vain is said at once, and stands in the report", async () => {
    const set = await capstan("app", "set", "web", "--sync-option", "Replace=True");
    assert.match(set.err, /^warning: sync option Replace=True is not honoured: .*write Replace=true/m);
    const report = await capstan("admin", "settings", "report");
    assert.match(
      report.out,
      /^WHERE +SETTING +STANDING +WHAT FOLLOWS\nApplication argocd\/web +sync option Replace=True +unknown/,
    );
    assert.equal((await capstan("app", "set", "web", "--sync-option", "!Replace=True")).err, "");
    assert.equal((await capstan("admin", "settings", "report")).out, "Everything that is set is honoured.\n");
    const all: unknown = JSON.parse(
      (await capstan("admin", "settings", "report", "--all", "-o", "json")).out,
    );
    assert.ok(Array.isArray(all) && all.length > 600);
  });

  test("manifests and logs are printed", async () => {
    assert.match((await capstan("app", "manifests", "web")).out, /^---\napiVersion: /);
    assert.match((await capstan("app", "manifests", "web", "--source", "live")).out, /uid: /);
    await untilApplication(api.world.kube, "web", (view) => view.health === "Healthy" || isSettled(view));
    assert.match((await capstan("app", "logs", "web", "--tail", "1")).out, /^web-\S+ .*simulated/);
  });

  test("help names every command and every flag", async () => {
    assert.match((await run([])).out, /\nCommands:\n {2}app +Applications\n/);
    const help = (await run(["app", "sync", "--help"])).out;
    assert.match(help, /--prune +Delete what git no longer has/);
    assert.match(help, /Global flags:\n/);
  });
});
