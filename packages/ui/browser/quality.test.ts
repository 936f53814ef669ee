import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { noBrowser, PageWorld } from "./page-world.ts";

let world: PageWorld;
const options = { skip: noBrowser };
const plenty = 10_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

before(async () => {
  if (!noBrowser) world = await PageWorld.start({ apps: plenty });
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

const views: readonly { name: string; path: string; ready: string }[] = [
  { name: "list", path: "/applications", ready: ".app-row" },
  { name: "tiles", path: "/applications?view=tiles", ready: ".tile" },
  { name: "tree", path: "/applications/argocd/checkout-api", ready: ".node.pods" },
  { name: "tree as a list", path: "/applications/argocd/checkout-api?as=list", ready: ".tree-entry" },
  {
    name: "panel",
    path: "/applications/argocd/guestbook?resource=apps/Deployment/guestbook/guestbook-ui",
    ready: ".panel .cm-content",
  },
  { name: "diff", path: "/applications/argocd/guestbook?tab=diff", ready: ".diff-box .cm-content" },
  { name: "events", path: "/applications/argocd/guestbook?tab=events", ready: ".events" },
  { name: "history", path: "/applications/argocd/newsletter?tab=history", ready: ".deployment" },
  { name: "logs", path: "/applications/argocd/guestbook?tab=logs", ready: ".log-line" },
  { name: "plan", path: "/applications/argocd/guestbook?dialog=sync", ready: ".step" },
  { name: "delete", path: "/applications/argocd/guestbook?dialog=delete", ready: "dialog input" },
  { name: "create", path: "/applications/new", ready: ".preview .cm-content" },
  { name: "projects", path: "/projects", ready: ".data-table" },
  { name: "settings", path: "/settings", ready: ".fact-list" },
  { name: "login", path: "/login", ready: "form" },
];

interface Finding {
  id: string;
  impact: string;
  nodes: string[];
}

async function findings(page: Page): Promise<Finding[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) })))`);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`axe finds nothing serious, ${colorScheme}`, options, async () => {
    for (const { name, path, ready } of views) {
      const page = await world.open(path, { colorScheme });
      await page.locator(ready).first().waitFor();
      assert.deepEqual(await findings(page), [], name);
      await page.context().close();
    }
  });
}

test("nothing is wider than a phone or narrower than its place", options, async () => {
  for (const { name, path, ready } of views) {
    const page = await world.open(path, { viewport: { width: 390, height: 844 } });
    await page.locator(ready).first().waitFor({ state: "attached" });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${name} is ${wide} wide`);
    await page.context().close();
  }
});

test("10,000 applications: only the rows in view exist, and the end is reached", options, async () => {
  const page = await world.open("/applications?sort=name");
  await page.getByText("10,008 applications").waitFor();
  assert.ok((await page.locator(".app-row").count()) < 60);
  await page.locator(".table").evaluate((table) => table.scrollTo(0, table.scrollHeight));
  await page.locator(`[aria-rowindex="10009"]`).waitFor();
  assert.ok((await page.locator(".app-row").count()) < 60);
  await page.getByLabel("Search applications").fill("checkout");
  await page.getByText("1 of 10,008").waitFor();
});

test("the first load is below 200 KB of compressed script", options, async () => {
  const page = await world.open("/login");
  const sizes: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return;
    sizes.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.goto(`${world.mock.url}/applications/argocd/guestbook`);
  await page.locator(".node").first().waitFor();
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  assert.ok(total < 200 * 1024, `${total} bytes`);
});
