/** What a hard refresh means to commands of plugins: Argo CD's own server hands it on as Capstan's does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { lackingCmpServer } from "@capstan/testkit";
import { openRenderWorld, type ServerKind } from "./render-world.ts";

const kinds: readonly { kind: ServerKind; skip: string | false }[] = [
  { kind: "argocd-cmp-server", skip: lackingCmpServer() },
  { kind: "capstan plugin-server", skip: false },
];
const script = `printf '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}}' "a\${CAPSTAN_REFRESH}"`;
const spec = `generate: {command: [sh, -c, ${JSON.stringify(script)}]}`;

for (const { kind, skip } of kinds)
  test(`${kind}: a hard refresh runs commands anew and tells them, and what they make is kept for the next`, {
    skip,
  }, async () => {
    await using world = await openRenderWorld(kind, [{ name: "p", spec }]);
    await world.repository.commit({ "app/a": "1" });
    const render = async (noCache: boolean) => {
      const { cache, manifests } = await world.render({ plugin: { name: "p" } }, { noCache });
      return `${cache} ${manifests[0]?.manifest.metadata.name}`;
    };
    assert.equal(await render(false), "miss a");
    assert.equal(await render(true), "miss ahard");
    assert.equal(await render(false), "hit ahard");
    await world.repository.commit({ "app/a": "2" });
    assert.equal(await render(false), "miss a");
  });
