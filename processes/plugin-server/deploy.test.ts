import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import {
  annotationKeys,
  labelKeys,
  type Manifest,
  parseManifests,
  parseYaml,
  pluginTokenSecret,
} from "@capstan/model";
import { toolPath } from "@capstan/programs";
import { openSmallWorld, type SmallWorld } from "@capstan/testkit/worlds";

const deploy = join(import.meta.dirname, "..", "..", "deploy", "plugin-service");
const run = promisify(execFile);

const pluginYaml = `apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: kpt}
spec:
  generate: {command: [kpt, fn, render, --output, unwrap]}
`;

describe("deploy/plugin-service", () => {
  let folder: string;
  let world: SmallWorld;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-deploy-"));
    await writeFile(join(folder, "plugin.yaml"), pluginYaml);
    world = await openSmallWorld();
    await world.kube.apply(
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } },
      { fieldManager: "test", force: true, signal: AbortSignal.timeout(100_000) },
    );
  });
  after(async () => {
    await world[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  async function template(...args: string[]): Promise<Manifest[]> {
    const helm = await toolPath("helm", process.env);
    const plugin = ["--set-file", `pluginYaml=${join(folder, "plugin.yaml")}`, "--namespace", "argocd"];
    const { stdout } = await run(helm, ["template", "kpt", join(deploy, "chart"), ...plugin, ...args]);
    return parseManifests(stdout);
  }

  async function build(overlay: string): Promise<Manifest[]> {
    // A person's overlay names the base by a path or a URL; kustomize takes no absolute one.
    await symlink(deploy, join(folder, "plugin-service")).catch(() => undefined);
    await writeFile(join(folder, "kustomization.yaml"), overlay);
    const kustomize = await toolPath("kustomize", process.env);
    const verb = basename(kustomize) === "kubectl" ? "kustomize" : "build";
    const { stdout } = await run(kustomize, [verb, "--load-restrictor", "LoadRestrictionsNone", folder]);
    return parseManifests(stdout);
  }

  async function applyAll(manifests: readonly Manifest[]): Promise<void> {
    const options = { fieldManager: "test", force: true, signal: AbortSignal.timeout(100_000) };
    for (const manifest of manifests)
      await world.kube.apply(
        { ...manifest, metadata: { namespace: "argocd", ...manifest.metadata } },
        options,
      );
  }

  const ofKind = (manifests: readonly Manifest[], kind: string) => {
    const found = manifests.find((one) => one.kind === kind);
    assert.ok(found, `there is a ${kind}`);
    return found;
  };

  test("values alone make an image a service: image, plugin.yaml, replicas", async () => {
    const manifests = await template("--set", "image=kpt-plugin:1", "--set", "replicas=2");
    assert.deepEqual(manifests.map(({ kind }) => kind).sort(), [
      "ConfigMap",
      "Deployment",
      "NetworkPolicy",
      "Secret",
      "Service",
      "ServiceAccount",
    ]);
    const { spec } = ofKind(manifests, "Deployment");
    assert.match(JSON.stringify(spec), /"replicas":2.*"image":"kpt-plugin:1"/);
    const { data } = ofKind(manifests, "ConfigMap");
    assert.ok(isRecord(data) && typeof data["plugin.yaml"] === "string");
    assert.deepEqual(parseYaml(data["plugin.yaml"]), parseYaml(pluginYaml));
    await applyAll(manifests);
    assert.equal(ofKind(manifests, "Service").metadata.labels?.[labelKeys.plugin], "true");
    assert.match(JSON.stringify(spec), /--token-file=\/token\/token.*"secretName":"kpt-token"/);
    const { metadata } = ofKind(manifests, "Secret");
    assert.equal(metadata.name, pluginTokenSecret("kpt"));
    assert.equal(metadata.labels?.[labelKeys.secretType], "plugin-token");
  });

  test("who asks callers for nothing says so", async () => {
    const manifests = await template("--set", "image=kpt-plugin:1", "--set", "anyoneMayCall=true");
    assert.ok(!manifests.some(({ kind }) => kind === "Secret"));
    assert.match(JSON.stringify(ofKind(manifests, "Deployment")), /--anyone-may-call/);
  });

  test("with everything switched on the cluster takes it too", async () => {
    const manifests = await template(
      ...["--set", "image=kpt-plugin:1", "--set", "maxReplicas=5", "--set", "tlsSecret=tls"],
      ...["--set", "clientCaConfigMap=callers", "--set", "caBundle=PEM"],
      ...["--set", "tokenSecret=token", "--set", "podMonitor.enabled=true", "--set", "podLabels.team=a"],
    );
    const { spec } = ofKind(manifests, "Deployment");
    assert.ok(isRecord(spec) && spec.replicas === undefined, "the autoscaler alone says how many");
    const flags = ["--tls-cert=/tls/tls.crt", "--client-ca=/client-ca/ca.crt", "--token-file=/token/token"];
    for (const flag of flags) assert.ok(JSON.stringify(spec).includes(flag), flag);
    assert.equal(ofKind(manifests, "Service").metadata.annotations?.[annotationKeys.pluginAuthority], "PEM");
    assert.equal(ofKind(manifests, "PodMonitor").apiVersion, "monitoring.coreos.com/v1");
    await applyAll(manifests.filter(({ kind }) => kind !== "PodMonitor"));
  });

  test("without an image the chart says what is missing", async () => {
    await assert.rejects(template(), /name the image that holds the plugin's programs/);
  });

  test("an overlay of the base sets the same", async () => {
    const manifests = await build(`resources: [plugin-service/base]
components: [plugin-service/pod-monitor, plugin-service/tls, plugin-service/client-ca]
namePrefix: kpt-
namespace: argocd
labels: [{pairs: {app.kubernetes.io/instance: kpt}, includeSelectors: true, includeTemplates: true}]
images: [{name: plugin, newName: kpt-plugin, newTag: "1"}]
replicas: [{name: plugin, count: 2}]
configMapGenerator: [{name: plugin, behavior: replace, files: [plugin.yaml]}]
secretGenerator:
  - name: plugin-token
    literals: [token=for-callers]
    options: {disableNameSuffixHash: true, labels: {argocd.argoproj.io/secret-type: plugin-token}}
`);
    assert.equal(ofKind(manifests, "Secret").metadata.name, pluginTokenSecret("kpt-plugin"));
    const deployment = ofKind(manifests, "Deployment");
    assert.equal(deployment.metadata.name, "kpt-plugin");
    assert.match(JSON.stringify(deployment.spec), /"replicas":2.*"image":"kpt-plugin:1"/);
    const flags = ["--tls-key=/tls/tls.key", "--client-ca=/client-ca/ca.crt"];
    for (const flag of flags) assert.ok(JSON.stringify(deployment.spec).includes(flag), flag);
    const service = ofKind(manifests, "Service");
    assert.deepEqual(isRecord(service.spec) && service.spec.selector, {
      "app.kubernetes.io/instance": "kpt",
      "app.kubernetes.io/name": "plugin",
    });
    await applyAll(manifests.filter(({ kind }) => kind !== "PodMonitor"));
  });
});
