import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// What people come with, on the real server; the fourth, what a commit did, is in product.long.test.ts.

const options = { skip: noBuiltPage };
let product: Product;
let browser: PageBrowser;
let page: Page;

const settings = (level: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { level: ${level} }\n`;

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  await product.write("asked/all.yaml", settings("info"));
  await product.write("broken/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a\n");
  await product.createApplication("asked", "asked");
  await product.ask("POST /api/v1/applications?validate=false", {
    metadata: { name: "broken", namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL: product.repository, path: "broken", targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: "broken" },
    },
  });
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false });
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "5 Synced" }).waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

test("is anything wrong: the worst stands first with its cause (no click)", options, async () => {
  await page.getByText(/invalid YAML in broken\/all\.yaml/).waitFor();
  assert.match((await page.locator(".app-row").first().textContent()) ?? "", /^broken.*invalid YAML/);
});

test("what is wrong with this one, since when, because of what (1 click)", options, async () => {
  await page.getByRole("link", { name: "broken", exact: true }).click();
  await page
    .getByText(/^Cannot be compared: invalid YAML in broken\/all\.yaml: document 1, line 4/)
    .waitFor();
  await page.getByText("Correct what the message names, push, and refresh.").waitFor();
});

test(
  "what will happen if I press Sync: each change with its diff, before the button (1 key, 1 click)",
  options,
  async () => {
    const patch = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
    await product.ask("PATCH /api/v1/applications/asked", { name: "asked", patch, patchType: "merge" });
    await product.write("asked/all.yaml", settings("debug"), "More is said");
    await product.ask("GET /api/v1/applications/asked?refresh=normal");
    await page.goto(`${product.url}/applications/argocd/asked`);
    await page.getByText(/^OutOfSync with/).waitFor();
    await page.keyboard.press("s");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /change.*settings/ }).click();
    await dialog.getByText("debug").first().waitFor();
    assert.ok(await dialog.getByRole("button", { name: "Sync", exact: true }).isEnabled());
  },
);
