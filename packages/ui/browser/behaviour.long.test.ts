import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Locator } from "playwright-core";
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

test("who is not signed in comes to the login and back to where they wanted to go", options, async () => {
  const page = await world.open("/applications/argocd/guestbook?tab=history", { loggedIn: false });
  await page.getByLabel("Password").fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("Invalid username or password").waitFor();
  await page.getByLabel("Password").fill("right");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Operations" }).waitFor();
  assert.match(page.url(), /guestbook\?tab=history$/);
});

test(
  "where nobody has to sign in the pages are there at once, and signing in is offered",
  options,
  async () => {
    const page = await world.open("/login");
    await page.route("**/api/v1/session/userinfo", (route) => route.fulfill({ json: { loggedIn: false } }));
    await page.goto(new URL("/applications", page.url()).href);
    await page.getByRole("heading", { name: "Applications" }).waitFor();
    await page.locator(".app-row").first().waitFor();
    await page.getByRole("button", { name: "Account" }).click();
    await page.getByText("Sign in", { exact: true }).click();
    await page.getByLabel("Password").waitFor();
  },
);

test("a key that is pressed before the server has said whether one may is not lost", options, async () => {
  const page = await world.open("/applications");
  await page.locator(".app-row").first().waitFor();
  const pressed = Promise.withResolvers<void>();
  await page.route("**/api/v1/account/can-i", async (route) => {
    await pressed.promise;
    await route.continue();
  });
  await page.getByRole("link", { name: "guestbook", exact: true }).click();
  await page.getByRole("heading", { name: "guestbook" }).waitFor();
  await page.keyboard.press("s");
  pressed.resolve();
  await page.getByRole("dialog").waitFor();
});

test("the login does not lead on to other sites", options, async () => {
  const page = await world.open("/login?return=//evil.example.com", { loggedIn: false });
  await page.getByLabel("Password").fill("right");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Applications" }).waitFor();
});

test("a lost connection is said, data is marked old, and it comes back by itself", options, async () => {
  const page = await world.open("/applications");
  await page.getByText("Live", { exact: true }).waitFor();
  world.mock.refuse(true);
  world.mock.dropStreams();
  await page.getByText(/Connection lost · data from/).waitFor();
  assert.equal((await page.locator(".list-page.old .app-row").count()) > 5, true);
  world.mock.refuse(false);
  await page.getByText("Live", { exact: true }).waitFor();
  assert.equal(await page.locator(".list-page.old").count(), 0);
});

test("a change in the cluster appears without a reload", options, async () => {
  const page = await world.open("/applications?q=catalog-production");
  const row = page.locator(".app-row");
  await row.getByText("Healthy").waitFor();
  const entry = world.mock.world.entries.get("catalog-production");
  assert.ok(entry?.app.status);
  entry.app = { ...entry.app, status: { ...entry.app.status, health: { status: "Degraded" } } };
  world.mock.world.changed(entry);
  await row.getByText("Degraded").waitFor();
});

test("every key does what the list of keys says", options, async () => {
  const page = await world.open("/applications");
  const worst = (await page.locator(".row-link").first().textContent()) ?? "";
  await page.keyboard.press("/");
  assert.equal(
    await page.getByLabel("Search applications").evaluate((field) => field.matches(":focus")),
    true,
  );
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 selected").waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("Next application").waitFor();
  // What the page's own key hides is not told.
  assert.equal(await page.getByRole("dialog").getByText("Next row").count(), 0);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: worst }).waitFor();
  for (const [key, tab] of [
    ["d", "Diff"],
    ["e", "Events"],
    ["h", "History"],
    ["l", "Logs"],
    ["t", "Tree"],
  ] as const) {
    await page.keyboard.press(key);
    await page.locator(".tab[aria-current=page]", { hasText: tab }).waitFor();
  }
  await page.keyboard.press("r");
  await page.getByText(`Refreshed ${worst}`).waitFor();
  await page.keyboard.press("s");
  await page.getByRole("dialog", { name: `Sync ${worst}` }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  // Together: a chord has a limit between its presses, and a slow page answers the first one late.
  await Promise.all([page.keyboard.press("g"), page.keyboard.press("a")]);
  await page.getByRole("heading", { name: "Applications" }).waitFor();
});

