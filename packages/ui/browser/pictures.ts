/** Which pictures are taken of the page (take-pictures.ts). */
import type { Page } from "playwright-core";

export interface Picture {
  readonly name: string;
  readonly path: string;
  /** What must be there. */
  readonly ready: string;
  act?(page: Page): Promise<void>;
}

const app = "/applications/argocd/many";
const shop = "/applications/argocd/shop";
const resource = "resource=apps/Deployment/shop/shop";
/** The dialog of the first button that begins so. */
const openBy = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name }).first().click();
  await page.getByRole("dialog").waitFor();
};
const press = (key: string) => (page: Page) => page.keyboard.press(key);

export const pictures: readonly Picture[] = [
  { name: "list", path: "/applications", ready: ".app-row" },
  { name: "list-filtered", path: "/applications?health=Degraded,Missing&q=o", ready: ".filter-line" },
  { name: "list-grouped", path: "/applications?group=project", ready: ".group-row" },
  { name: "tiles", path: "/applications?view=tiles", ready: ".tile" },
  {
    name: "list-selected",
    path: "/applications",
    ready: ".app-row",
    act: async (page) => {
      await page.getByLabel("Select shop").check();
      await page.getByLabel("Select many").check();
    },
  },
  { name: "tree", path: app, ready: ".node, .tree-entry" },
  { name: "tree-list", path: `${app}?as=list`, ready: ".tree-entry" },
  { name: "tree-small", path: shop, ready: ".node, .tree-entry" },
  { name: "tree-pods", path: `${app}?as=pods`, ready: "main" },
  { name: "tree-network", path: `${app}?as=network`, ready: "main" },
  { name: "broken", path: "/applications/argocd/broken", ready: "main h1" },
  { name: "failing", path: "/applications/argocd/failing", ready: "main h1" },
  { name: "diff", path: "/applications/argocd/drifted?tab=diff", ready: ".diff-box, .empty, .data-table" },
  { name: "pipeline", path: "/applications/argocd/rack?tab=pipeline", ready: ".stage-details" },
  { name: "events", path: `${shop}?tab=events`, ready: ".events, .empty" },
  {
    name: "history",
    path: "/applications/argocd/drifted?tab=history",
    ready: ".deployment",
    act: async (page) => {
      await page
        .getByRole("button", { name: /^Changed/ })
        .first()
        .click();
      await page.locator(".operation-changes .step-head").first().click();
    },
  },
  { name: "logs", path: `${shop}?tab=logs`, ready: ".log-line" },
  { name: "parameters", path: `${shop}?tab=parameters`, ready: "form, .parameter" },
  { name: "manifest", path: `${shop}?tab=manifest`, ready: ".cm-content" },
  { name: "panel-live", path: `${shop}?${resource}`, ready: ".panel .cm-content" },
  { name: "panel-logs", path: `${shop}?${resource}&view=logs`, ready: ".panel" },
  { name: "panel-events", path: `${shop}?${resource}&view=events`, ready: ".panel" },
  {
    name: "sync",
    path: "/applications/argocd/drifted?dialog=sync",
    ready: ".step",
    act: (page) => page.locator(".step-head").first().click(),
  },
  { name: "rollback", path: "/applications/argocd/drifted?tab=history&dialog=rollback:0", ready: ".step" },
  {
    name: "sync-two",
    path: "/applications",
    ready: ".app-row",
    act: async (page) => {
      await page.getByLabel("Select drifted").check();
      await page.getByLabel("Select of-drifted").check();
      await page.getByRole("button", { name: "Sync…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "diff-side",
    path: "/applications/argocd/drifted?tab=diff",
    ready: ".diff-box, .empty, .data-table",
    act: (page) => page.getByRole("link", { name: "Side by side" }).click(),
  },
  { name: "delete", path: `${shop}?dialog=delete`, ready: "dialog input" },
  { name: "edit", path: `${shop}?tab=manifest&edit=1`, ready: "form, .yaml-editor" },
  { name: "create", path: "/applications/new", ready: ".yaml-editor textarea, .cm-content" },
  { name: "resources", path: "/resources", ready: ".data-table" },
  { name: "application-sets", path: "/applicationsets", ready: ".data-table" },
  { name: "application-set", path: "/applicationsets/argocd/folders", ready: "main h1" },
  { name: "projects", path: "/projects", ready: ".data-table" },
  { name: "project", path: "/projects/team", ready: "main h1" },
  { name: "repositories", path: "/repositories", ready: ".data-table, .empty" },
  { name: "clusters", path: "/clusters", ready: ".data-table" },
  {
    name: "repository-change",
    path: "/repositories",
    ready: ".data-table",
    act: openBy("Change…"),
  },
  { name: "cluster-change", path: "/clusters", ready: ".data-table", act: openBy("Change…") },
  { name: "project-edit", path: "/projects/team", ready: "main h1", act: openBy("Edit…") },
  {
    name: "set-edit",
    path: "/applicationsets/argocd/folders",
    ready: "main h1",
    act: openBy("Edit…"),
  },
  { name: "setting-new", path: "/settings/notifications", ready: ".data-table", act: openBy("New setting…") },
  { name: "setting-edit", path: "/settings/notifications", ready: ".data-table", act: openBy("Edit…") },
  { name: "plugins", path: "/plugins", ready: ".plugin-list li, .empty" },
  { name: "settings", path: "/settings", ready: ".fact-list" },
  { name: "accounts", path: "/settings/accounts", ready: ".data-table" },
  { name: "certificates", path: "/settings/certificates", ready: ".data-table, .empty" },
  { name: "gpg-keys", path: "/settings/gpg-keys", ready: ".data-table, .empty" },
  { name: "notifications", path: "/settings/notifications", ready: ".data-table, .empty" },
  { name: "palette", path: "/applications", ready: ".app-row", act: press("Control+k") },
  { name: "keys", path: "/applications", ready: ".app-row", act: press("?") },
  { name: "absent", path: "/applications/argocd/absent", ready: "main h1, .problem" },
];
