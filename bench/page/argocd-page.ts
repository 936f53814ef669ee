import type { Page } from "playwright-core";

/**
 * Whoever accepts HTML of argocd-server gets the index that is built into it, which is none; as a file it is there,
 * and its paths are those of the page.
 */
export async function openArgoPage(page: Page, url: string, path: string): Promise<void> {
  const wanted = `${url}${path}`;
  await page.route(wanted, async (route) => {
    const response = await route.fetch({ url: `${url}/`, headers: { accept: "*/*" } });
    await route.fulfill({ response });
  });
  await page.goto(wanted, { waitUntil: "commit" });
  await page.unroute(wanted);
}
