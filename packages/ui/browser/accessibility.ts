import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Finding {
  id: string;
  impact: string;
  nodes: string[];
}

/** The dark page differs in its colours alone. */
const rules = {
  light: "{ resultTypes: ['violations'] }",
  dark: "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }",
} as const;

const phoneWidth = 390;
const widths = [1440, 1024, phoneWidth];

/** Of a sample: what is seen at 1024 is seen at 1440 or at 390, but for its width. */
const looks = (width: number, isWhole: boolean): readonly (keyof typeof rules)[] => {
  if (width === phoneWidth) return ["light", "dark"];
  if (width === 1440) return isWhole ? ["light", "dark"] : ["light"];
  return isWhole ? ["light"] : [];
};

/** For the title of a test that calls `assertAccessible`. */
export function accessibleTitle(isWhole: boolean): string {
  const looked = widths.flatMap((width) => looks(width, isWhole).map((look) => `${look} at ${width}`));
  return `axe finds nothing (${looked.join(", ")}), and at ${widths.join(", ")} it is no wider than that`;
}

/**
 * Looks at an open page with axe in each theme and at each width, and leaves it as wide as it was. `ready` is there when
 * the page has been laid out. To load the page anew for each width would take longer than to look at it.
 */
export async function assertAccessible(
  page: Page,
  { ready, isWhole }: { ready: string; isWhole: boolean },
): Promise<void> {
  const size = page.viewportSize();
  const path = new URL(page.url()).pathname;
  const tooWide: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    await page.locator(ready).first().waitFor({ state: "attached" });
    for (const colorScheme of looks(width, isWhole)) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
      assert.deepEqual(await findings(page, rules[colorScheme]), [], `${path}: ${colorScheme}, ${width}`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    if (wide > width) tooWide.push(`${path}: ${wide} at ${width}`);
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (size) await page.setViewportSize(size);
  assert.deepEqual(tooWide, []);
}

async function findings(page: Page, options: string): Promise<Finding[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  return page.evaluate(`axe.run(${options}).then(({ violations }) => violations
    .map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) })))`);
}
