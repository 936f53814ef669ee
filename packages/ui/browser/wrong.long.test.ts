import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { noBrowser, PageWorld } from "./page-world.ts";

// "Is anything wrong?": what the list says, finds and keeps.

let world: PageWorld;
const options = { skip: noBrowser };

before(async () => {
  if (!noBrowser) world = await PageWorld.start({ apps: 300 });
});
afterEach(async () => {
  if (!noBrowser) await world.closePages();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

test("a row gives the worst cause, and a crash loop stands above what is only unknown", options, async () => {
  const page = await world.open("/applications");
  const names = page.locator(".row-link");
  await names.first().waitFor();
  const row = page.locator(".app-row", { hasText: "recommendations" });
  await row.getByText("Progressing").waitFor();
  await row.getByText(/^CrashLoopBackOff: recommendations-/).waitFor();
  const shown = await names.allTextContents();
  const looping = shown.indexOf("recommendations");
  assert.ok(looping >= 0 && looping < shown.indexOf("search-indexer"), shown.join());
});

test(
  "a sync that fails and is tried again is counted as failing, and its row says why",
  options,
  async () => {
    const entry = world.mock.world.entries.get("tax-production");
    assert.ok(entry);
    entry.app = {
      ...entry.app,
      status: {
        ...entry.app.status,
        operationState: {
          operation: { retry: { limit: 5 } },
          phase: "Running",
          startedAt: new Date().toISOString(),
          finishedAt: new Date().toISOString(),
          message:
            "one or more objects failed to apply, reason: Service tax: spec.clusterIP: field is immutable. Retrying attempt #1 at 2036-11-23T10:00:00Z.",
        },
      },
    };
    world.mock.world.changed(entry);
    const page = await world.open("/applications");
    await page.getByRole("link", { name: "2 Sync failing" }).click();
    await page.waitForURL(/operation=Failing/);
    const row = page.locator(".app-row", { hasText: "tax-production" });
    await row.getByText("Service tax: spec.clusterIP: field is immutable", { exact: true }).waitFor();
    await row.getByText("Retrying", { exact: true }).waitFor();
  },
);

test("labels narrow, and more filters stand in one place", options, async () => {
  const page = await world.open("/applications?label=team=shop,tier=backend");
  await page.getByText(/^3 of 309$/).waitFor();
  await page.goto(`${world.mock.url}/applications`);
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByLabel("Automatically").check();
  await page.waitForURL(/auto=on/);
  await page.getByRole("button", { name: "More: 1" }).waitFor();
});

test("a favourite is found again after a reload", options, async () => {
  const page = await world.open("/applications?q=media");
  const star = page.getByRole("button", { name: "media-production is a favourite" });
  await star.click();
  await page.goto(`${world.mock.url}/applications?favourite=yes`);
  await page.getByText("1 of 309").waitFor();
  await page.locator(".app-row", { hasText: "media-production" }).waitFor();
});

test("a view has a name, is kept, and its link shows it to a colleague", options, async () => {
  const page = await world.open("/applications?health=Degraded&sort=-name");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Name of this view").fill("My broken ones");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "My broken ones" }).waitFor();
  const link = page.url();
  await page.goto(`${world.mock.url}/applications`);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "My broken ones" }).click();
  await page.waitForURL(/title=My%20broken%20ones/);
  await page.getByRole("heading", { name: "My broken ones" }).waitFor();
  const colleague = await world.open(link.slice(world.mock.url.length), {
    viewport: { width: 1000, height: 700 },
  });
  await colleague.getByRole("heading", { name: "My broken ones" }).waitFor();
});

