import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// The whole product in small: what the page shows here, the real server, controllers and cluster have done.

const options = { skip: noBuiltPage };
let product: Product;
let browser: PageBrowser;
let page: Page;

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false });
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(product.url + path);

test("sign in, and all samples become Synced and Healthy on the list", options, async () => {
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.getByText("Simulated cluster").waitFor();
  await page.getByRole("link", { name: "4 Healthy" }).waitFor();
  await page.getByRole("link", { name: "4 Synced" }).waitFor();
});

test("an application has its tree down to the Pods, its log and its live object", options, async () => {
  await page.getByRole("link", { name: "shop", exact: true }).click();
  await page
    .getByText("Pods · 2 of 2 well")
    .or(page.getByText(/2 of 2 well/))
    .first()
    .waitFor();
  // The picture stays where it began, and Pods may have come after it was drawn.
  await page.getByRole("button", { name: "Fit", exact: true }).click();
  await page.getByRole("button", { name: /^Deployment shop/ }).click();
  const panel = page.getByRole("complementary", { name: "Deployment shop" });
  await panel.getByText("replicas").first().waitFor();
  await panel.getByRole("link", { name: "Diff" }).click();
  await panel.getByText("No difference.").waitFor();
  await panel.getByRole("link", { name: "Logs" }).click();
  await panel
    .getByText(/nothing really runs/)
    .first()
    .waitFor();
});

test("a shell in a container, where the operator and the right allow it (2 clicks)", options, async () => {
  await go("/applications/argocd/shop?tab=pods");
  await page
    .getByRole("button", { name: /^Pod shop-/ })
    .or(page.getByRole("link", { name: /^Pod shop-/ }))
    .first()
    .click();
  const panel = page.getByRole("complementary", { name: /^Pod shop-/ });
  await panel.getByRole("link", { name: "Logs" }).waitFor();
  assert.equal(await panel.getByRole("link", { name: "Terminal" }).count(), 0);
  await product.configure("argocd-cm", { "exec.enabled": "true" });
  await page.waitForFunction(async () => (await (await fetch("/api/v1/settings")).json()).execEnabled);
  await page.reload();
  await panel.getByRole("link", { name: "Terminal" }).click();
  const shell = panel.getByRole("textbox", { name: /^Shell in container / });
  await panel.locator(".xterm-rows", { hasText: "nothing really runs" }).waitFor();
  await shell.pressSequentially("echo one two");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Enter");
  await panel.locator(".xterm-rows", { hasText: /^.*one two.*one two/ }).waitFor();
  await shell.pressSequentially("exit\n");
  await panel.getByText("The shell has ended.").waitFor();
  await panel.getByRole("button", { name: "Open again" }).click();
  await panel.getByText("A shell in shop", { exact: true }).waitFor();
  await page.keyboard.press("F6");
  await page.keyboard.press("Escape");
  await panel.waitFor({ state: "hidden" });
});

test(
  "an application made in the form waits for its sync; the plan names what it creates",
  options,
  async () => {
    await go("/applications/new");
    await page.getByLabel(/^Name/).first().fill("second");
    await page.getByLabel(/^Repository/).fill(product.repository);
    await page.getByLabel(/^Path/).fill("plain");
    await page.getByLabel(/^Namespace/).fill("second");
    await page.getByLabel(/^Sync by itself/).uncheck();
    await page.getByRole("button", { name: "Create second" }).click();
    await page
      .getByText(/^OutOfSync/)
      .first()
      .waitFor();
    await page.keyboard.press("s");
    const dialog = page.getByRole("dialog");
    await dialog.locator(".step.act-create").first().waitFor();
    await dialog.getByRole("button", { name: "Sync", exact: true }).click();
    await page.getByText(/^Synced to/).waitFor();
    await page.locator(".clause", { hasText: "Healthy" }).waitFor();
  },
);

test("a commit is found by a refresh, told as a difference, and deployed", options, async () => {
  const commit = await product.commit("plain/config.yaml", (text) =>
    text.replace("Hello", "Good morning to all who look at this on a telephone in a train"),
  );
  await page.keyboard.press("r");
  await page.getByText(new RegExp(`^OutOfSync with ${commit.slice(0, 7)}: 1 object differs`)).waitFor();
  await page.keyboard.press("d");
  await page.locator(".cm-deletedChunk").first().waitFor();
  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog");
  await dialog.locator(".step.act-update").first().waitFor();
  await dialog.getByRole("button", { name: "Sync", exact: true }).click();
  await page.getByText(new RegExp(`^Synced to ${commit.slice(0, 7)}`)).waitFor();
  await page.keyboard.press("h");
  await page.locator(".deployment-message", { hasText: "Change plain/config.yaml" }).waitFor();
});

test("what did that commit do: one click shows each object as it was and became", options, async () => {
  const entry = page.locator(".deployment", { hasText: "Change plain/config.yaml" });
  await entry.getByText("by admin").waitFor();
  await entry.getByRole("button", { name: "Changed 1 object" }).click();
  await entry.getByRole("button", { name: /changed ConfigMap/ }).click();
  await entry.getByText("Good morning").waitFor();
  await entry.getByText("Hello").first().waitFor();
  const desk = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const [card, inside] = await entry.evaluate((element) =>
    [element, element.querySelector(".cm-editor")].map((one) => one?.getBoundingClientRect().right ?? 0),
  );
  assert.ok((inside ?? 0) <= (card ?? 0), `on a phone it ends at ${inside}, its card at ${card}`);
  if (desk) await page.setViewportSize(desk);
  await page.getByLabel("Compare").nth(0).check();
  await page.getByLabel("Compare").nth(1).check();
  await page.getByRole("region", { name: "Comparison" }).waitFor();
});

