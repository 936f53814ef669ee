import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import type { Application } from "@capstan/model";
import { eventually } from "@capstan/testkit";
import { noBrowser, PageWorld } from "./page-world.ts";

// What the page said and was not so; each of these fails on the page of October 2026.

let world: PageWorld;
const options = { skip: noBrowser };
/** For a request that a timer has sent to come. */
const settleMs = 200;

before(async () => {
  if (!noBrowser) world = await PageWorld.start();
});
afterEach(async () => {
  if (!noBrowser) await world.closePages();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

function entryOf(name: string) {
  const entry = world.mock.world.entries.get(name);
  assert.ok(entry);
  return entry;
}

function change(name: string, status: Application["status"] & object): void {
  const entry = entryOf(name);
  entry.app = { ...entry.app, status: { ...entry.app.status, ...status } };
  world.mock.world.changed(entry);
}

test("Sync waits for its plan, and where there is none the button says so", options, async () => {
  const page = await world.open("/login");
  const held = Promise.withResolvers<void>();
  // Before the page is loaded: of one that is open already, what is asked in the next moment may slip by.
  await page.route("**/sync-plan", async (route) => {
    await held.promise;
    await route.fulfill({ status: 500, json: { message: "helm went away" } });
  });
  await page.goto(new URL("/applications/argocd/guestbook", page.url()).href);
  await page.getByRole("button", { name: "Sync…" }).waitFor();
  await page.keyboard.press("s");
  const dialog = page.getByRole("dialog");
  // A machine that stalls for eight seconds shows the button of those in a hurry already.
  const [text, disabled] = await dialog
    .getByRole("button", { name: /^Sync( without plan)?$/ })
    .evaluate((found: HTMLButtonElement) => [found.textContent, found.disabled]);
  // Before what may fail: a request that is held for ever would hold the tests after this one.
  held.resolve();
  assert.ok(text === "Sync without plan" || disabled, `no plan, no Sync: ${text}`);
  const button = dialog.getByRole("button", { name: "Sync without plan" });
  await button.waitFor();
  assert.equal(await button.isDisabled(), false);
  assert.equal(await dialog.getByRole("button", { name: "Sync", exact: true }).count(), 0);
  await page.unrouteAll({ behavior: "wait" });
});

test("the way back shows which parameters become other ones", options, async () => {
  const entry = entryOf("newsletter");
  const before = entry.app;
  assert.ok(before.spec.source);
  const parameters = [{ name: "replicas", value: "5" }];
  entry.app = {
    ...before,
    spec: { ...before.spec, source: { ...before.spec.source, helm: { parameters } } },
  };
  const page = await world.open("/applications/argocd/newsletter?tab=history");
  await page.getByRole("link", { name: "Roll back…" }).first().click();
  const line = page.getByRole("dialog").getByRole("row", { name: /helm.parameters.replicas/ });
  await line.getByText("5").waitFor();
  await line.getByText("not set").waitFor();
  entry.app = before;
});

test("an application that is not there is said, and the connection is not called lost", options, async () => {
  const page = await world.open("/applications/argocd/nowhere");
  await page.getByText("The application argocd/nowhere cannot be shown").waitFor();
  await page.waitForTimeout(1_500);
  assert.equal(await page.getByText(/No connection|Connection lost/).count(), 0);
});

test(
  "a browser that takes itself for offline asks a server of this machine all the same",
  options,
  async () => {
    const page = await world.open("/applications/argocd/guestbook");
    await page.getByRole("button", { name: "Sync…" }).waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event("offline")));
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page
      .getByRole("table")
      .or(page.getByText(/No events/))
      .first()
      .waitFor();
    await page.evaluate(() => window.dispatchEvent(new Event("online")));
  },
);

test("what one may do is asked again once the server is back, without a reload", options, async () => {
  let isAway = true;
  let asked = 0;
  // Not the page of the others: its clock is another one.
  const page = await world.open("/login", { viewport: { width: 1280, height: 800 } });
  await page.clock.install();
  await page.route("**/api/v1/account/can-i", async (route) => {
    asked += 1;
    await (isAway ? route.abort() : route.continue());
  });
  await page.goto(new URL("/applications/argocd/guestbook", page.url()).href);
  await page.getByRole("heading", { name: "guestbook" }).waitFor();
  const waited = { signal: AbortSignal.timeout(100_000), describe: () => `it was asked ${asked} times` };
  // The usual tries are over: what comes later waits for longer than they do.
  for (let before = 0; before === 0 || before !== asked; ) {
    before = await eventually(() => asked || undefined, waited);
    await page.clock.fastForward(5_000);
    await page.waitForTimeout(settleMs);
  }
  assert.equal(await page.getByRole("button", { name: "Sync…" }).count(), 0);
  isAway = false;
  await eventually(async () => {
    await page.clock.fastForward(5_000);
    await page.waitForTimeout(settleMs);
    return (await page.getByRole("button", { name: "Sync…" }).count()) > 0 || undefined;
  }, waited);
  await page.unrouteAll({ behavior: "wait" });
});

