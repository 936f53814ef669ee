import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { CountingProxy } from "./counting-proxy.ts";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// Browsers open six connections to a server of HTTP/1.1: what ten windows follow must come over fewer.

const options = { skip: noBuiltPage };
let product: Product;
let server: CountingProxy;
let browser: PageBrowser;
let first: Page;

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  server = await CountingProxy.start(product.url, { inPlain: true });
  browser = await PageBrowser.launch(server.url);
  first = await browser.open("/", { loggedIn: false });
  await first.getByLabel("Password").fill(product.password);
  // What was refused before is not counted.
  server.carried.length = 0;
  await first.keyboard.press("Enter");
  await first.getByRole("link", { name: "4 Synced" }).waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const label = (value: string) => ({
  name: "shop",
  patch: JSON.stringify({ metadata: { labels: { seen: value } } }),
  patchType: "merge",
});

test("ten windows at once are live: five lists and five applications with their trees", options, async () => {
  const context = first.context();
  const open = async (path: string) => {
    const page = await context.newPage();
    await page.goto(server.url + path);
    return page;
  };
  const lists = [first];
  const applications: Page[] = [];
  while (lists.length < 5) lists.push(await open("/applications"));
  while (applications.length < 5) applications.push(await open("/applications/argocd/shop"));
  for (const page of applications) await page.getByRole("button", { name: /^Deployment shop/ }).waitFor();
  for (const page of [...lists, ...applications]) await page.getByText("Live", { exact: true }).waitFor();
  await product.ask("PATCH /api/v1/applications/shop", label("first"));
  for (const page of lists) {
    await page.goto(`${server.url}/applications?label=seen%3Dfirst`);
    await page.getByText("1 of 4").waitFor();
  }
  // Without a reload, in all of them.
  await product.ask("PATCH /api/v1/applications/shop", label("second"));
  for (const page of lists) await page.getByText("0 of 4").waitFor();
  await product.ask("DELETE /api/v1/applications/shop?cascade=false");
  for (const page of lists) await page.getByText("0 of 3").waitFor();
  for (const page of applications)
    await page
      .getByText(/deleted/i)
      .first()
      .waitFor();
  for (const page of [...lists, ...applications]) if (page !== first) await page.close();
});

test(
  "a list is sent once to a browser: another window and the way back get it from there",
  options,
  async () => {
    const asked = (path: string) => server.carried.filter((one) => one.path === path).length;
    const second = await first.context().newPage();
    await second.goto(`${server.url}/applications`);
    await second.getByText("3 applications").waitFor();
    await second.getByRole("link", { name: "Projects" }).click();
    await second.getByRole("link", { name: "default" }).waitFor();
    await second.getByRole("link", { name: "Applications", exact: true }).first().click();
    await second.getByText("3 applications").waitFor();
    assert.equal(asked("/api/v1/application-rows"), 1);
    assert.equal(asked("/api/v1/streams"), 1, "one connection for all windows");
  },
);

test("of a tree of many Pods what has changed is sent again, and no other Pod", options, async () => {
  const pods = 60;
  await product.write(
    "wide/all.yaml",
    JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "wide" },
      spec: {
        replicas: pods,
        selector: { matchLabels: { app: "wide" } },
        template: {
          metadata: { labels: { app: "wide" } },
          spec: { containers: [{ name: "main", image: "registry.example.com/wide:1.0" }] },
        },
      },
    }),
  );
  await product.createApplication("wide", "wide");
  const page = await first.context().newPage();
  await page.goto(`${server.url}/applications/argocd/wide?fold=none`);
  const well = page.locator(".pod[title$=Healthy]");
  await well.nth(pods - 1).waitFor();
  const names = () => well.evaluateAll((all) => all.map((pod) => pod.title.split("\n")[0] ?? ""));
  const before = await names();
  const [gone = "", ...others] = before;
  const cameBefore = server.carried.map(({ text }) => text.length);
  const pod = `resourceName=${gone}&namespace=wide&version=v1&kind=Pod&force=true`;
  await product.ask(`DELETE /api/v1/applications/wide/resource?${pod}`);
  await page.locator(`.pod[title^=${gone}]`).waitFor({ state: "detached" });
  await well.nth(pods - 1).waitFor();
  const came = server.carried.map(({ text }, index) => text.slice(cameBefore[index] ?? 0)).join("\n");
  const [inPlaceOfIt = "none"] = (await names()).filter((name) => !before.includes(name));
  assert.ok(came.includes(inPlaceOfIt), `nothing tells of ${inPlaceOfIt}`);
  // One that happens to change at this time may be told of; the tree is all of them.
  const toldAgain = others.filter((name) => came.includes(name));
  assert.ok(toldAgain.length < pods / 10, `${toldAgain.length} others came again, in ${came.length} bytes`);
  await page.close();
});