for (const [way, back] of [
  ["Esc", (page: Awaited<ReturnType<PageWorld["open"]>>) => page.keyboard.press("Escape")],
  [
    "the breadcrumb",
    (page: Awaited<ReturnType<PageWorld["open"]>>) =>
      page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click(),
  ],
  ["Back", (page: Awaited<ReturnType<PageWorld["open"]>>) => page.goBack()],
] as const)
  test(`filters, scroll and cursor are as they were left, by ${way}`, options, async () => {
    const page = await world.open("/applications?project=shop&sort=name");
    await page.locator(".app-row").first().waitFor();
    for (let count = 0; count < 40; count++) await page.keyboard.press("j");
    const current = page.locator(".app-row.current .row-link");
    const name = (await current.textContent()) ?? "";
    const read = () => page.locator(".table").evaluate((table) => table.scrollTop);
    // The last key's scroll may come with the next picture.
    const top = async () => {
      for (let last = await read(); ; ) {
        await page.waitForTimeout(150);
        const now = await read();
        if (now === last) return now;
        last = now;
      }
    };
    const before = await top();
    assert.ok(before > 100, `${before}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name }).waitFor();
    await back(page);
    await page.waitForURL(/project=shop&sort=name$/);
    await current.waitFor();
    assert.equal(await current.textContent(), name);
    assert.equal(await top(), before);
  });

test(
  "twenty applications and more are synced by their typed count, and failures are one notice",
  options,
  async () => {
    const page = await world.open("/applications?q=production");
    await page.locator(".app-row").first().waitFor();
    await page.getByLabel("Select all shown").check();
    await page.route("**/sync", (route) =>
      route.fulfill({ status: 403, json: { message: "permission denied" } }),
    );
    await page.getByRole("button", { name: "Sync…" }).click();
    const dialog = page.getByRole("dialog");
    const button = dialog.getByRole("button", { name: /^Sync \d+ applications$/ });
    assert.equal(await button.isDisabled(), true);
    const count = /\d+/.exec((await button.textContent()) ?? "")?.[0] ?? "";
    assert.ok(Number(count) >= 20, count);
    await dialog.getByLabel(/to confirm/).fill(count);
    await button.click();
    const problem = page.getByRole("alert").filter({ hasText: `Could not sync ${count} applications` });
    await problem.getByText(/production: permission denied/).waitFor();
    assert.equal(await page.getByRole("alert").count(), 1);
    await page.unrouteAll({ behavior: "wait" });
  },
);

test("the objects that differ are listed with their lines, and chosen ones are synced", options, async () => {
  const page = await world.open("/applications/argocd/guestbook?tab=diff");
  const list = page.getByRole("region", { name: "What differs" });
  await list
    .getByText(/^\+[1-9]\d*$/)
    .first()
    .waitFor();
  await list
    .getByRole("checkbox", { name: /^Choose Deployment / })
    .first()
    .check();
  await list.getByRole("button", { name: "Sync 1 object…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sync 1 object", exact: true }).waitFor();
});

test("what would each of several syncs do stands in their dialog, before the button", options, async () => {
  const page = await world.open("/applications?q=guestbook");
  await page.getByLabel("Select guestbook").check();
  await page.getByRole("button", { name: "Sync…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/\d to change/).waitFor();
  assert.equal(await dialog.getByText(/to delete/).count(), 0);
  await dialog.getByLabel(/^Prune/).check();
  await dialog.getByText(/1 to delete/).waitFor();
});

test("one object is synced alone, from its panel", options, async () => {
  const page = await world.open(
    "/applications/argocd/guestbook?resource=apps/Deployment/guestbook/guestbook-ui",
  );
  await page.getByRole("button", { name: "Actions on Deployment guestbook-ui" }).click();
  await page.getByText("Sync only this…").click();
  const dialog = page.getByRole("dialog");
  const asked = page.waitForRequest((request) => request.url().endsWith("/guestbook/sync"));
  await dialog.getByRole("button", { name: "Sync 1 object", exact: true }).click();
  assert.deepEqual((await asked).postDataJSON().resources, [
    { group: "apps", kind: "Deployment", namespace: "guestbook", name: "guestbook-ui" },
  ]);
});

test("an action asks for what it wants to know, and none is one careless click", options, async () => {
  const page = await world.open(
    "/applications/argocd/guestbook?resource=apps/Deployment/guestbook/guestbook-ui",
  );
  const sent: unknown[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/resource/actions/v2")) sent.push(request.postDataJSON());
  });
  const choose = async (name: string) => {
    await page.getByRole("button", { name: "Actions on Deployment guestbook-ui" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  await choose("Restart");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.deepEqual(sent, []);
  await choose("Scale");
  await dialog.getByLabel("Replicas").fill("3");
  await dialog.getByRole("button", { name: "Scale Deployment guestbook-ui" }).click();
  await page.getByText("Scale: Deployment guestbook-ui", { exact: true }).waitFor();
  assert.equal(sent.length, 1);
  assert.deepEqual((sent[0] as { resourceActionParameters: unknown }).resourceActionParameters, [
    { name: "replicas", value: "3" },
  ]);
});

test("what a filter of the tree has found is synced together", options, async () => {
  const page = await world.open("/applications/argocd/guestbook?kind=Service,Deployment");
  await page.getByRole("button", { name: /^Sync \d+ objects?…$/ }).click();
  await page.waitForURL(/dialog=sync&objects=|objects=.*dialog=sync/);
  const asked = page.waitForRequest((request) => request.url().endsWith("/guestbook/sync"));
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Sync \d+ objects?$/ })
    .click();
  const kinds = (await asked).postDataJSON().resources.map(({ kind }: { kind: string }) => kind);
  assert.deepEqual([...new Set(kinds)].sort(), ["Deployment", "Service"]);
});
