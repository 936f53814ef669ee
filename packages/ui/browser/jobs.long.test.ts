import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// What people do in a day, on the real server; the clicks and keys that it takes stand in each test's name.

const built = existsSync(join(import.meta.dirname, "..", "dist", "index.html"));
const options = {
  skip: noBrowser || (built ? false : "the page is not built: npm run build -w packages/ui"),
};
const screenshots = process.env.SCREENSHOTS;
let product: Product;
let browser: PageBrowser;
let page: Page;

const deployments = 60;

const workload = (name: string, image = "nginx:1.27") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 3
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${image}", ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
---
`;
const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: front }
spec:
  rules:
    - host: shop.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: part-00, port: { number: 80 } } } }] }
`;

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  const names = Array.from({ length: deployments }, (_, index) => `part-${String(index).padStart(2, "0")}`);
  await product.write("many/all.yaml", names.map((name) => workload(name)).join("") + ingress);
  await product.createApplication("many", "many");
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false, viewport: { width: 1440, height: 900 } });
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.locator(".app-row").first().waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(product.url + path);

/** The page as a person would look at it: both themes, a desk's and a phone's width. */
async function look(name: string): Promise<void> {
  if (!screenshots) return;
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.waitForTimeout(150);
      await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${width}.png`) });
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test(
  "a tree of sixty Deployments is one screen: what is well folds to a node for each kind (no click)",
  options,
  async () => {
    await go("/applications/argocd/many");
    await page.locator(".clause", { hasText: "Healthy" }).waitFor();
    await page
      .getByRole("button", { name: `${deployments} alike, all well` })
      .first()
      .waitFor();
    assert.ok((await page.locator(".node").count()) < 10);
    const size = await page.locator(".node-name").first().boundingBox();
    assert.ok(size && size.height > 12, "and it can be read");
    await look("tree-folded");
  },
);

test("find one object of hundreds by a part of its name (1 click, the name)", options, async () => {
  await page.getByLabel("Find objects by name").fill("part-07");
  await page.getByText(/^\d+ shown of \d+ objects$/).waitFor();
  await page.getByRole("button", { name: /^Service part-07/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: /part-08/ }).count(), 0);
  await look("tree-found");
  await page.getByRole("button", { name: "Kind", exact: true }).click();
  await page.getByRole("checkbox", { name: /^Pod/ }).check();
  await page.keyboard.press("Escape");
  await page.getByText("3 of 3 well").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Service part-07/ }).count(), 0);
  await page.getByRole("button", { name: "Clear" }).click();
});

test("every Pod at once, by node or by what made it (1 and 2 clicks)", options, async () => {
  await page.getByRole("link", { name: "Pods", exact: true }).click();
  await page
    .locator(".pod")
    .nth(deployments * 3 - 1)
    .waitFor();
  await look("tree-pods");
  await page.getByRole("link", { name: "By owner" }).click();
  await page.getByRole("region", { name: "Deployment part-07" }).getByText("3 of 3 well").waitFor();
});

test("where do requests go: Ingress, Service, Pods (1 click)", options, async () => {
  await page.getByRole("link", { name: "Network", exact: true }).click();
  await page.getByRole("button", { name: /^Ingress.*front/ }).waitFor();
  await page.getByText("3 of 3 well").first().waitFor();
  await look("tree-network");
});

test(
  "the tree stays where it was left: after a change in the cluster, another tab and back",
  options,
  async () => {
    await page.getByRole("link", { name: "Graph", exact: true }).click();
    await page
      .getByRole("button", { name: `${deployments} alike, all well` })
      .first()
      .click();
    const node = page.locator("[data-node]", { hasText: /^Deployment/ }).nth(20);
    await node.waitFor();
    await page.locator(".graph").hover({ position: { x: 30, y: 500 } });
    await page.mouse.wheel(0, 120);
    const place = () => page.locator(".graph-picture").evaluate((element) => element.getAttribute("style"));
    const left = await place();
    await page.getByRole("link", { name: "History" }).click();
    await page.locator(".deployment").first().waitFor();
    await page.getByRole("link", { name: "Tree", exact: true }).click();
    await node.waitFor();
    assert.equal(await place(), left);
    await look("tree-opened");
  },
);
