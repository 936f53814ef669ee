import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { annotationKeys, argoApiVersion } from "@capstan/model";
import {
  eventually,
  realClock,
  type SmallRegistry,
  sketchApplication,
  sketchImage,
  startSmallRegistry,
} from "@capstan/testkit";
import { type ApiWorld, openApiWorld } from "@capstan/testkit/worlds";
import { runMain } from "../../test-main.ts";

const prefix = "argocd-image-updater.argoproj.io";
const list = `${prefix}/image-list`;
const limit = () => AbortSignal.timeout(60_000);

describe("capstan images", () => {
  let api: ApiWorld;
  let registry: SmallRegistry;
  const images = (...argv: string[]) =>
    runMain(["images", ...argv, "--server", api.url, "--auth-token", api.token], {
      clock: realClock,
      input: "",
    });
  const create = (name: string, annotations: Record<string, string>, labels: Record<string, string> = {}) => {
    const app = sketchApplication({ name, repoURL: "https://git.example/web" });
    const metadata = { ...app.metadata, annotations, labels };
    const status = { sourceType: "Kustomize" };
    return api.world.kube.create({ ...app, metadata, status }, { signal: limit() });
  };
  const read = (name: string) =>
    api.world.kube.get(
      { apiVersion: argoApiVersion, kind: "Application", namespace: "argocd", name },
      limit(),
    );

  before(async () => {
    api = await openApiWorld();
    registry = await startSmallRegistry();
    await registry.push("shop/web", "1.1.0", sketchImage());
    const { host } = registry;
    const conf = JSON.stringify({ registries: [{ prefix: host, api_url: `http://${host}`, limit: 0 }] });
    const metadata = { name: "argocd-image-updater-config", namespace: "argocd" };
    const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "registries.conf": conf } };
    await api.world.kube.create(map, { signal: limit() });
    await create("plain", {});
    await create("web", { [list]: "web=127.0.0.1:1/shop/web, Not An Image" });
  });
  after(async () => {
    await registry[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  test("what would become of an application's images is shown, and what cannot be followed", async () => {
    const plain = await images("list", "plain");
    assert.deepEqual(
      [plain.code, plain.out],
      [0, `Application 'plain' names no images to follow: ${list}, or an ImageUpdater\n`],
    );
    const web = await images("list", "web");
    assert.equal(web.code, 1);
    assert.match(
      web.out,
      /^ALIAS +IMAGE +RUNS +FITS +DOES +BECAUSE\nweb +127\.0\.0\.1:1\/shop\/web +.*skip .*address of this machine/,
    );
    assert.match(web.err, /"Not An Image" is no image/);
    const { images: shown } = JSON.parse((await images("list", "web", "-o", "json")).out);
    assert.deepEqual([shown[0].alias, shown[0].does], ["web", "skip"]);
    assert.equal((await images("list", "gone")).code, 20);
  });

  test("without a name all are shown that name images", async () => {
    const all = await images("list");
    assert.equal(all.code, 1);
    assert.match(all.out, /^NAME +ALIAS .*\nargocd\/web +web +127\.0\.0\.1:1\/shop\/web +.*\n$/);
    assert.match(all.err, /^argocd\/web: image-list: "Not An Image" is no image/);
    assert.match((await images("list", "-l", "none=here")).out, /^No application names images to follow/);
  });

  test("an update is asked for where something fits, and a dry run changes nothing", async () => {
    const name = "fits";
    const annotations = {
      [list]: `web=${registry.host}/shop/web:1.x`,
      [`${prefix}/web.force-update`]: "true",
      [`${prefix}/write-back-target`]: "kustomization",
    };
    await create(name, annotations, { team: "web" });
    const dry = await eventually(
      async () => {
        const found = await images("update", "-l", "team=web", "--dry-run");
        return /would be updated/.test(found.out) ? found : undefined;
      },
      { signal: limit(), describe: () => "the registry's settings are not read" },
    );
    assert.match(dry.out, /1\.1\.0 +update/);
    assert.match(dry.out, /'argocd\/fits': 1 image would be updated; nothing is changed\n$/);
    const asksNow = async () => (await read(name))?.metadata.annotations?.[annotationKeys.imageUpdates];
    assert.equal(await asksNow(), undefined);
    const update = await images("update", name);
    assert.match(update.out, /'fits': 1 image will be updated; its Events say what became of it\n$/);
    assert.equal(await asksNow(), "now");
    const refused = await images("update", "plain");
    assert.deepEqual([refused.code, /names no images to follow/.test(refused.err)], [20, true]);
    assert.match((await images("update")).err, /name applications, or select them with -l/);
  });
});
