import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// Extensions of Argo CD's page, written to the letter of its documentation, on the real server.

const options = { skip: noBuiltPage };
const screenshots = process.env.SCREENSHOTS;
const shop = "/applications/argocd/shop";
let folder: string;
let product: Product;
let browser: PageBrowser;
let page: Page;

const scripts = {
  "extension-good.js": `((window) => {
  const e = React.createElement;
  const shown = (text) => e("div", { style: { padding: "10px" } }, text);
  const api = window.extensionsAPI;
  api.registerResourceExtension(
    ({ resource, application, tree }) => shown(
      "replicas " + resource.spec.replicas + " of " + application.metadata.name + " among " + tree.nodes.length),
    "apps", "Deployment", "Scale facts", { icon: "fa-chart-line" });
  api.registerResourceExtension(() => shown("in every group"), "**", "Service", "Every group");
  api.registerResourceExtension(() => shown("in named groups"), "*", "Service", "Named groups");
  api.registerResourceExtension(
    ({ resource }) => shown("project " + resource.spec.project), "argoproj.io", "Application", "Own tab");
  api.registerSystemLevelExtension(() => {
    const [names, set] = React.useState("none yet");
    React.useEffect(() => {
      const request = new XMLHttpRequest();
      request.open("GET", "/api/v1/projects");
      request.onload = () => fetch("/api/v1/applications?fields=items.metadata.name")
        .then((answer) => answer.json())
        .then(({ items }) => set(request.status + " " + items.map((item) => item.metadata.name).join(" ")));
      request.send();
    }, []);
    return shown("Seen by the extension: " + names);
  }, "Test Ext", "/hello", "fa-flask");
  api.registerAppViewExtension(
    ({ application }) => shown("a view of " + application.metadata.name), "Own view", "fa-question-circle",
    (app) => app.metadata.name === "shop");
  api.registerStatusPanelExtension(
    ({ openFlyout }) => e("button", { onClick: () => openFlyout() }, "Status of mine"), "My status", "my_status",
    ({ application }) => shown("flyout of " + application.metadata.name));
  api.registerTopBarActionMenuExt(
    () => e("div", {}, "Do mine"), "Toolbar test", "toolbar_test",
    ({ tree }) => shown("flyout with " + tree.nodes.length + " nodes"), () => true, "", true);
})(window);`,
  "extension-former.js": `window.extensions.resources["apps/ReplicaSet"] = {
  component: () => React.createElement("p", {}, "the former way") };`,
  "extension-bundled.js": `(() => {
  const Hooked = ReactDOM.createPortal && ReactJSXRuntime.jsx;
  window.extensionsAPI.registerStatusPanelExtension(() => Hooked("i", { children: "by jsx" }), "Jsx", "jsx");
})();`,
  "extension-no-script.js": "function ( {",
  "extension-throws.js": `throw new Error("of the script's own");`,
  "extension-bad-panel.js": `window.extensionsAPI.registerStatusPanelExtension(
  () => { throw new Error("of the panel's own"); }, "Bad panel", "bad");
window.extensionsAPI.registerAppViewExtension(() => null, "Bad question", "", () => { throw new Error("asked"); });
window.extensionsAPI.registerResourceExtension(undefined, "apps", "Deployment", "Bad view");`,
};

before(async () => {
  if (options.skip) return;
  folder = await mkdtemp(join(tmpdir(), "capstan-extensions-"));
  const outside = join(folder, "outside");
  await mkdir(join(folder, "in", "resources", "some"), { recursive: true });
  await mkdir(outside);
  for (const [name, text] of Object.entries(scripts))
    await writeFile(join(folder, "in", "resources", "some", name), text);
  await writeFile(join(outside, "extension-outside.js"), "window.wasOutside = true");
  await symlink(join(outside, "extension-outside.js"), join(folder, "in", "extension-link.js"));
  product = await Product.start(["--page-extensions", join(folder, "in")]);
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false });
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "4 Healthy" }).waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const go = (path: string) => page.goto(product.url + path);
const picture = async (name: string) => {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) });
};

test(
  "scripts that cannot be started are named, and nothing outside of the folder runs",
  options,
  async () => {
    await go(shop);
    const notices = page.getByRole("region", { name: "Notices" });
    await notices
      .getByText("The extension resources/some/extension-no-script.js of this page could not")
      .waitFor();
    await notices.getByText("of the script's own").waitFor();
    assert.equal(await notices.getByRole("alert").count(), 2);
    assert.equal(await page.evaluate("window.wasOutside"), undefined);
    await picture("extensions-notices");
  },
);

