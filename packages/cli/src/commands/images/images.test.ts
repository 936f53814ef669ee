import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiWorld, realClock, sketchApplication } from "@capstan/testkit";
import { runMain } from "../../test-main.ts";

test("what would become of an application's images is shown, and what cannot be followed", async () => {
  await using api = await openApiWorld();
  const images = (argv: readonly string[]) =>
    runMain(["images", "list", ...argv, "--server", api.url, "--auth-token", api.token], {
      clock: realClock,
      input: "",
    });
  const create = (name: string, annotations: Record<string, string>) => {
    const app = sketchApplication({ name, repoURL: "https://git.example/web" });
    const metadata = { ...app.metadata, annotations };
    return api.world.kube.create({ ...app, metadata }, { signal: AbortSignal.timeout(60_000) });
  };
  const list = "argocd-image-updater.argoproj.io/image-list";
  await create("plain", {});
  await create("web", { [list]: "web=127.0.0.1:1/shop/web, Not An Image" });
  const plain = await images(["plain"]);
  assert.deepEqual(
    [plain.code, plain.out],
    [0, `Application 'plain' names no images to follow: ${list}, or an ImageUpdater\n`],
  );
  const web = await images(["web"]);
  assert.equal(web.code, 1);
  assert.match(
    web.out,
    /^ALIAS +IMAGE +RUNS +FITS +DOES +BECAUSE\nweb +127\.0\.0\.1:1\/shop\/web +.*skip .*address of this machine/,
  );
  assert.match(web.err, /"Not An Image" is no image/);
  const { images: shown } = JSON.parse((await images(["web", "-o", "json"])).out);
  assert.deepEqual([shown[0].alias, shown[0].does], ["web", "skip"]);
  assert.equal((await images(["gone"])).code, 20);
});
