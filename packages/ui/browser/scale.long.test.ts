import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { noBrowser, PageWorld } from "./page-world.ts";

let world: PageWorld;
const options = { skip: noBrowser };

before(async () => {
  if (!noBrowser) world = await PageWorld.start({ apps: 10_000 });
});
afterEach(async () => {
  if (!noBrowser) await world.closePages();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

test("10,000 applications: only the rows in view exist, and the end is reached", options, async () => {
  const page = await world.open("/applications?sort=name");
  await page.getByText("10,009 applications").waitFor();
  assert.ok((await page.locator(".app-row").count()) < 60);
  await page.locator(".table").evaluate((table) => table.scrollTo(0, table.scrollHeight));
  await page.locator(`[aria-rowindex="10010"]`).waitFor();
  assert.ok((await page.locator(".app-row").count()) < 60);
  await page.getByLabel("Search applications").fill("checkout");
  await page.getByText("1 of 10,009").waitFor();
});

for (const [what, path, ready, most] of [
  ["the list", "/applications", ".app-row", 130],
  ["an application", "/applications/argocd/guestbook", ".node", 155],
] as const)
  test(`the first load of ${what} is below ${most} KB of compressed script`, options, async () => {
    const page = await world.open("/login", { viewport: { width: 1440, height: 900 } });
    await page.goto("about:blank"); // what the page of the login still asks for is not of the next one
    const scripts = new Set<string>();
    page.on("request", (request) => {
      if (request.url().endsWith(".js")) scripts.add(request.url());
    });
    await page.goto(`${world.mock.url}${path}`);
    await page.locator(ready).first().waitFor();
    let total = 0;
    for (const url of scripts) total += gzipSync(await (await fetch(url)).bytes()).length;
    assert.ok(scripts.size > 1 && total < most * 1024, `${total} bytes in ${scripts.size} files`);
  });
