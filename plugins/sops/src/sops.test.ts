import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { dumpYaml } from "@capstan/formats/yaml";
import { vault } from "@capstan/plugin-vault";
import { failsWith, startWorld, TempFolder } from "@capstan/testkit/render-world";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { sops } from "./sops.ts";

const program = join(import.meta.dirname, "../../../testenv/bin/sops");
const skip = existsSync(program) ? false : "sops is not built: npm run testenv sops";
const identity = await generateX25519Identity();
const recipient = await identityToRecipient(identity);
const env = { SOPS_AGE_KEY: identity };

/** As the real sops encrypts it. */
function encrypted(name: string, content: string): string {
  using folder = new TempFolder();
  const file = join(folder.path, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  execFileSync(program, ["encrypt", "--in-place", "--age", recipient, file]);
  return readFileSync(file, "utf8");
}

const pipeline = (...stages: object[]) =>
  dumpYaml({
    apiVersion: "capstan.dev/v1alpha1",
    kind: "Pipeline",
    metadata: { name: "secrets" },
    spec: { stages },
  });

const secret = dumpYaml({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "whole" },
  stringData: { password: "from a whole document" },
});

const generator = dumpYaml({
  apiVersion: "viaduct.ai/v1",
  kind: "ksops",
  metadata: { name: "generator" },
  files: ["./whole.enc.yaml"],
  secretFrom: [
    {
      metadata: {
        name: "made",
        labels: { app: "web" },
        annotations: { "kustomize.config.k8s.io/needs-hash": "true", why: "because" },
      },
      type: "Opaque",
      files: ["conf=app.enc.yaml"],
      envs: ["vars.enc.env"],
    },
  ],
});

test("sops, then kustomize: KSOPS's generators work without exec", { skip }, async () => {
  await using world = await startWorld({ plugins: [sops(env)] });
  world.repository.commit({
    "web/capstan.yaml": pipeline({ plugin: "sops" }, { plugin: "kustomize" }),
    "web/kustomization.yaml": dumpYaml({ namePrefix: "my-", generators: ["ksops.yaml"] }),
    "web/ksops.yaml": generator,
    "web/whole.enc.yaml": encrypted("whole.enc.yaml", secret),
    "web/app.enc.yaml": encrypted("app.enc.yaml", "a: 1\n"),
    "web/vars.enc.env": encrypted("vars.enc.env", "USER=ada\nPASS=x=y\n"),
  });
  const { manifests } = await world.render({ path: "web" });
  const [whole, made] = manifests
    .map(({ manifest }) => manifest)
    .toSorted((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? 1 : -1));
  assert.equal(whole?.metadata.name, "my-whole");
  assert.deepEqual(whole?.stringData, { password: "from a whole document" });
  assert.match(made?.metadata.name ?? "", /^my-made-[a-z0-9]{10}$/);
  assert.deepEqual(made?.metadata.labels, { app: "web" });
  assert.deepEqual(made?.metadata.annotations, { why: "because" });
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  assert.deepEqual(made?.data, { conf: base64("a: 1\n"), USER: base64("ada"), PASS: base64("x=y") });
});

test("sops, then helm: a value file outside the chart", { skip }, async () => {
  await using world = await startWorld({ plugins: [sops(env)] });
  world.repository.commit({
    "chart/capstan.yaml": pipeline(
      { plugin: "sops", parameters: [{ name: "files", array: ["../secrets/*.yaml"] }] },
      { plugin: "helm", config: { valueFiles: ["../secrets/web.yaml"] } },
    ),
    "chart/Chart.yaml": dumpYaml({ apiVersion: "v2", name: "web", version: "1.0.0" }),
    "chart/templates/secret.yaml":
      'apiVersion: v1\nkind: Secret\nmetadata: {name: web}\nstringData: {password: "{{ .Values.password }}"}\n',
    "secrets/web.yaml": encrypted("web.yaml", "password: from a value file\n"),
  });
  const { manifests } = await world.render({ path: "chart" });
  assert.deepEqual(
    manifests.map(({ manifest }) => manifest.stringData),
    [{ password: "from a value file" }],
  );
  assert.doesNotMatch(JSON.stringify(world.log.lines), /from a value file/);
});

test("a file that was tampered with names itself and its stage, and renders nothing", { skip }, async () => {
  await using world = await startWorld({ plugins: [sops(env)] });
  const text = encrypted("whole.enc.yaml", secret);
  world.repository.commit({
    "web/capstan.yaml": pipeline({ plugin: "sops" }, { plugin: "directory" }),
    "web/whole.enc.yaml": text.replace(
      /(password: ENC\[AES256_GCM,data:)(.)/,
      (_all, start, first) => start + (first === "A" ? "B" : "A"),
    ),
  });
  await assert.rejects(
    world.render({ path: "web" }),
    failsWith({
      code: "DECRYPTION_FAILED",
      file: "web/whole.enc.yaml",
      key: "stringData.password",
      stage: "sops",
    }),
  );
});

test("a SOPS file of the repository as a store of placeholders", { skip }, async () => {
  await using world = await startWorld({ plugins: [vault({ ...env, AVP_TYPE: "sops" })] });
  const placeholders = (path: string) =>
    dumpYaml({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "web", annotations: { "avp.kubernetes.io/path": path } },
      stringData: { password: "<password>", deep: "<deep | jsonPath {.a}>" },
    });
  const file = (password: string) => encrypted("store.yaml", dumpYaml({ password, deep: { a: "b" } }));
  world.repository.commit({
    "web/capstan.yaml": pipeline(
      { plugin: "directory", config: { include: "secret.yaml" } },
      { plugin: "vault" },
    ),
    "web/secret.yaml": placeholders("../secrets/store.yaml"),
    "secrets/store.yaml": file("one"),
  });
  const valuesIn = async () => {
    const { manifests } = await world.render({ path: "web" }, { noRevisionCache: true });
    return manifests[0]?.manifest.stringData;
  };
  assert.deepEqual(await valuesIn(), { password: "one", deep: "b" });
  world.repository.commit({ "secrets/store.yaml": file("two") });
  assert.deepEqual(await valuesIn(), { password: "two", deep: "b" });
  const refused: readonly [string, RegExp][] = [
    ["../../etc/passwd", /password at \.\.\/\.\.\/etc\/passwd: the path leads out of the source/],
    ["none.yaml", /password at none\.yaml: there is no such file in the source/],
    ["secret.yaml", /password at secret\.yaml: .*no entries of sops/],
  ];
  for (const [path, message] of refused) {
    world.repository.commit({ "web/secret.yaml": placeholders(path) });
    await assert.rejects(valuesIn(), failsWith({ code: "PLUGIN_FAILED", stage: "vault" }, message));
  }
});
