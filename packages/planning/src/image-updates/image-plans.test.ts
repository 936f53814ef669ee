import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { printImagePlan } from "@capstan/engine";
import { readSettings } from "@capstan/kube";
import type { Application, Manifest } from "@capstan/model";
import {
  type ImageRegistry,
  lackingOciRegistry,
  registryAt,
  sketchImage,
  startOciRegistry,
  startRegistryGate,
  startSmallRegistry,
} from "@capstan/testkit";
import { StandingClock } from "@capstan/testkit/render-world";
import { ImagePlans } from "./image-plans.ts";

const signal = new AbortController().signal;
const prefix = "argocd-image-updater.argoproj.io/";
const namespace = "argocd";

function plansFor(config: Record<string, string>, secrets: readonly Manifest[] = []) {
  const clock = new StandingClock();
  const map = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "argocd-image-updater-config" },
    data: config,
  };
  const kube = {
    get: async ({ namespace: of, name }: { namespace?: string | undefined; name: string }) =>
      secrets.find(({ metadata }) => metadata.name === name && metadata.namespace === of),
  };
  const settings = { current: readSettings([map], []) };
  return {
    clock,
    plans: new ImagePlans({
      kube,
      clock,
      settings,
      namespace,
      env: { REGISTRY: "ada:lovelace" },
      live: { ofKind: () => [] },
    }),
  };
}

const conf = (host: string, more = "") => ({
  "registries.conf": `registries: [{name: test, prefix: "${host}", api_url: "http://${host}", limit: 0${more}}]`,
});

function sketchApp(
  annotations: Record<string, string>,
  images: readonly string[],
  of = namespace,
): Application {
  const entries = Object.entries(annotations).map(([name, value]) => [`${prefix}${name}`, value]);
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web", namespace: of, annotations: Object.fromEntries(entries) },
    spec: {
      project: "default",
      source: { repoURL: "https://git.example/web", path: "web" },
      destination: { server: "https://kubernetes.default.svc", namespace: "web" },
    },
    status: { sourceType: "Kustomize", summary: { images: [...images] } },
  };
}

async function openReal(): Promise<ImageRegistry> {
  const real = await startOciRegistry();
  return { ...registryAt(real.host), [Symbol.asyncDispose]: () => real[Symbol.asyncDispose]() };
}

const kinds: [string, () => Promise<ImageRegistry>, string | false][] = [
  ["the test's own registry", startSmallRegistry, false],
  ["the distribution project's registry", openReal, lackingOciRegistry()],
];

