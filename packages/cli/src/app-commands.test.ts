import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  configMapText,
  createGitRepository,
  deploymentText,
  eventually,
  type GitRepository,
  realClock,
} from "@capstan/testkit";
import { type ApiWorld, builtInPlugins, openApiWorld } from "@capstan/testkit/worlds";
import { type Run, runMain } from "./test-main.ts";

/** The server as one that has no plans, which is Argo CD's. */
async function withoutPlans(url: string): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((asked, answer) => {
    if (asked.url?.endsWith("/sync-plan")) {
      answer.writeHead(404, { "content-type": "application/json" }).end('{"code":5,"message":"Not Found"}');
      return;
    }
    const { method, headers } = asked;
    const onward = request(url + asked.url, { method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      found.pipe(answer);
    });
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("capstan app", () => {
  let api: ApiWorld;
  let git: GitRepository;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "capstan-app-"));
    git = await createGitRepository({
      "web/config.yaml": configMapText("config"),
      "web/web.yaml": deploymentText("web"),
      "other/config.yaml": configMapText("other"),
    });
    api = await openApiWorld();
    const destination = ["--dest-name", "in-cluster", "--dest-namespace", "web"];
    const created = await capstan(
      ...["app", "create", "web", "--repo", git.url, "--path", "web", ...destination],
      ...["--sync-option", "CreateNamespace=true"],
    );
    assert.equal(created.code, 0, created.err);
    assert.equal((await capstan("app", "sync", "web")).code, 0);
  });
  after(async () => {
    await api[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
    await rm(home, { recursive: true });
  });

  const run = (argv: readonly string[], env: Record<string, string> = {}, input = ""): Promise<Run> => {
    const server = ["--server", api.url, "--auth-token", api.token];
    return runMain([...argv, ...server], { home, env, input, clock: realClock });
  };
  const capstan = (...argv: string[]) => run(argv);
  const spec = async (name: string) => JSON.parse((await capstan("app", "get", name, "-o", "json")).out).spec;

  test("what no application has is listed and deleted where the project watches for it, and nothing else", async () => {
    const given = { signal: AbortSignal.timeout(60_000) };
    const { kube } = api.world;
    const project = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "AppProject",
      namespace: "argocd",
      name: "default",
    };
    const watch = (orphanedResources: object | null) =>
      kube.patch(project, { type: "merge", body: { spec: { orphanedResources } } }, given);
    const left = { apiVersion: "v1", kind: "ConfigMap", namespace: "web", name: "left" };
    const remove = () => capstan("app", "delete-resource", "web", "--orphaned", "--kind", "ConfigMap");
    await kube.create(
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "left", namespace: "web" } },
      given,
    );
    assert.equal((await remove()).code, 20, "nobody watches");
    await watch({ warn: true });
    const listed = await eventually(
      async () => {
        const { out } = await capstan("app", "resources", "web", "--orphaned");
        return out.includes("left") ? out : undefined;
      },
      { ...given, describe: () => "the object is not listed" },
    );
    assert.match(listed, /\n +ConfigMap +web +left +Yes\n?$/);
    const removed = await remove();
    assert.equal(removed.err, "Resource 'left' deleted\n");
    const gone = await kube.get(left, given.signal);
    assert.ok(gone === undefined || gone.metadata.deletionTimestamp !== undefined);
    assert.ok(await kube.get({ ...left, name: "config" }, given.signal), "what is the application's stays");
    await watch(null);
  });

  test("live resources are shown as a table, as objects, or by some of their fields", async () => {
    const table = await capstan("app", "get-resource", "web", "--kind", "ConfigMap");
    assert.match(table.out, /^FIELD +RESOURCE NAME +VALUE\n/);
    assert.match(table.out, /\ndata\.key +config +1\n/);
    assert.doesNotMatch(table.out, /managedFields/);
    assert.equal(table.err, "Resources 'config' fetched\n");
    const one = ["--kind", "Deployment", "--resource-name", "web"];
    const fields = await capstan(
      ...["app", "get-resource", "web", ...one, "--filter-fields"],
      "spec.template.spec.containers.name,spec.replicas,metadata.namespace",
    );
    assert.deepEqual(
      fields.out
        .split("\n")
        .map((line) => line.split(/ +/))
        .filter(([field]) => field !== "")
        .sort(),
      [
        ["FIELD", "VALUE"],
        ["metadata.namespace", "web"],
        ["spec.replicas", "1"],
        ["spec.template.spec.containers[0].name", "main"],
      ].sort(),
    );
    const object = await capstan("app", "get-resource", "web", ...one, "-o", "json", "--show-managed-fields");
    assert.ok(JSON.parse(object.out).metadata.managedFields.length > 0);
    assert.equal((await capstan("app", "get-resource", "web")).code, 1);
  });

  test("a resource is patched and deleted; several only with --all", async () => {
    const patch = (...more: string[]) =>
      capstan("app", "patch-resource", "web", "--patch", '{"metadata":{"labels":{"x":"y"}}}', ...more);
    const patched = await patch("--kind", "ConfigMap");
    assert.deepEqual(patched, { code: 0, out: "", err: "Resource 'config' patched\n" });
    assert.match((await capstan("app", "get-resource", "web", "--kind", "ConfigMap")).out, /labels\.x .*y/);
    assert.match((await patch("--kind", "Secret")).err, /no matching resource found/);
    assert.match((await patch()).err, /--kind is missing/);
    const gone = await capstan("app", "delete-resource", "web", "--kind", "ConfigMap");
    assert.deepEqual(gone, { code: 0, out: "", err: "Resource 'config' deleted\n" });
    assert.equal((await capstan("app", "sync", "web")).code, 0);
  });

  test("actions are listed and run", async () => {
    const { out } = await capstan("app", "actions", "list", "web", "--kind", "Deployment");
    assert.match(out, /^GROUP +KIND +NAME +ACTION +DISABLED\napps +Deployment +web +restart +false\n/);
    const { err, out: text } = await capstan("app", "actions", "list", "web", "-o", "json");
    assert.equal(err, "");
    const json = JSON.parse(text);
    assert.deepEqual(json[0], {
      Group: "apps",
      Kind: "Deployment",
      Name: "web",
      Action: "restart",
      Disabled: false,
    });
    const scaled = await capstan(
      ...["app", "actions", "run", "web", "scale", "--kind", "Deployment", "--param", "replicas=2"],
    );
    assert.deepEqual(scaled, { code: 0, out: "", err: "" });
    const replicas = ["--kind", "Deployment", "--filter-fields", "spec.replicas"];
    assert.match((await capstan("app", "get-resource", "web", ...replicas)).out, /spec\.replicas +web +2/);
    assert.equal((await capstan("app", "actions", "run", "web", "dance", "--kind", "Deployment")).code, 20);
    assert.equal((await capstan("app", "sync", "web")).code, 0);
  });

  test("a folder of this machine is compared and shown by the server's plugins", async () => {
    const root = join(home, "checkout");
    await mkdir(join(root, ".git"), { recursive: true });
    await mkdir(join(root, "web"));
    await mkdir(join(root, "base"));
    await writeFile(join(root, "base", "config.yaml"), configMapText("config", "7"));
    await writeFile(join(root, "base", "kustomization.yaml"), "resources: [config.yaml]\n");
    await writeFile(join(root, "web", "kustomization.yaml"), "resources: [../base]\n");
    const program = { shippedPlugins: async () => builtInPlugins };
    const localAt = (url: string, ...argv: string[]) =>
      runMain([...argv, "--local", join(root, "web"), "--server", url, "--auth-token", api.token], {
        ...{ home, clock: realClock, program },
      });
    const local = (...argv: string[]) => localAt(api.url, ...argv);
    const shown = await local("app", "manifests", "web");
    assert.match(shown.out, /^---\napiVersion: v1\ndata:\n {2}key: "7"\n/);
    const diff = await local("app", "diff", "web");
    assert.equal(diff.code, 1, diff.err);
    assert.match(diff.out, /===== \/ConfigMap web\/config ======\n.*\n- {2}key: "1"\n\+ {2}key: "7"\n/s);
    assert.match(diff.err, /\nSync, wave 0:\n {2}update {3}ConfigMap web\/config\n {2}keep .*web\/web /);
    assert.doesNotMatch(diff.err, /Namespace/, "it is there already");
    const synced = await local("app", "sync", "web", "--dry-run");
    assert.match(synced.out, /ConfigMap +web +config .*configured \(dry run\)/);
    assert.match(synced.err, /^Sync, wave 0:\n {2}update {3}ConfigMap web\/config\n/);
    await using older = await withoutPlans(api.url);
    const unplanned = await localAt(older.url, "app", "diff", "web");
    assert.deepEqual([unplanned.code, unplanned.out], [1, diff.out]);
    assert.match(unplanned.err, /^\nwarning: what a sync would do is not known: /);
    const astray = await local("app", "diff", "web", "--local-repo-root", join(root, "base"));
    assert.match(astray.err, /is not in --local-repo-root/);
  });

  test("what the prune budget holds is allowed by its code alone", async () => {
    const nothing = await capstan("app", "allow-prune", "web");
    assert.equal(nothing.out, "Nothing that application 'web' would prune is held\n");
    assert.match((await capstan("app", "allow-prune", "web", "18")).err, /"18" is no such code/);
    const code = "18-0123456789abcdef0123";
    const given = await capstan("app", "allow-prune", "web", code);
    assert.equal(given.out, "Application 'web' may prune 18 objects once, within a day\n");
    const { metadata } = JSON.parse((await capstan("app", "get", "web", "-o", "json")).out);
    assert.match(metadata.annotations["capstan.dev/prune-allowed"], new RegExp(`^${code}@\\d{4}-.*Z$`));
  });

  test("sources are added to a list and removed from it", async () => {
    const application = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "many" },
      spec: {
        project: "default",
        destination: { name: "in-cluster", namespace: "many" },
        sources: [{ repoURL: git.url, path: "other", name: "first" }],
      },
    };
    assert.equal((await run(["app", "create", "-f", "-"], {}, JSON.stringify(application))).code, 0);
    const added = ["--repo", git.url, "--path", "web", "--source-name", "second"];
    assert.deepEqual(await capstan("app", "add-source", "many", ...added), {
      code: 0,
      out: "Application 'many' updated successfully\n",
      err: "",
    });
    assert.deepEqual((await spec("many")).sources, [
      { name: "first", path: "other", repoURL: git.url },
      { name: "second", path: "web", repoURL: git.url },
    ]);
    const shown = await capstan(
      ...["app", "manifests", "many", "--revisions", "main", "--source-names", "second"],
    );
    assert.match(shown.out, /kind: Deployment/);
    const twice = await capstan("app", "manifests", "many", "--revisions", "main");
    assert.match(twice.err, /--revisions has 1 values and --source-positions 0: give as many/);
    assert.match((await capstan("app", "add-source", "web", ...added)).err, /does not have spec.sources/);
    assert.match(
      (await capstan("app", "remove-source", "many", "--source-name", "third")).err,
      /Unknown source name/,
    );
    assert.equal((await capstan("app", "remove-source", "many", "--source-position", "1")).code, 0);
    assert.deepEqual((await spec("many")).sources, [{ name: "second", path: "web", repoURL: git.url }]);
    assert.match(
      (await capstan("app", "remove-source", "many", "--source-position", "1")).err,
      /Cannot remove the only source/,
    );
    assert.equal((await capstan("app", "delete", "many")).out, "application 'many' deleted\n");
  });

  test("a selection is of the namespace that is named, and one of nothing is told as that", async () => {
    for (const command of [["sync", "--dry-run"], ["wait"], ["delete", "-y"]]) {
      const other = await capstan("app", ...command, "-l", "!absent", "-N", "elsewhere");
      assert.deepEqual(
        [other.code, other.err],
        [1, "No matching apps found for filter: selector !absent\n"],
        command.join(" "),
      );
    }
    assert.match((await capstan("app", "wait")).err, /^name applications, or select them with -l\n/);
  });

  test("a deletion is confirmed by an annotation", async () => {
    const { code, out } = await capstan("app", "confirm-deletion", "web");
    assert.deepEqual([code, out], [0, "Application 'web' updated successfully\n"]);
    const { metadata } = JSON.parse((await capstan("app", "get", "web", "-o", "json")).out);
    assert.match(metadata.annotations["argocd.argoproj.io/deletion-approved"], /^\d{4}-\d\d-\d\dT/);
  });

  test("an editor changes the specification; what is left as it was is not sent", async () => {
    const editor = join(home, "editor.sh");
    await writeFile(editor, '#!/bin/sh\nsed -i "s/path: web/path: other/" "$1"\n');
    await chmod(editor, 0o755);
    const edit = () => run(["app", "edit", "web"], { EDITOR: editor });
    assert.equal((await edit()).out, "application 'web' changed\n");
    assert.equal((await spec("web")).source.path, "other");
    assert.equal((await edit()).out, "nothing was changed\n");
    assert.equal((await capstan("app", "set", "web", "--path", "web")).code, 0);
  });

  test("hydration, kustomize and helm are set by their flags", async () => {
    const set = (...flags: string[]) => capstan("app", "set", "web", "--validate=false", ...flags);
    assert.equal((await set("--kustomize-kube-version", "1.30", "--ignore-missing-components")).code, 0);
    assert.deepEqual((await spec("web")).source.kustomize, {
      ignoreMissingComponents: true,
      kubeVersion: "1.30",
    });
    assert.equal((await capstan("app", "unset", "web", "--ignore-missing-components")).code, 0);
    const patch = '{"spec":{"source":{"kustomize":null}}}';
    assert.equal((await capstan("app", "patch", "web", "--type", "merge", "--patch", patch)).code, 0);
    assert.equal((await set("-p", "image.tag=v2")).code, 0);
    assert.deepEqual((await spec("web")).source.helm.parameters, [{ name: "image.tag", value: "v2" }]);
  });
});