test("what one panel throws is said in its place; the others and the page go on", options, async () => {
  await go(shop);
  await page.getByText("The extension “Bad panel” has failed").waitFor();
  await page.getByText("of the panel's own").waitFor();
  await page.getByText("by jsx").waitFor();
  await page.getByRole("button", { name: /^Deployment shop/ }).waitFor();
  await go(`${shop}?tab=extension:Bad%20question`);
  await page.getByText("The extension “Bad question” has failed").waitFor();
  await go(`${shop}?resource=apps/Deployment/shop/shop&view=extension:Bad%20view`);
  await page.getByText("The extension “Bad view” has failed").waitFor();
  await page.getByRole("link", { name: "Events" }).first().waitFor();
});

test("a status and an action open their flyouts, each with an address of its own", options, async () => {
  await go(shop);
  // Of the two scripts that cannot be started, on each load.
  const notices = page.getByRole("button", { name: "Dismiss" });
  await notices.nth(1).waitFor();
  await notices.nth(1).click();
  await notices.first().click();
  await page.getByRole("button", { name: "Status of mine" }).click();
  await page.getByRole("complementary", { name: "My status" }).getByText("flyout of shop").waitFor();
  assert.match(page.url(), /extension=my_status/);
  await picture("extensions-flyout");
  await page.keyboard.press("Escape");
  await page.getByText("flyout of shop").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Do mine" }).click();
  await page.getByText(/flyout with [1-9]\d* nodes/).waitFor();
  await page.reload();
  await page.getByText(/flyout with [1-9]\d* nodes/).waitFor();
});

test("views of applications and of objects stand beside ours, by group and kind", options, async () => {
  await go(shop);
  await page.getByRole("link", { name: "Own view" }).click();
  await page.getByText("a view of shop").waitFor();
  await picture("extensions-view");
  await page.getByRole("link", { name: "Own tab" }).click();
  await page.getByText("project default").waitFor();
  await go(`${shop}?resource=apps/Deployment/shop/shop`);
  await page.getByRole("link", { name: "Scale facts" }).click();
  await page.getByText(/replicas 2 of shop among [1-9]\d*/).waitFor();
  await picture("extensions-resource");
  await page.reload();
  await page.getByText(/replicas 2 of shop/).waitFor();
  await go(`${shop}?resource=/Service/shop/shop`);
  await page.getByRole("link", { name: "Every group" }).click();
  await page.getByText("in every group").waitFor();
  assert.equal(await page.getByRole("link", { name: "Named groups" }).count(), 0);
});

test(
  "a page of its own is in the bar, at its path, and calls the server in the user's name",
  options,
  async () => {
    await go("/applications");
    await page.getByRole("link", { name: "Test Ext" }).click();
    await page.getByText(/Seen by the extension: 200 .*shop/).waitFor();
    assert.equal(page.url(), `${product.url}/hello`);
    assert.equal(await page.title(), "Test Ext · Capstan");
    await picture("extensions-page");
    await page.reload();
    await page.getByText(/Seen by the extension: 200 .*shop/).waitFor();
    await go("/no-such-page");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
  },
);

test("styles of the operator's own are laid over ours, and of no other server's", options, async () => {
  const policy = async () => (await fetch(`${product.url}/`)).headers.get("content-security-policy") ?? "";
  assert.match(await policy(), /style-src 'self' 'unsafe-inline';/);
  await product.configure("argocd-cm", { "ui.cssurl": "https://styles.example/own.css" });
  for (let tries = 0; tries < 300 && !(await policy()).includes("styles.example"); tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
  assert.match(await policy(), /style-src 'self' 'unsafe-inline' https:\/\/styles\.example;/);
  assert.match(await policy(), /script-src 'self';/);
  const asked: string[] = [];
  await page.route("https://styles.example/own.css", (route) => {
    asked.push(route.request().url());
    return route.fulfill({ contentType: "text/css", body: ".brand { outline: 3px dashed rgb(1, 2, 3) }" });
  });
  await go("/applications");
  await page.locator(".brand").waitFor();
  const colour = () => page.locator(".brand").evaluate((one) => getComputedStyle(one).outlineColor);
  for (let tries = 0; tries < 300 && (await colour()) !== "rgb(1, 2, 3)"; tries++)
    await page.waitForTimeout(100);
  assert.equal(await colour(), "rgb(1, 2, 3)");
  assert.equal(asked.length, 1);
});