test("the way back: what it would do, and then it is done", options, async () => {
  await page.getByRole("link", { name: "Roll back…" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.locator(".step.act-update").first().waitFor();
  await dialog.getByRole("button", { name: "Roll back", exact: true }).click();
  await page
    .getByText(/^OutOfSync/)
    .first()
    .waitFor();
});

test("deleting it takes its objects along", options, async () => {
  await go("/applications/argocd/second?dialog=delete");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/to confirm/).fill("second");
  await dialog.getByRole("button", { name: /^Delete it and/ }).click();
  await page.getByText("This application has been deleted.").waitFor();
  await go("/applications");
  await page.getByRole("link", { name: "4 Healthy" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "second", exact: true }).count(), 0);
});

test(
  "an application is edited as a form and as YAML at once; what somebody else has set meanwhile is told (3 clicks)",
  options,
  async () => {
    await product.createApplication("third", "plain");
    await go("/applications/argocd/third?tab=manifest");
    await page.getByRole("button", { name: "Edit…" }).click();
    const text = page.getByRole("textbox", { name: "The Application as YAML" });
    await page.getByRole("button", { name: "Add to Labels" }).click();
    await page.getByLabel("Labels, Label 1").fill("team");
    await page.getByLabel("Labels, Value of team").fill("web");
    assert.match(await text.inputValue(), /labels:\n {4}team: web/);
    await text.focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  revisionH");
    await page.keyboard.press("Control+Space");
    await page.keyboard.type("5");
    assert.match(await text.inputValue(), /\n {2}revisionHistoryLimit: 5$/);
    const patch = JSON.stringify({
      spec: { revisionHistoryLimit: 3, info: [{ name: "by", value: "another" }] },
    });
    await product.ask("PATCH /api/v1/applications/third", { patch, patchType: "merge" });
    const behind = page
      .getByRole("alert")
      .filter({ hasText: "Someone else has changed spec.revisionHistoryLimit" });
    await behind.waitFor();
    assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
    await behind.getByRole("button", { name: "Put my changes on top of theirs" }).click();
    await page.getByText("2 fields are changed").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved third").waitFor();
    const { metadata, spec } = JSON.parse(
      JSON.stringify(await product.ask("GET /api/v1/applications/third")),
    );
    assert.deepEqual(
      [metadata.labels, spec.revisionHistoryLimit, spec.info],
      [{ team: "web" }, 5, [{ name: "by", value: "another" }]],
    );
  },
);

test(
  "a live object is edited as YAML: what the cluster would make of it is shown first (3 clicks)",
  options,
  async () => {
    await go("/applications/argocd/shop?resource=apps/Deployment/shop/shop&view=live");
    await page.getByRole("button", { name: "Edit… Deployment shop" }).click();
    const dialog = page.getByRole("dialog");
    const text = dialog.getByRole("textbox");
    await text.fill((await text.inputValue()).replace(/replicas: \d+/, "replicas: many"));
    await dialog.getByRole("button", { name: "Dry run" }).click();
    await dialog.getByRole("alert").filter({ hasText: "Nothing was written" }).waitFor();
    await text.fill((await text.inputValue()).replace("replicas: many", "minReadySeconds: 7\n  replicas: 2"));
    assert.equal(await dialog.getByRole("button", { name: "Write to the cluster" }).count(), 0);
    await dialog.getByRole("button", { name: "Dry run" }).click();
    await dialog.locator(".cm-changedLine", { hasText: "minReadySeconds: 7" }).waitFor();
    await dialog.getByRole("button", { name: "Write to the cluster" }).click();
    await page.getByText("Deployment shop was written").waitFor();
    await page
      .getByRole("complementary")
      .getByText(/minReadySeconds/)
      .waitFor();
  },
);

test(
  "an object is found by its name from any page, and a page of the settings (3 keys and its name)",
  options,
  async () => {
    await go("/projects");
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    await page.keyboard.press("Control+K");
    const field = page.getByRole("combobox", { name: "Name or verb" });
    await field.fill("greeting");
    await page.getByRole("option", { name: /ConfigMap · third/ }).click();
    await page.getByRole("complementary", { name: /^ConfigMap/ }).waitFor();
    await page.keyboard.press("Control+K");
    await field.fill("gpg");
    await page.keyboard.press("Enter");
    await page.waitForURL(/settings\/gpg-keys$/);
  },
);

test(
  "j and k move the focus along the rows, and Enter opens the one that has it (2 keys)",
  options,
  async () => {
    await go("/applications?sort=name");
    await page.locator(".app-row").nth(2).waitFor();
    await page.keyboard.press("j");
    const [first = "", second = ""] = await page.locator(".app-row .row-link").allInnerTexts();
    await page.waitForFunction((name) => document.activeElement?.textContent === name, first);
    await page.keyboard.press("j");
    await page.waitForFunction((name) => document.activeElement?.textContent === name, second);
    await page.keyboard.press("k");
    await page.waitForFunction((name) => document.activeElement?.textContent === name, first);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: first, exact: true }).waitFor();
    await go("/clusters");
    await page.locator(".data-table tbody tr").first().waitFor();
    await page.keyboard.press("j");
    await page.waitForFunction(() => document.activeElement?.closest("tbody tr") !== null);
  },
);