test("an application that was deleted says so and offers nothing", options, async () => {
  const page = await world.open("/applications/argocd/tax-production");
  await page.getByRole("button", { name: "Sync…" }).waitFor();
  world.mock.world.remove(entryOf("tax-production"));
  await page.getByText("This application has been deleted.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Sync|Refresh/ }).count(), 0);
  assert.equal(await page.getByText(/Synced|Healthy/).count(), 0);
  await page.keyboard.press("s");
  assert.equal(await page.getByRole("dialog").count(), 0);
});

test("a failed hook is led to, and its retry is counted down", options, async () => {
  const hook = {
    group: "batch",
    version: "v1",
    kind: "Job",
    namespace: "newsletter",
    name: "newsletter-migrate",
    hookType: "PreSync",
    hookPhase: "Failed" as const,
    message: "Job has reached the specified backoff limit",
  };
  const at = new Date(Date.now() + 40_000).toISOString();
  const before = entryOf("newsletter").app;
  change("newsletter", {
    operationState: {
      operation: { retry: { limit: 5 } },
      phase: "Running",
      startedAt: new Date().toISOString(),
      finishedAt: new Date().toISOString(),
      message: `one or more synchronization tasks completed unsuccessfully. Retrying attempt #2 at ${at}.`,
      retryCount: 1,
      syncResult: { revision: "", resources: [hook] },
    },
  });
  const page = await world.open("/applications/argocd/newsletter");
  const clause = page.getByRole("link", {
    name: "Sync failing: PreSync hook Job newsletter-migrate: Job has reached the specified backoff limit · attempt 2 of 5",
  });
  await clause.waitFor();
  await page.getByText(/^in [1-3]\d s$/).waitFor();
  await clause.click();
  await page.getByRole("complementary", { name: "Job newsletter-migrate" }).waitFor();
  entryOf("newsletter").app = before;
});

test("a window that holds syncs is named before Sync is pressed", options, async () => {
  const window = { kind: "deny", schedule: "0 22 * * *", duration: "8h", manualSync: false };
  entryOf("maps-staging").windows = { canSync: false, activeWindows: [window], assignedWindows: [window] };
  const page = await world.open("/applications/argocd/maps-staging");
  await page.getByText("Syncs are held: window deny 0 22 * * * for 8h").waitFor();
});

test("the times of a log are those of the machine, and marked", options, async () => {
  const page = await world.open("/applications/argocd/guestbook?tab=logs", { timezoneId: "Asia/Kolkata" });
  await page.getByText("local time, UTC+05:30").waitFor();
  const line = page.locator(".log-line time").first();
  await line.waitFor();
  // Together: the log goes on, and another line is the first.
  const [title, text] = await line.evaluate((time) => [time.getAttribute("title") ?? "", time.textContent]);
  const local = new Date(Date.parse(title ?? "") + 5.5 * 3_600_000).toISOString().slice(11, 19);
  assert.equal(text, local);
});

test("a log that broke off goes on from its last line", options, async () => {
  const page = await world.open("/applications/argocd/guestbook?tab=logs");
  await page.locator(".log-line").first().waitFor();
  world.mock.dropStreams();
  await eventually(
    async () =>
      world.mock.streamsAsked.some((url) =>
        /\/logs\?.*sinceTime=\d{4}-\d\d-\d\dT/.test(decodeURIComponent(url)),
      ),
    { signal: AbortSignal.timeout(60_000), describe: () => world.mock.streamsAsked.join("\n") },
  );
  await page.getByText("The log was lost").waitFor({ state: "detached" });
});

test("a part of the page that cannot come leaves the page as it is, and comes later", options, async () => {
  const page = await world.open("/applications");
  await page.locator(".app-row").first().waitFor();
  await page.route("**/assets/**", (route) => route.abort());
  const loads: string[] = [];
  page.on("framenavigated", (frame) => loads.push(frame.url()));
  await page.getByRole("link", { name: "Projects" }).click();
  await page.getByText("The list of projects has not come from the server yet").waitFor();
  await page.getByRole("navigation").first().waitFor();
  assert.match(page.url(), /\/projects$/);
  await page.unrouteAll({ behavior: "wait" });
  await page.getByRole("heading", { name: "Projects" }).waitFor();
  assert.equal(loads.filter((url) => !url.endsWith("/projects")).length, 0, loads.join());
});

test(
  "a dialog shows what its own action failed with, where it can be read and dismissed",
  options,
  async () => {
    const page = await world.open("/applications/argocd/newsletter?dialog=sync");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: /^Sync/ }).click();
    const problem = dialog.getByRole("alert").filter({ hasText: "Could not sync newsletter" });
    await problem.getByRole("button", { name: "Dismiss" }).click();
    await problem.waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
  },
);

test("a wrong password is said as that, not as a request that failed", options, async () => {
  const page = await world.open("/login", { loggedIn: false });
  await page.getByLabel("Password").fill("wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Invalid username or password").waitFor();
  assert.equal(await page.getByText("POST /api/v1/session").count(), 0);
});
