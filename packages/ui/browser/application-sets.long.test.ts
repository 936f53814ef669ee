import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "@capstan/testkit";
import { heldCode } from "../mock/application-sets.ts";
import { noBrowser, PageWorld } from "./page-world.ts";

const options = { skip: noBrowser };
let world: PageWorld;
before(async () => {
  if (!options.skip) world = await PageWorld.start();
});
after(() => world?.[Symbol.asyncDispose]());

test("the list of sets begins with what is wrong, and leads to one of them", options, async () => {
  const page = await world.open("/applicationsets");
  await page.getByRole("heading", { name: "ApplicationSets" }).waitFor();
  const rows = page.locator("tbody tr");
  await rows.first().waitFor();
  assert.match(
    (await rows.allInnerTexts()).join("\n"),
    /^broken\s+Failed.*\nweb\s+Deletions held.*\nclean\s+Up to date/s,
  );
  const current = page.getByRole("navigation", { name: "Main" }).locator("[aria-current=page]");
  assert.deepEqual(await current.allInnerTexts(), ["App sets"]);
  await page.getByRole("link", { name: "web", exact: true }).click();
  await page.getByText("13 applications of project default").waitFor();
});

test("one set shows what is held, what it would do, and takes the consent", options, async () => {
  const page = await world.open("/applicationsets/argocd/web");
  const held = page.getByRole("region", { name: "Held deletions" });
  await held.getByText("8 of 13 Applications (62 %)").waitFor();
  await page.getByText("Update web-03").click();
  await page.getByText("path: teams/old").first().waitFor();
  assert.equal(await page.getByText("Delete, held").count(), 8);
  if (process.env.SCREENSHOTS)
    await page.screenshot({ path: `${process.env.SCREENSHOTS}/set.png`, fullPage: true });
  await held.getByRole("button", { name: "Allow these deletions…" }).click();
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/consent.png` });
  await page.getByRole("button", { name: "Delete 8 applications" }).click();
  await held.waitFor({ state: "detached" });
  await page.getByText("Nothing: its applications are as it says.").waitFor();
});

test("what somebody else does to a set is told, and not asked for", options, async () => {
  await using other = await PageWorld.start();
  const page = await other.open("/");
  const asked: string[] = [];
  page.on("requestfinished", (request) => asked.push(new URL(request.url()).pathname));
  const lists = () => asked.filter((path) => path === "/api/v1/applicationsets").length;
  await page.goto(`${other.mock.url}/applicationsets`);
  await page.getByText("Deletions held").waitFor();
  // Once at first, and once the stream is open.
  await eventually(async () => lists() === 2 || undefined, {
    signal: AbortSignal.timeout(60_000),
    describe: () => asked.join(),
  });
  assert.ok(other.mock.world.sets.allow(heldCode));
  await page.getByText("Deletions held").waitFor({ state: "detached" });
  assert.equal(lists(), 2);
});

test("where a generator cannot be read, what it would do is said to be unknown", options, async () => {
  const page = await world.open("/applicationsets/argocd/broken");
  const problem = page.getByRole("alert").filter({ hasText: "nothing is made, changed or deleted" });
  await problem.getByText("the repository cannot be reached").waitFor();
});

test("on a phone the pages of sets are as wide as it, and no word of theirs is broken", options, async () => {
  const page = await world.open("/applicationsets", { viewport: { width: 390, height: 844 } });
  for (const path of ["/applicationsets", "/applicationsets/argocd/clean"]) {
    await page.goto(world.mock.url + path);
    await page.locator(".data-table tbody tr").first().waitFor();
    const { wide, broken } = await page.evaluate(() => {
      const lines = (element: Element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      };
      const cells = [...document.querySelectorAll(".data-table td")];
      return {
        wide: document.querySelector("main")?.scrollWidth ?? 0,
        broken: cells
          .filter(({ textContent, children }) => children.length === 0 && !/\s/.test(textContent ?? ""))
          .filter((cell) => lines(cell) > 1)
          .map(({ textContent }) => textContent),
      };
    });
    assert.deepEqual(broken, [], path);
    assert.ok(wide <= 390, `${path} is ${wide} wide`);
  }
});