test("⌘K finds an application by name and an action by its verb", options, async () => {
  const page = await world.open("/clusters");
  await page.getByRole("heading", { name: "Clusters" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("guest");
  await page.getByRole("option", { name: /guestbook/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "guestbook" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("hard");
  await page.keyboard.press("Enter");
  await page.getByText("Refreshed guestbook").waitFor();
});

test("the palette shows both ends of a long name", options, async () => {
  const page = await world.open("/applications", { viewport: { width: 390, height: 844 } });
  await page.locator(".app-row").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("payments-gateway-production");
  // Read as one word.
  const option = page.getByRole("option", { name: /payments-gateway-production-eu-west-1/ });
  await option.waitFor();
  const end = await option.locator(".cut-end").boundingBox();
  const whole = await option.boundingBox();
  assert.ok(end && whole && end.width > 0 && end.x + end.width <= whole.x + whole.width);
  assert.equal(await option.locator(".cut-end").getAttribute("data-end"), "eu-west-1");
});

test("arrow keys walk the tree and Enter opens what they stand on", options, async () => {
  const page = await world.open("/applications/argocd/guestbook");
  await page.getByRole("button", { name: /^Application.*guestbook/ }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowRight");
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  assert.match(focused ?? "", /^(Service|Deployment|ReplicaSet|ConfigMap).*guestbook/);
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("complementary").waitFor({ state: "detached" });
});

test(
  "the operator's banner and links are there, and a banner stays away that was put away",
  options,
  async () => {
    const page = await world.open("/login");
    await page.route("**/api/v1/settings", async (route) => {
      const answer = await route.fetch();
      const banner = { uiBannerContent: "Maintenance on Sunday", uiBannerURL: "https://status.example.com" };
      await route.fulfill({ response: answer, json: { ...(await answer.json()), ...banner } });
    });
    await page.goto(new URL("/settings", page.url()).href);
    for (const [name, url] of [
      ["Ask the platform team", "https://chat.example.com"],
      ["Command line for linux-amd64", "https://downloads.example.com/capstan"],
    ] as const)
      assert.equal(await page.getByRole("link", { name }).getAttribute("href"), url);
    const banner = page.getByRole("complementary", { name: "From the operator" });
    assert.equal(await banner.getByRole("link").getAttribute("href"), "https://status.example.com");
    await banner.getByRole("button").click();
    await page.reload();
    await page.getByRole("link", { name: "Ask the platform team" }).waitFor();
    assert.equal(await banner.count(), 0);
    await page.unrouteAll({ behavior: "wait" });
  },
);

test("an application of a set says which one made it", options, async () => {
  const page = await world.open("/login");
  await page.route("**/api/v1/applications/tax-production?*", async (route) => {
    const answer = await route.fetch();
    const app = await answer.json();
    const owner = { apiVersion: app.apiVersion, kind: "ApplicationSet", name: "taxes", uid: "1" };
    app.metadata.ownerReferences = [owner];
    await route.fulfill({ response: answer, json: app });
  });
  await page.goto(new URL("/applications/argocd/tax-production", page.url()).href);
  await page.getByText("ApplicationSet taxes").waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

test("an application is deleted only after its name was typed", options, async () => {
  const page = await world.open("/applications/argocd/tax-production?dialog=delete");
  const dialog = page.getByRole("dialog");
  const button = dialog.getByRole("button", { name: /^Delete it and 3 objects/ });
  assert.equal(await button.isDisabled(), true);
  await dialog.getByLabel(/to confirm/).fill("tax-production");
  await button.click();
  await page.getByText("This application has been deleted.").waitFor();
});

test("a refused creation says what the server said and keeps what was typed", options, async () => {
  const page = await world.open("/applications/new");
  await page.getByLabel("Name", { exact: false }).first().fill("Not A Name");
  await page.getByLabel(/^Repository/).fill("https://git.example.com/a.git");
  await page.getByLabel(/^Namespace/).fill("web");
  await page.getByRole("button", { name: /^Create/ }).click();
  await page.getByText(/use lower-case letters, digits and dashes/).waitFor();
  await page.getByLabel("Name", { exact: false }).first().fill("fresh");
  await page.getByRole("button", { name: "Create fresh" }).click();
  await page.getByRole("heading", { name: "fresh" }).waitFor();
});

test("what stands in the address shows in its field before the click ends", options, async () => {
  const page = await world.open("/applications");
  const search = page.getByLabel("Search applications");
  await search.fill("check & out");
  await search.evaluate((field: HTMLInputElement) => field.setSelectionRange(1, 1));
  await search.pressSequentially("-?=");
  assert.equal(await search.inputValue(), "c-?=heck & out");
  await search.fill("");
  await page.getByRole("button", { name: "Project" }).first().click();
  const filter = page.getByRole("group", { name: "Project" }).getByRole("checkbox").first();
  assert.equal(await clickedTwice(filter), "true, false");
  await page.goto(`${world.mock.url}/applications/argocd/guestbook?tab=logs`);
  assert.equal(await clickedTwice(page.getByLabel("Wrap")), "true, false");
  assert.equal(await clickedTwice(page.getByLabel("Follow")), "false, true");
});

/** A click is lost where the field is first given its former value back, and the second one asks for the same again. */
const clickedTwice = (box: Locator) =>
  box.evaluate((field: HTMLInputElement) => {
    field.click();
    const first = field.checked;
    field.click();
    return `${first}, ${field.checked}`;
  });

test("objects that no application has are shown on request, marked, and deleted", options, async () => {
  const page = await world.open("/applications/argocd/guestbook");
  await page.getByText("With 2 orphaned").waitFor();
  assert.equal(await page.getByText("left-by-hand").count(), 0);
  await page.getByText("With 2 orphaned").click();
  const node = page.locator(".node", { hasText: "left-by-hand" });
  await node.getByText("orphaned", { exact: true }).waitFor();
  await page.getByText("Orphaned only").click();
  await page.waitForURL(/orphans=only/);
  await node.getByRole("button").first().click();
  await page.getByRole("button", { name: "Actions on ConfigMap left-by-hand" }).click();
  await page.getByText("Delete from the cluster…").click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Delete/ })
    .click();
  await page.getByText("With 1 orphaned").waitFor();
});
