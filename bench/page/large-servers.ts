/** Whole products whose page shows one large application: each deploys it to an embedded cluster of its own. */
import type { KubeClient } from "@capstan/kube";
import { startArgoCD, startCapstan, startEmbeddedCluster } from "@capstan/testkit";
import type { Page } from "playwright-core";
import { patienceSeconds } from "../report.ts";
import { openArgoPage } from "./argocd-page.ts";

export interface LargeServer extends AsyncDisposable {
  readonly url: string;
  /** Undefined: nobody is asked who he is. */
  readonly token: string | undefined;
  readonly kube: KubeClient;
  /** Any node of the picture. */
  readonly node: string;
  /** A Pod by itself in the picture. */
  readonly pod: string;
  /** Shows the application; `url`: by which the browser reaches the server. */
  open(page: Page, url: string): Promise<void>;
  /** Until the picture, folded as the page folds it by itself, knows of every object. */
  untilWhole(page: Page): Promise<void>;
  /** What a person clicks to see every Pod by itself, or to fold them again. */
  switchPods(page: Page): Promise<void>;
  /** What a person clicks to see what differs. */
  showDiff(page: Page): Promise<void>;
}

interface TreeSize {
  readonly deployments: number;
  readonly objects: number;
}

const path = "/applications/argocd/large";
export const patience = { timeout: patienceSeconds * 1_000 };

export async function capstanWithTree(
  program: string | undefined,
  { objects }: TreeSize,
): Promise<LargeServer> {
  await using opened = new AsyncDisposableStack();
  const capstan = opened.use(
    await startCapstan({ flags: ["--no-samples"], ...(program !== undefined && { program }) }),
  );
  const token = await capstan.token();
  const closing = opened.move();
  let next = "Show all";
  return {
    url: capstan.url,
    token,
    kube: capstan.kube,
    node: ".node",
    pod: ".pod",
    open: async (page, url) => void (await page.goto(`${url}${path}`, { waitUntil: "commit" })),
    untilWhole: (page) => page.locator(".node.root", { hasText: `${objects} objects` }).waitFor(patience),
    async switchPods(page) {
      await page.getByRole("link", { name: next }).click(patience);
      next = next === "Show all" ? "Fold healthy" : "Show all";
    },
    showDiff: (page) => page.getByRole("link", { name: "Diff" }).first().click(patience),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** The real Argo CD, with the page that was built of its sources into `assets` (see README.md). */
export async function argocdWithTree(assets: string, { deployments }: TreeSize): Promise<LargeServer> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startEmbeddedCluster());
  const argo = opened.use(await startArgoCD(cluster, { env: { ARGOCD_SERVER_STATIC_ASSETS: assets } }));
  const closing = opened.move();
  return {
    url: argo.url,
    token: undefined,
    kube: cluster.kube,
    node: ".application-resource-tree__node",
    pod: ".application-resource-tree__node--pod",
    open: (page, url) => openArgoPage(page, url, path),
    // From 15 Pods on its page shows those of an owner as one count.
    untilWhole: (page) =>
      page
        .locator(".pod-view__node__label--large")
        .nth(deployments - 1)
        .waitFor(patience),
    switchPods: (page) => page.locator(".group-nodes-button[title='Group Nodes']").click(patience),
    showDiff: (page) => page.locator(".application-status-panel__item-value a").first().click(patience),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
