/** Servers whose page shows a list of applications: each does nothing else, and nothing reconciles. */
import { type EmbeddedClusterProcess, startArgoCD, startCapstan } from "@capstan/testkit";
import type { Page } from "playwright-core";
import { openArgoPage } from "./argocd-page.ts";

export interface ListServer extends AsyncDisposable {
  readonly url: string;
  /** Undefined: nobody is asked who he is. */
  readonly token: string | undefined;
  readonly rows: string;
  /** Shows the list; `url`: by which the browser reaches the server. */
  open(page: Page, url: string): Promise<void>;
  /** Until the page has all of them. */
  untilWhole(page: Page): Promise<void>;
  /** To another page of it, without a reload. */
  leave(page: Page): Promise<void>;
}

interface CapstanInput {
  readonly cluster: EmbeddedClusterProcess;
  readonly apps: number;
  readonly program: string | undefined;
  readonly dataDir: string;
}

export async function capstanServer({ cluster, apps, program, dataDir }: CapstanInput): Promise<ListServer> {
  const flags = ["--no-samples", "--no-controllers", "--kubeconfig", cluster.kubeconfig];
  await using opened = new AsyncDisposableStack();
  const capstan = opened.use(
    await startCapstan({ flags, dataDir, ...(program !== undefined && { program }) }),
  );
  const token = await capstan.token();
  const closing = opened.move();
  return {
    url: capstan.url,
    token,
    rows: ".app-row",
    open: async (page, url) => void (await page.goto(`${url}/applications`, { waitUntil: "commit" })),
    untilWhole: (page) => page.getByText(`${apps.toLocaleString("en")} applications`).waitFor(),
    async leave(page) {
      await page.getByRole("link", { name: "Projects" }).first().click();
      await page.waitForURL("**/projects");
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** The real argocd-server, with the page that was built of its sources into `assets` (see README.md). */
export async function argocdServer(cluster: EmbeddedClusterProcess, assets: string): Promise<ListServer> {
  const argo = await startArgoCD(cluster, {
    only: ["redis-server", "argocd-server"],
    env: { ARGOCD_SERVER_STATIC_ASSETS: assets },
  });
  const rows = ".applications-list__entry, .applications-tiles__item";
  return {
    url: argo.url,
    token: undefined,
    rows,
    open: (page, url) => openArgoPage(page, url, "/"),
    // Its page shows nothing before it has everything.
    untilWhole: (page) => page.locator(rows).first().waitFor(),
    async leave(page) {
      await page.locator(".sidebar__nav-item").nth(1).click();
      await page.waitForURL("**/settings");
    },
    [Symbol.asyncDispose]: () => argo[Symbol.asyncDispose](),
  };
}