for (const [what, open, skip] of kinds)
  describe(`images of ${what}`, { skip }, () => {
    test("semver takes the highest that the constraint allows, and says why each other is not taken", async () => {
      await using registry = await open();
      for (const tag of ["1.0.0", "1.2.0", "1.10.0", "1.11.0-rc.1", "2.0.0", "latest"])
        await registry.push("shop/web", tag, sketchImage({ salt: tag }));
      const image = `${registry.host}/shop/web`;
      const { plans } = plansFor(conf(registry.host));
      const app = sketchApp({ "image-list": `web=${image}:1.x`, "web.ignore-tags": "1.2.*" }, [
        `${image}:1.0.0`,
      ]);
      const plan = await plans.plan(app, signal);
      assert.ok(plan);
      assert.equal(printImagePlan(plan), `update web ${image} 1.0.0 -> 1.10.0 (a newer version fits)`);
      assert.deepEqual(
        Object.fromEntries(plan.verdicts[0]?.passedOver.map(({ tag, because }) => [tag, because]) ?? []),
        {
          "1.0.0": "1.10.0 is higher",
          "1.2.0": "ignore-tags matches it (1.2.*)",
          "1.11.0-rc.1": "it is a pre-release, which 1.x does not allow: add -0 to it",
          "2.0.0": "1.x does not allow it",
          latest: "it is no version",
        },
      );
    });

    test("newest-build asks the images themselves, and only for the platforms that are wanted", async () => {
      await using registry = await open();
      const push = (tag: string, created: string, platforms: readonly string[]) =>
        registry.push("web", tag, sketchImage({ created, platforms, salt: tag }));
      await push("c-old", "2026-01-01T00:00:00Z", ["linux/amd64", "linux/arm64/v8"]);
      await push("a-new", "2026-03-01T00:00:00Z", ["linux/amd64", "linux/arm64/v8"]);
      await push("b-other", "2026-05-01T00:00:00Z", ["linux/amd64"]);
      const image = `${registry.host}/web`;
      const { plans } = plansFor(conf(registry.host));
      const app = sketchApp(
        { "image-list": `web=${image}`, "web.update-strategy": "latest", "web.platforms": "linux/arm64" },
        [`${image}:c-old`],
      );
      const plan = await plans.plan(app, signal);
      assert.equal(plan?.verdicts[0]?.to, "a-new");
      const passedOver = plan?.verdicts[0]?.passedOver.map(({ tag, because }) => `${tag}: ${because}`).sort();
      assert.deepEqual(passedOver, [
        "b-other: it is for linux/amd64, not for linux/arm64",
        "c-old: a-new was built later",
      ]);
    });

    test("digest follows one tag, whose digest is that of the whole index", async () => {
      await using registry = await open();
      const pushed = sketchImage({ platforms: ["linux/amd64", "linux/arm64"], salt: "1" });
      await registry.push("web", "main", pushed);
      await registry.push("web", "other", sketchImage());
      const image = `${registry.host}/web`;
      const { clock, plans } = plansFor(conf(registry.host));
      const annotations = { "image-list": `web=${image}:main`, "web.update-strategy": "digest" };
      const plan = await plans.plan(sketchApp(annotations, [`${image}:main`]), signal);
      assert.equal(plan?.verdicts[0]?.to, `main@${pushed.digest}`);
      const now = sketchApp(annotations, [`${image}:main@${pushed.digest}`]);
      assert.equal((await plans.plan(now, signal))?.verdicts[0]?.does, "keep");
      const again = sketchImage({ platforms: ["linux/amd64", "linux/arm64"], salt: "2" });
      await registry.push("web", "main", again);
      assert.equal((await plans.plan(now, signal))?.verdicts[0]?.does, "keep");
      clock.pass(2 * 60_000 + 1);
      assert.equal((await plans.plan(now, signal))?.verdicts[0]?.to, `main@${again.digest}`);
    });

    test("a registry that asks for tokens gets the password at its own address, from a pull secret of the application's namespace", async () => {
      await using registry = await open();
      await registry.push("web", "1.0.0", sketchImage());
      const credentials = { username: "ada", password: "lovelace" };
      await using gate = await startRegistryGate(registry.host, { credentials });
      const auth = Buffer.from("ada:lovelace").toString("base64");
      const config = JSON.stringify({
        auths: { [`https://${gate.host}/v2/`]: { auth }, "ghcr.io": { auth: "x" } },
      });
      const secret = (of: string, name: string, data: Record<string, string>): Manifest => ({
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: of },
        data: Object.fromEntries(
          Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
        ),
      });
      const secrets = [
        secret("shop", "docker", { ".dockerconfigjson": config }),
        secret("shop", "plain", { login: "ada:lovelace" }),
        secret("argocd", "plain", { login: "ada:lovelace" }),
      ];
      const image = `${gate.host}/web`;
      const { plans } = plansFor(conf(gate.host), secrets);
      const ask = async (pullSecret: string, of: string) => {
        const app = sketchApp(
          { "image-list": `web=${image}`, "pull-secret": pullSecret },
          [`${image}:0.9.0`],
          of,
        );
        const [verdict] = (await plans.plan(app, signal))?.verdicts ?? [];
        return verdict?.does === "update" ? verdict.to : verdict?.because;
      };
      assert.equal(await ask("pullsecret:shop/docker", "shop"), "1.0.0");
      assert.equal(await ask("secret:shop/plain#login", "shop"), "1.0.0");
      assert.match((await ask("pullsecret:shop/docker", "other")) ?? "", /of another namespace/);
      assert.match((await ask("secret:argocd/plain#login", "argocd")) ?? "", /capstan\.dev\/image-updates/);
      assert.match((await ask("env:REGISTRY", "shop")) ?? "", /operator's registries\.conf alone/);
      assert.match((await ask("ext:/bin/true", "shop")) ?? "", /operator's registries\.conf alone/);
      const own = plansFor(conf(gate.host, ", credentials: 'env:REGISTRY'")).plans;
      const app = sketchApp({ "image-list": `web=${image}` }, [`${image}:0.9.0`]);
      assert.equal((await own.plan(app, signal))?.verdicts[0]?.to, "1.0.0");
      assert.ok(gate.requests.some(({ line }) => line.startsWith("GET /token")));
    });

    test("a registry that is asked too often is left alone until it says, and asked once for all applications", async () => {
      await using registry = await open();
      await registry.push("web", "1.0.0", sketchImage());
      await using gate = await startRegistryGate(registry.host);
      const image = `${gate.host}/web`;
      const { clock, plans } = plansFor(conf(gate.host));
      const apps = Array.from({ length: 20 }, () =>
        sketchApp({ "image-list": `web=${image}` }, [`${image}:0.9.0`]),
      );
      const verdicts = async () =>
        (await Promise.all(apps.map((app) => plans.plan(app, signal)))).map((plan) => plan?.verdicts[0]);
      gate.refuseNext = { count: 1, retryAfter: "120" };
      assert.match((await verdicts())[0]?.because ?? "", /asked too often, and is asked again in 120 s/);
      assert.equal(gate.requests.length, 1);
      clock.pass(60_000);
      assert.match((await verdicts())[0]?.because ?? "", /asked again in 60 s/);
      assert.equal(gate.requests.length, 1);
      clock.pass(60_001);
      assert.deepEqual(new Set((await verdicts()).map((one) => one?.to)), new Set(["1.0.0"]));
      assert.equal(gate.requests.length, 2);
    });
  });
