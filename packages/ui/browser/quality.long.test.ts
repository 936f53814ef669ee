import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { isWhole } from "@capstan/testkit/whole-suite";
import { accessibleTitle, assertAccessible } from "./accessibility.ts";
import { noBrowser, PageWorld } from "./page-world.ts";

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };
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

const views: readonly { name: string; path: string; ready: string }[] = [
  { name: "list", path: "/applications", ready: ".app-row" },
  { name: "tiles", path: "/applications?view=tiles", ready: ".tile" },
  { name: "tree", path: "/applications/argocd/checkout-api", ready: ".node.pods, .tree-entry" },
  { name: "tree as a list", path: "/applications/argocd/checkout-api?as=list", ready: ".tree-entry" },
  {
    name: "panel",
    path: "/applications/argocd/guestbook?resource=apps/Deployment/guestbook/guestbook-ui",
    ready: ".panel .cm-content",
  },
  { name: "diff", path: "/applications/argocd/guestbook?tab=diff", ready: ".diff-box .cm-content" },
  {
    name: "pipeline",
    path: "/applications/argocd/guestbook?tab=pipeline",
    ready: ".stage-details .cm-content",
  },
  {
    name: "parameters",
    path: "/applications/argocd/guestbook?tab=parameters",
    ready: ".parameter",
  },
  { name: "events", path: "/applications/argocd/guestbook?tab=events", ready: ".events" },
  { name: "history", path: "/applications/argocd/newsletter?tab=history", ready: ".deployment" },
  { name: "logs", path: "/applications/argocd/guestbook?tab=logs", ready: ".log-line" },
  { name: "plan", path: "/applications/argocd/guestbook?dialog=sync", ready: ".step" },
  { name: "delete", path: "/applications/argocd/guestbook?dialog=delete", ready: "dialog input" },
  { name: "create", path: "/applications/new", ready: ".yaml-editor textarea" },
  { name: "projects", path: "/projects", ready: ".data-table" },
  { name: "plugins", path: "/plugins", ready: ".plugin-list li" },
  { name: "settings", path: "/settings", ready: ".fact-list" },
  { name: "login", path: "/login", ready: "form" },
  { name: "a list that has nothing", path: "/applications?q=no-such-name", ready: ".empty" },
  { name: "what is not there", path: "/applications/argocd/nowhere", ready: ".problem" },
  {
    name: "the way back",
    path: "/applications/argocd/newsletter?tab=history&dialog=rollback:1",
    ready: "dialog .plan, dialog .problem",
  },
  {
    name: "a tree with filters",
    path: "/applications/argocd/guestbook?find=ui&kind=Pod",
    ready: ".node, .tree-entry",
  },
];

test(
  "the form of parameters is as wide as its page has room for, on a desk and on a phone",
  options,
  async () => {
    const page = await world.open("/applications/argocd/guestbook?tab=parameters", { viewport: desk });
    await page.locator(".parameter-group").first().waitFor();
    const widths = () =>
      page.evaluate(() =>
        [".parameter-group", ".source-facts"].map(
          (found) => document.querySelector(found)?.getBoundingClientRect().width ?? 0,
        ),
      );
    for (const size of [desk, phone]) {
      await page.setViewportSize(size);
      const [form, facts] = await widths();
      assert.equal(form, facts, `${size.width}`);
    }
  },
);

for (const { name, path, ready } of views)
  test(`${name}: ${accessibleTitle(isWhole)}`, options, async () =>
    assertAccessible(await world.open(path), { ready, isWhole }),
  );
