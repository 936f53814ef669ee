import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { noBrowser, PageWorld } from "./page-world.ts";

let world: PageWorld;
const options = { skip: noBrowser };

before(async () => {
  if (!noBrowser) world = await PageWorld.start();
});
afterEach(async () => {
  if (!noBrowser) await world.closePages();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

test("is anything wrong: the worst stands first, and a count filters", options, async () => {
  const page = await world.open("/applications");
  const rows = page.locator(".app-row");
  await rows.first().waitFor();
  assert.match((await rows.first().textContent()) ?? "", /checkout-api.*Degraded/);
  await page.getByRole("link", { name: "2 Degraded" }).click();
  await page.getByText("2 of 33").waitFor();
  assert.equal(await rows.count(), 2);
  assert.match(page.url(), /\?health=Degraded$/);
  await page.reload();
  await page.getByText("2 of 33").waitFor();
});

test("a link to a view of the list shows the same to a colleague", options, async () => {
  const page = await world.open("/applications?project=shop&sort=-name&view=tiles&q=prod");
  await page.locator(".tile").first().waitFor();
  assert.equal(await page.getByLabel("Search applications").inputValue(), "prod");
  const names = await page.locator(".tile-name").allTextContents();
  assert.deepEqual(names, [...names].sort().reverse());
});

test(
  "what is wrong with this one: one sentence, the culprit in view, its panel a click away",
  options,
  async () => {
    const page = await world.open("/applications/argocd/checkout-api");
    const sentence = page.getByRole("link", {
      name: /Degraded: Deployment checkout-api, 2 of 12 Pods CrashLoopBackOff/,
    });
    await sentence.waitFor();
    const culprit = page.locator(".node.pods.edge-bad");
    await culprit.waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector(".node.pods.edge-bad")?.getBoundingClientRect();
      return box && box.x > 0 && box.y > 0 && box.right <= innerWidth && box.bottom <= innerHeight;
    });
    await sentence.click();
    const panel = page.getByRole("complementary", { name: /^Pod checkout-api/ });
    // Its live text says it, too.
    await panel.locator(".chip", { hasText: "Status Reason: CrashLoopBackOff" }).waitFor();
    assert.match(page.url(), /resource=\/Pod\/checkout\/checkout-api-/);
    await page.goBack();
    await panel.waitFor({ state: "detached" });
  },
);

test("a condition is a sentence with what to do", options, async () => {
  const page = await world.open("/applications/argocd/payments-gateway-production-eu-west-1");
  await page.getByText("The source could not be rendered or compared").waitFor();
  await page
    .locator(".condition")
    .getByText(/kustomization.yaml, line 14/)
    .waitFor();
  await page
    .locator(".sentence")
    .getByText(/^Cannot be compared: .*kustomization.yaml, line 14/)
    .waitFor();
});

test("what will Sync do: the plan, its diffs, the deletions in the button, then live", options, async () => {
  const page = await world.open("/applications/argocd/guestbook");
  await page.getByRole("button", { name: "Sync…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("PreSync", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Sync", exact: true }).waitFor();
  await dialog.getByRole("button", { name: /change.*guestbook-ui/ }).click();
  await dialog.getByText("registry.example.com/default/guestbook-ui:1.8.0").waitFor();
  await dialog.getByLabel(/^Prune/).check();
  await dialog.getByRole("button", { name: "Sync, delete 1 object" }).click();
  await page.getByText("Sync of guestbook started").waitFor();
  await page.getByText(/^Synced to/).waitFor();
  await dialog.waitFor({ state: "detached" });
  await page.locator(".node", { hasText: "guestbook-old-settings" }).waitFor({ state: "detached" });
});

test("a plan that cannot start says why and offers no button", options, async () => {
  const page = await world.open("/applications/argocd/payments-gateway-production-eu-west-1?dialog=sync");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("alert").waitFor();
  assert.equal(await dialog.getByRole("button", { name: "Sync", exact: true }).isDisabled(), true);
});

test(
  "what did that commit do: message, author, time, and the way back with what it would do",
  options,
  async () => {
    const page = await world.open("/applications/argocd/checkout-api?tab=history");
    await page.locator(".deployment-message").nth(1).waitFor();
    await page
      .getByText(/Aiko Tanaka|Jonas Weber|Mara Lindqvist/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Roll back…" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/objects stay as they are/).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Roll back", exact: true }).isDisabled(), true);
    await dialog.getByRole("button", { name: "Turn off automatic sync" }).click();
    await dialog.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.getByText(/checkout-api goes back to/).waitFor();
  },
);

test("the diff of an object, one column and side by side, and its log", options, async () => {
  const page = await world.open(
    "/applications/argocd/invoices-staging?resource=apps/Deployment/invoices-staging/invoices",
  );
  const panel = page.getByRole("complementary", { name: "Deployment invoices" });
  await panel.locator(".cm-deletedChunk").first().waitFor();
  await panel.getByRole("link", { name: "Side by side" }).click();
  await panel.locator(".cm-merge-a .cm-changedLine").first().waitFor();
  await panel.getByRole("link", { name: "Live", exact: true }).click();
  await panel.getByText("readinessProbe").waitFor();
  assert.equal(await panel.getByText("managedFields").count(), 0);
  await panel.getByRole("link", { name: "Logs" }).click();
  await panel.getByText("cache warm").first().waitFor();
  await panel.getByPlaceholder("Find").fill("econnrefused");
  await panel.locator("mark").first().waitFor();
});

test(
  "several applications are synced together, and what fails is told by name and stays",
  options,
  async () => {
    const page = await world.open("/applications");
    await page.getByLabel("Select newsletter").check();
    await page.getByLabel("Select auth-test").check();
    await page.getByRole("button", { name: "Sync…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sync 2 applications" }).click();
    const problem = page.getByRole("alert").filter({ hasText: "Could not sync newsletter" });
    await problem.getByText("another operation is already in progress").waitFor();
    await problem.getByText("POST /api/v1/applications/newsletter/sync").waitFor();
    await problem.getByRole("button", { name: "Dismiss" }).click();
    await problem.waitFor({ state: "detached" });
  },
);
