import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { realClock } from "@capstan/testkit";
import { runMain } from "../../test-main.ts";

const map = (...lines: string[]) =>
  ["apiVersion: v1", "kind: ConfigMap", "metadata: {name: argocd-cm}", "data:", ...lines, ""].join("\n");

describe("capstan admin settings", () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-settings-"));
    const files = {
      "good.yaml": map(
        "  accounts.alice: login",
        '  accounts.alice.enabled: "false"',
        "  kustomize.buildOptions: --enable-helm",
        "  resource.customizations.ignoreDifferences.apps_Deployment: '{jsonPointers: [/spec/replicas], jqPathExpressions: [\".spec.list[1]\"]}'",
        '  resource.customizations.health.apps_Deployment: return {status="Healthy"}',
      ),
      "actions.yaml": map(
        "  resource.customizations.actions.apps_Deployment: |",
        "    discovery.lua: return {stop = {}}",
        "    mergeBuiltinActions: true",
        "    definitions:",
        "    - name: stop",
        "      action.lua: obj.spec.replicas = 0; return obj",
      ),
      "failing.yaml": map("  resource.customizations.health.apps_Deployment: error('so it is')"),
      "unread.yaml": map("  resource.customizations: '{apps/Deployment: {health.lua: [1]}}'"),
      "bad.yaml": map("  oidc.config: 'issuer: ['", "  resource.customizations: '['"),
      "web.yaml":
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3, list: [a, b]}\n",
      "map.yaml": map("  a: b"),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const settings = (settingsFile: string, ...argv: string[]) =>
    runMain(["admin", "settings", ...argv, "--argocd-cm-path", join(folder, settingsFile)], {
      home: folder,
      clock: realClock,
    });

  test("each group is valid and summed up, or told what is wrong in it", async () => {
    const good = await settings("good.yaml", "validate");
    assert.equal(
      good.out,
      "✅ accounts\n2 accounts\n\n✅ general\nSSO is not configured\n\n✅ kustomize\n--enable-helm\n\n✅ resource-overrides\n2 resource overrides\n",
    );
    const bad = await settings("bad.yaml", "validate", "--group", "general", "--group", "resource-overrides");
    assert.match(
      bad.out,
      /^❌ general\nConfigMap argocd-cm: oidc\.config [\s\S]+\n\n❌ resource-overrides\nConfigMap argocd-cm: resource\.customizations /,
    );
    assert.equal((await settings("good.yaml", "validate", "--group", "nonsense")).code, 1);
    const none = await runMain(["admin", "settings", "validate"], { home: folder, clock: realClock });
    assert.deepEqual([none.code, /--load-cluster-settings/.test(none.err)], [20, true]);
  });

  test("what is ignored of an object is shown", async () => {
    const ignored = (file: string) =>
      settings("good.yaml", "resource-overrides", "ignore-differences", join(folder, file));
    assert.match(
      (await ignored("web.yaml")).out,
      /^Following fields are ignored:\n[\s\S]+\n- {2}- b\n- {2}replicas: 3\n/,
    );
    assert.equal((await ignored("map.yaml")).out, "Ignore differences are not configured for '/ConfigMap'\n");
  });

  test("health is what the server would say: by scripts, else by the built-in rules", async () => {
    const health = (settingsFile: string, file: string) =>
      settings(settingsFile, "resource-overrides", "health", join(folder, file));
    const web = await health("good.yaml", "web.yaml");
    assert.deepEqual([web.out, web.err], ["STATUS: Healthy\nMESSAGE: \n", ""]);
    assert.match((await health("map.yaml", "web.yaml")).out, /^STATUS: Progressing\nMESSAGE: Waiting/);
    assert.equal(
      (await health("good.yaml", "map.yaml")).out,
      "Health script is not configured for '/ConfigMap'\n",
    );
  });

  test("a script that fails or cannot be read is no health of the built-in rules in silence", async () => {
    const health = (settingsFile: string) =>
      settings(settingsFile, "resource-overrides", "health", join(folder, "web.yaml"));
    const failing = await health("failing.yaml");
    assert.deepEqual([failing.code, failing.out], [20, ""]);
    assert.match(
      failing.err,
      /so it is.*resource\.customizations\.health\.apps_Deployment, for .*Deployment/s,
    );
    const unread = await health("unread.yaml");
    assert.match(unread.out, /^STATUS: Progressing/);
    assert.match(
      unread.err,
      /^warning: ConfigMap argocd-cm: resource\.customizations .*health\.lua is not a text/,
    );
  });

  test("an object's actions are listed, and what one would change is shown", async () => {
    const actions = (...argv: string[]) => settings("actions.yaml", "resource-overrides", ...argv);
    const listed = await actions("list-actions", join(folder, "web.yaml"));
    assert.deepEqual(
      listed.out.split("\n").map((line) => line.split(/\s+/)[0]),
      ["NAME", "pause", "restart", "resume", "scale", "stop", ""],
    );
    const stopped = await actions("run-action", join(folder, "web.yaml"), "stop");
    assert.match(stopped.out, /^Following fields have been changed:\n\n--- object\n\+\+\+ changed\n/);
    assert.match(stopped.out, /^-\s+replicas: 3\n\+\s+replicas: 0$/m);
    const scaled = await actions("action", join(folder, "web.yaml"), "scale", "--param", "replicas=5");
    assert.match(scaled.out, /^\+\s+replicas: 5$/m);
    const none = await actions("list-actions", join(folder, "map.yaml"));
    assert.equal(none.out, "Actions are not configured for '/ConfigMap'\n");
  });

  test("groups within a group are one line each, the innermost at their own place", async () => {
    const help = async (...argv: string[]) =>
      (await runMain(["admin", ...argv, "--help"], { home: folder, clock: realClock })).out;
    assert.match(await help(), /\n {2}settings +What is set\n {2}app /);
    assert.match(await help("settings"), /\n {2}rbac +Who may do what\n/);
  });

  test("a command that argocd has alone says what to use", async () => {
    const listed = await settings("good.yaml", "resource-overrides", "ignore-resource-updates", "x");
    assert.match(listed.err, /ignore-resource-updates; every update of a managed object is looked at/);
    const shards = await runMain(["admin", "cluster", "shards"], { home: folder, clock: realClock });
    assert.deepEqual([shards.code, /share applications, not clusters/.test(shards.err)], [1, true]);
  });
});
