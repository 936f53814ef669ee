import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before, test } from "node:test";
import { isWhole } from "@capstan/testkit/whole-suite";
import type { Page } from "playwright-core";
import { noBrowser, PageWorld } from "./page-world.ts";

const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };
let world: PageWorld;
const options = { skip: noBrowser };
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

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

interface Finding {
  id: string;
  impact: string;
  nodes: string[];
}

const widths = [1440, 1024, phone.width];

/** What is seen at 1024 is seen at 1440 or at 390, but for its width. */
const looks = (width: number): readonly (keyof typeof rules)[] => {
  if (width === phone.width) return ["light", "dark"];
  if (width === 1440) return isWhole ? ["light", "dark"] : ["light"];
  return isWhole ? ["light"] : [];
};
const looked = widths.flatMap((width) => looks(width).map((look) => `${look} at ${width}`)).join(", ");

/** The dark page differs in its colours alone. */
const rules = {
  light: "{ resultTypes: ['violations'] }",
  dark: "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }",
} as const;

async function findings(page: Page, options: string): Promise<Finding[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return page.evaluate(`axe.run(${options}).then(({ violations }) => violations
    .map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) })))`);
}

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
  test(
    `${name}: axe finds nothing (${looked}), and at ${widths.join(", ")} it is no wider than that`,
    options,
    async () => {
      const page = await world.open(path);
      const tooWide: string[] = [];
      // As when a window is made small: to load the page anew takes longer than to look at it.
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 });
        await page.locator(ready).first().waitFor({ state: "attached" });
        for (const colorScheme of looks(width)) {
          await page.emulateMedia({ colorScheme });
          await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
          assert.deepEqual(await findings(page, rules[colorScheme]), [], `${colorScheme}, ${width}`);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) tooWide.push(`${wide} at ${width}`);
      }
      await page.setViewportSize(desk);
      assert.deepEqual(tooWide, []);
    },
  );
