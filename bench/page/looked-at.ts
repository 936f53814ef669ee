/** A page in a browser of its own, and what it costs. */
import type { CDPSession, Page } from "playwright-core";
import { CountingProxy } from "../../packages/ui/browser/counting-proxy.ts";
import { PageBrowser } from "../../packages/ui/browser/page-world.ts";

export interface LookedAt extends AsyncDisposable {
  readonly page: Page;
  readonly url: string;
  /** Bytes that came so far, of what `wanted` names. */
  bytes(wanted: (path: string) => boolean): number;
  /** Milliseconds of the main thread's processor time so far. */
  busyMs(): Promise<number>;
  /** Megabytes, after what is not needed any more is gone. */
  heap(): Promise<number>;
}

export const isData = (path: string): boolean => path.startsWith("/api/");
export const isScript = (path: string): boolean => path.endsWith(".js");

/** Begins with nothing in its caches, signed in with `token`, at about:blank. */
export async function lookAt(server: string, token: string | undefined): Promise<LookedAt> {
  await using opened = new AsyncDisposableStack();
  const proxy = opened.use(await CountingProxy.start(server));
  const browser = opened.use(await PageBrowser.launch(proxy.url));
  const page = await browser.open("/healthz", { loggedIn: false, viewport: { width: 1440, height: 900 } });
  if (token !== undefined)
    await page.context().addCookies([{ name: "argocd.token", value: token, url: proxy.url }]);
  await page.goto("about:blank");
  proxy.carried.length = 0;
  const session = await page.context().newCDPSession(page);
  // The processor's time: others on this machine do not count. (`setTimeDomain` does nothing any more.)
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const closing = opened.move();
  return {
    page,
    url: proxy.url,
    bytes: (wanted) => proxy.carried.reduce((sum, { path, bytes }) => sum + (wanted(path) ? bytes : 0), 0),
    busyMs: async () => (await metric(session, "TaskDuration")) * 1_000,
    heap: async () => {
      await session.send("HeapProfiler.collectGarbage");
      return (await metric(session, "JSHeapUsedSize")) / 1e6;
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

async function metric(session: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? 0;
}
