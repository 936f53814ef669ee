import assert from "node:assert/strict";
import { cp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseManifests } from "@capstan/model";
import {
  chart,
  createRestrictedNamespace,
  deployFolder,
  type InstallWorld,
  lackingInstallers,
  objectsOf,
  openInstallWorld,
} from "./tools.ts";

const parts = ["application-set", "controller", "notifications", "repo-server", "server"];
/** With high availability. */
const replicasOf = [
  ["server", 2],
  ["repo-server", 2],
  ["controller", 3],
  ["application-set", 2],
  ["notifications", 2],
] as const;
const crds = [
  "applications.argoproj.io",
  "applicationsets.argoproj.io",
  "appprojects.argoproj.io",
  "imageupdaters.argocd-image-updater.argoproj.io",
  "pipelines.capstan.dev",
];
const crdNames = crds.map((name) => `customresourcedefinition.apiextensions.k8s.io/${name}`);

describe("the chart and the bases on a real control plane", { skip: lackingInstallers() }, () => {
  let world: InstallWorld;
  before(async () => {
    world = await openInstallWorld({ nodes: true });
  });
  after(() => world[Symbol.asyncDispose]());

  const tokenOf = (namespace: string): Promise<string> =>
    world.kubectl(
      "get",
      "secret",
      "-n",
      namespace,
      "capstan-repo-server-token",
      "-o",
      "jsonpath={.data.token}",
    );

  const readyPods = async (namespace: string): Promise<string[]> => {
    const words = ["get", "deployments", "-n", namespace, "-o"];
    return (
      await world.kubectl(
        ...words,
        "jsonpath={range .items[*]}{.metadata.name}={.status.readyReplicas} {end}",
      )
    )
      .trim()
      .split(" ");
  };

  test("helm: without the CRDs it says what to do; installed, upgraded, rolled back and uninstalled, and nothing of it stays", async () => {
    await createRestrictedNamespace(world, "argocd");
    const before = await objectsOf(world, "argocd");
    const wait = ["-n", "argocd", "--wait", "--timeout", "2m"];
    assert.match(
      await world.helm("install", "capstan", chart, ...wait),
      /kubectl apply --server-side -k deploy\/crds/,
    );
    await world.kubectl("apply", "--server-side", "-k", join(deployFolder, "crds"));
    assert.deepEqual(
      await readyPods("argocd"),
      parts.map((part) => `capstan-${part}=1`),
    );
    const token = await tokenOf("argocd");
    assert.equal(Buffer.from(token, "base64").length, 43);
    const more = ["-f", join(chart, "values-ha.yaml"), "--set", "applicationNamespaces={team-*}"];
    const notes = await world.helm("upgrade", "capstan", chart, ...wait, ...more);
    assert.doesNotMatch(notes, /CRDS ARE NOT THERE/);
    for (const [part, count] of replicasOf) {
      const ready = `--for=jsonpath={.status.readyReplicas}=${count}`;
      await world.kubectl("wait", "-n", "argocd", `deployment/capstan-${part}`, ready, "--timeout=120s");
    }
    const budgets = (await objectsOf(world, "argocd")).filter((name) => name.startsWith("poddisruption"));
    assert.equal(budgets.length, parts.length);
    assert.equal(await tokenOf("argocd"), token, "an upgrade keeps the token");
    await world.helm("rollback", "capstan", "1", ...wait);
    assert.equal(await tokenOf("argocd"), token, "a rollback keeps the token");
    const isOfMore = /horizontalpod|poddisruption|clusterrole.*(?:notifications|application-set)/;
    assert.deepEqual(
      (await objectsOf(world, "argocd")).filter((name) => isOfMore.test(name)),
      [],
    );
    await world.helm("uninstall", "capstan", "-n", "argocd", "--wait");
    assert.deepEqual(await objectsOf(world, "argocd"), [...before, ...crdNames].toSorted());
  });

  test("every value is taken by the API server, field by field, and the schema refuses what is no value", async () => {
    const all = [
      ...["--set", "repoServer.priorityClassName=system-cluster-critical,imagePullSecrets[0].name=pull"],
      ...[
        "--set",
        "server.podLabels.a=b,server.podAnnotations.a=b,server.nodeSelector.a=b,server.insecure=true",
      ],
      ...[
        "--set",
        "server.tolerations[0].key=a,server.env[0].name=A,server.env[0].value=b,server.allowedHosts={*}",
      ],
      ...[
        "--set-json",
        'server.affinity={"nodeAffinity":{}}',
        "--set",
        `image.digest=sha256:${"a".repeat(64)}`,
      ],
      ...["--set-json", 'repoServer.extraContainers=[{"name":"plugin","image":"plugin"}]'],
      ...["--set-json", 'repoServer.extraVolumes=[{"name":"more","emptyDir":{}}]'],
      ...["--set-json", 'repoServer.extraVolumeMounts=[{"name":"more","mountPath":"/more"}]'],
      ...["--set", "server.extraArgs={--rootpath=/a},server.serviceAccount.annotations.a=b"],
      ...["--set", "server.service.annotations.a=b,server.trustedProxies={10.0.0.0/8}"],
    ];
    for (const mode of [
      ["-f", join(chart, "values-ha.yaml"), ...all],
      ["--set", "clusterWide=false"],
    ]) {
      const file = join(world.folder, "manifests.yaml");
      await writeFile(file, await world.helm("template", "x", chart, "-n", "default", ...mode));
      const said = await world.kubectl(
        "apply",
        "--server-side",
        "--dry-run=server",
        "--validate=strict",
        "-f",
        file,
      );
      assert.match(said, /deployment.apps\/x-capstan-controller serverside-applied/);
    }
    const lint = (...words: string[]) => world.helm("template", "x", chart, ...words);
    await assert.rejects(lint("--set", "server.replica=2"), /additional properties 'replica' not allowed/);
    await assert.rejects(lint("--set", "logFormat=xml"), /logFormat/);
    await assert.rejects(lint("--set", "applicationNamespaces={a},clusterWide=false"), /without clusterWide/);
  });

  test("each part has a Service for its metrics and a ServiceMonitor that finds it, and servers a grace that holds their delay", async () => {
    const asked = [
      "--set",
      "serviceMonitor.enabled=true,serviceMonitor.labels.team=a,shutdownDelaySeconds=30",
    ];
    const made = parseManifests(await world.helm("template", "x", chart, "-n", "default", ...asked));
    const ofKind = (kind: string) => made.filter((one) => one.kind === kind);
    const monitors = ofKind("ServiceMonitor");
    assert.equal(monitors.length, parts.length);
    for (const { metadata, spec } of monitors) {
      assert.equal(metadata.labels?.team, "a");
      const wanted = Object.entries(Object(spec).selector.matchLabels);
      const found = ofKind("Service").filter(({ metadata: { labels = {} } }) =>
        wanted.every(([name, value]) => labels[name] === value),
      );
      assert.deepEqual(
        found.map((one) => [one.metadata.name, Object(one.spec).ports[0].name]),
        [[`${metadata.name}-metrics`, Object(spec).endpoints[0].port]],
      );
    }
    for (const part of ["server", "repo-server"]) {
      const deployment = ofKind("Deployment").find(({ metadata }) => metadata.name === `x-capstan-${part}`);
      const pod = Object(deployment?.spec).template.spec;
      assert.ok(pod.containers[0].args.includes("--shutdown-delay-seconds=30"), part);
      assert.equal(pod.terminationGracePeriodSeconds, 140);
    }
    const file = join(world.folder, "services.json");
    await writeFile(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: ofKind("Service") }));
    const strict = ["--server-side", "--dry-run=server", "--validate=strict"];
    assert.match(
      await world.kubectl("apply", ...strict, "-f", file),
      /service\/x-capstan-controller-metrics/,
    );
  });

  for (const [mode, component] of [
    ["cluster-wide", true],
    ["namespaced", false],
  ] as const)
    test(`kubectl apply -k of an overlay of ${mode}${component ? " with high-availability" : ""}, and delete -k`, async () => {
      const namespace = `ops-${mode}`;
      await createRestrictedNamespace(world, namespace);
      await cp(join(deployFolder, "capstan"), join(world.folder, "deploy", "capstan"), { recursive: true });
      const before = await objectsOf(world, namespace);
      await writeFile(join(world.folder, "token"), "for-callers");
      await writeFile(join(world.folder, "kustomization.yaml"), overlay({ mode, namespace, component }));
      await world.kubectl("apply", "--server-side", "-k", world.folder);
      const deployments = parts.map((part) => `deployment/capstan-${part}`);
      await world.kubectl("rollout", "status", "-n", namespace, "--timeout=120s", ...deployments);
      assert.equal((await readyPods(namespace)).length, parts.length);
      const objects = await objectsOf(world, namespace);
      assert.equal(
        objects.some((name) => name.startsWith("clusterrole")),
        mode === "cluster-wide",
      );
      assert.equal(
        objects.some((name) => name.startsWith("horizontal")),
        component,
      );
      const image = ["-o", "jsonpath={.spec.template.spec.containers[0].image}"];
      const server = await world.kubectl("get", "-n", namespace, "deployment/capstan-server", ...image);
      assert.equal(server, "registry.example.com/capstan:9");
      await world.kubectl("delete", "--wait", "-k", world.folder);
      assert.deepEqual(
        (await objectsOf(world, namespace)).filter((name) => !name.startsWith("pod/")),
        before,
      );
    });

  test("the high-availability component makes of the base what the chart makes with values-ha.yaml", async () => {
    const told = await world.helm(
      "template",
      "capstan",
      chart,
      "-n",
      "argocd",
      "-f",
      join(chart, "values-ha.yaml"),
    );
    await writeFile(
      join(world.folder, "kustomization.yaml"),
      overlay({ mode: "cluster-wide", namespace: "argocd", component: true }),
    );
    const built = await world.kubectl("kustomize", world.folder);
    const replicas = (text: string) =>
      text.match(/^ {2}(?:replicas|minReplicas|maxReplicas|maxUnavailable): \d+$/gm)?.toSorted();
    assert.deepEqual(replicas(built), replicas(told));
  });
});

function overlay({
  mode,
  namespace,
  component,
}: {
  mode: string;
  namespace: string;
  component: boolean;
}): string {
  return JSON.stringify({
    resources: [`deploy/capstan/${mode}`],
    components: component ? ["deploy/capstan/high-availability"] : [],
    namespace,
    images: [{ name: "capstan", newName: "registry.example.com/capstan", newTag: "9" }],
    secretGenerator: [
      { name: "capstan-repo-server-token", files: ["token"], options: { disableNameSuffixHash: true } },
    ],
  });
}
