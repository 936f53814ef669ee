import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// What people do with parts of an application, of a set and of a project, on the real server.

const options = { skip: noBuiltPage };
let product: Product;
let browser: PageBrowser;
let page: Page;

const configMap = (name: string, value: string, more = "") =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n${more}data: { value: "${value}" }\n`;

const three = (value: string) => ["one", "two", "three"].map((name) => configMap(name, value)).join("");

/** An application that is synced once, and then wants something else. */
async function driftingApplication(name: string, before: string, after: string): Promise<void> {
  await product.write(`${name}/all.yaml`, before);
  await product.createApplication(name, name);
  await page.goto(`${product.url}/applications/argocd/${name}`);
  await page.getByText(/^Synced to/).waitFor();
  const patch = JSON.stringify({ spec: { syncPolicy: { automated: null } } });
  await product.ask(`PATCH /api/v1/applications/${name}`, { name, patch, patchType: "merge" });
  await product.write(`${name}/all.yaml`, after);
  await product.ask(`GET /api/v1/applications/${name}?refresh=normal`);
  await page.getByText(/^OutOfSync with/).waitFor();
}

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  await product.configure("argocd-cm", { "accounts.alice": "login, apiKey" });
  await product.configure("argocd-rbac-cm", {
    "policy.csv": "p, alice, applications, sync, default/*, allow\np, alice, projects, get, *, allow\n",
  });
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false });
  await page.getByText("The first password of admin is in the file admin-password").waitFor();
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page
    .getByRole("link", { name: /Synced/ })
    .first()
    .waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

test("two objects are picked in the picture and synced alone (5 clicks)", options, async () => {
  await driftingApplication("picked", three("1"), three("2"));
  await page.getByRole("button", { name: "Choose objects" }).click();
  for (const name of ["one", "three"])
    await page.locator(".node-main", { hasText: new RegExp(`^ConfigMap ?${name}`) }).click();
  assert.equal(await page.locator('.node-main[aria-pressed="true"]').count(), 2);
  assert.equal(await page.locator(".panel").count(), 0, "picking opens no panel");
  await page.getByRole("button", { name: "Sync 2 objects…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Only 2 objects, no hooks").waitFor();
  await dialog.getByRole("button", { name: "Sync 2 objects", exact: true }).click();
  await page.locator(".node.edge-warn", { hasText: "two" }).waitFor();
  await page.locator(".node.edge-warn", { hasText: "one" }).waitFor({ state: "detached" });
});

test(
  "objects are picked in the list as well, and no more when one has enough (4 clicks)",
  options,
  async () => {
    await page.goto(`${product.url}/applications/argocd/picked?as=list`);
    await page.getByRole("button", { name: "Choose objects" }).click();
    await page.locator(".tree-entry", { hasText: "two" }).click();
    await page.getByText("1 object chosen").waitFor();
    await page.getByRole("button", { name: "Choose no more" }).click();
    assert.equal(await page.locator("[aria-pressed]").count(), 0);
    await page.locator(".tree-entry", { hasText: "two" }).click();
    await page.locator(".panel").waitFor();
  },
);

test("what the cluster refuses to try is said where git's text is shown instead", options, async () => {
  const fixed = (value: string) => configMap("fixed", value, "immutable: true\n");
  await driftingApplication("refused", fixed("1"), fixed("2"));
  await page.goto(`${product.url}/applications/argocd/refused?tab=diff`);
  await page.getByText(/The cluster does not say what this becomes \(.*immutable/).waitFor();
  await page.keyboard.press("s");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /change.*fixed/ })
    .click();
  await page
    .getByRole("dialog")
    .getByText(/The cluster does not say what this becomes/)
    .waitFor();
});

test("may alice sync this? (3 clicks and her name)", options, async () => {
  await page.goto(`${product.url}/projects/default`);
  await page.getByLabel("Name").fill("alice");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("alice may sync, rollback default/*").waitFor();
  await page.getByText(/^and not get, create/).waitFor();
  await page.getByLabel("Name").fill("bob");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("bob may do nothing with default/*").waitFor();
});

test("a set shows the tree of what it has made, and each leads to its page (1 click)", options, async () => {
  const template = {
    metadata: { name: "{{name}}" },
    spec: {
      project: "default",
      source: { repoURL: product.repository, path: "picked", targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: "{{name}}" },
    },
  };
  const generators = [{ list: { elements: [{ name: "made-a" }, { name: "made-b" }] } }];
  await product.ask("POST /api/v1/applicationsets", {
    metadata: { name: "makes", namespace: "argocd" },
    spec: { generators, template },
  });
  await page.goto(`${product.url}/applicationsets/argocd/makes`);
  const tree = page.getByRole("region", { name: "Tree" });
  await tree.getByRole("button", { name: /^ApplicationSet.*makes/ }).waitFor();
  await tree.getByRole("button", { name: /^Application made-b/ }).click();
  await page.getByRole("heading", { name: "made-b", level: 1 }).waitFor();
});

test("a session's end is told before it comes; one that ends later says nothing", options, async () => {
  const [soon, later] = [await product.tokenOf("alice", 400), await product.tokenOf("alice", 86_400)];
  const looked = await browser.open("/healthz", { loggedIn: false, viewport: { width: 1280, height: 800 } });
  const signIn = async (value: string) => {
    await looked.context().addCookies([{ name: "argocd.token", value, url: product.url }]);
    await looked.goto(`${product.url}/projects/default`);
    await looked.getByRole("heading", { name: "Sync windows" }).waitFor();
  };
  await signIn(later);
  assert.equal(await looked.getByText("Your session ends").count(), 0);
  // Whose rights they are is not alice's to ask.
  assert.equal(await looked.getByText("Who may what").count(), 0);
  await signIn(soon);
  await looked.getByText(/^Your session ends in \d/).waitFor();
  await looked.getByRole("link", { name: "Sign in again" }).click();
  await looked.getByRole("heading", { name: "Sign in to Capstan" }).waitFor();
  await looked.context().close();
});
