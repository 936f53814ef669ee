import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { type MockServer, startMock } from "../mock/server.ts";
import { builtPage } from "./built-page.ts";

/** Debian's; the one without windows takes a third less of a processor. */
const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
const executablePath = browsers.find((path) => existsSync(path)) ?? "";

/** A reason to skip, told in the test's result: these tests need Debian's Chromium. In CI its absence is a failure. */
export const noBrowser = executablePath === "" ? absent(`no browser at ${browsers.join(" or ")}`) : false;
/** As `noBrowser`, of tests that look at the page as the real server has it. */
export const noBuiltPage =
  noBrowser ||
  (existsSync(join(import.meta.dirname, "..", "dist", "index.html"))
    ? false
    : absent("the page is not built: npm run build -w packages/ui"));

function absent(reason: string): string {
  if (process.env.CI) throw new Error(`${reason}: in CI no test of the page is skipped`);
  return reason;
}

/** Only what never comes costs this long; a machine that others use answers late. */
const giveUpMs = 20_000;

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export type OpenOptions = BrowserContextOptions & { loggedIn?: boolean };

/** A browser that opens pages of the server at `url`, whatever that server is. */
export class PageBrowser implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #url: string;
  #usual: Promise<Page> | undefined;

  constructor(browser: Browser, url: string) {
    this.#browser = browser;
    this.#url = url;
  }

  static async launch(url: string): Promise<PageBrowser> {
    return new PageBrowser(await chromium.launch({ executablePath, args: flags }), url);
  }

  /**
   * A page as if it were new; fails the test on any error that the page throws. Without options of a context it is
   * always the same one: to start another one takes longer than most tests.
   */
  async open(path: string, { loggedIn = true, ...options }: OpenOptions = {}): Promise<Page> {
    const isUsual = Object.keys(options).length === 0;
    if (isUsual) this.#usual ??= this.#newPage({});
    const page = await (isUsual && this.#usual ? this.#usual : this.#newPage(options));
    await page.context().clearCookies();
    if (loggedIn) await page.context().addCookies([{ name: "argocd.token", value: "t", url: this.#url }]);
    await page.goto(this.#url + path);
    return page;
  }

  async #newPage(options: BrowserContextOptions): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(giveUpMs);
    const page = await context.newPage();
    page.on("pageerror", (error) => {
      throw error;
    });
    // What a test leaves unsaved does not hold up the next one.
    page.on("dialog", (dialog) => (dialog.type() === "beforeunload" ? dialog.accept() : dialog.dismiss()));
    return page;
  }

  /** What one test has opened shall not go on working while the next one is looked at. */
  async closePages(): Promise<void> {
    const usual = await this.#usual;
    for (const context of this.#browser.contexts()) if (context !== usual?.context()) await context.close();
    if (usual && usual.url() !== "about:blank") await usual.evaluate(() => localStorage.clear());
    await usual?.goto("about:blank");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}

/** The page as its sources are, the server of seeded data, and a browser, closed at the end. */
export class PageWorld implements AsyncDisposable {
  readonly mock: MockServer;
  readonly #browser: PageBrowser;

  private constructor(mock: MockServer, browser: PageBrowser) {
    this.mock = mock;
    this.#browser = browser;
  }

  static async start({ apps = 24 } = {}): Promise<PageWorld> {
    const mock = await startMock({ port: 0, plenty: apps, dist: await builtPage() });
    return new PageWorld(mock, await PageBrowser.launch(mock.url));
  }

  open(path: string, options?: OpenOptions): Promise<Page> {
    return this.#browser.open(path, options);
  }

  closePages(): Promise<void> {
    return this.#browser.closePages();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
    await this.mock[Symbol.asyncDispose]();
  }
}
