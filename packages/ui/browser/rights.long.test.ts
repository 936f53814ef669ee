import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { onlyWhole } from "@capstan/testkit/whole-suite";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// Whoever looks at a page finds the buttons that the server would let him press, and no other; on the real server.

const options = { skip: noBuiltPage };
const adasKey = join(import.meta.dirname, "..", "..", "servers", "src", "api", "testdata", "ada.asc");
const hostKey = "AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const host = "git.example.com";
const template = "https://git.example.com/team";
let product: Product;
let browser: PageBrowser;

const inCluster = { server: "https://kubernetes.default.svc" };
const workload = `apiVersion: apps/v1
kind: Deployment
metadata: { name: part-07 }
spec:
  replicas: 1
  selector: { matchLabels: { app: part } }
  template:
    metadata: { labels: { app: part } }
    spec: { containers: [{ name: main, image: "nginx:1.27" }] }
`;
const roles = [{ name: "ci", policies: ["p, proj:team:ci, applications, sync, team/*, allow"] }];

/** One of everything that a page lists with what can be done to it. */
async function fill(): Promise<void> {
  await product.write("many/all.yaml", workload);
  await product.createApplication("many", "many");
  await product.ask("POST /api/v1/projects", {
    project: { metadata: { name: "team" }, spec: { sourceRepos: ["*"], roles } },
  });
  await product.ask("POST /api/v1/applicationsets", {
    metadata: { name: "folders", namespace: "argocd" },
    spec: {
      generators: [{ list: { elements: [{ name: "of-plain" }] } }],
      template: {
        metadata: { name: "{{name}}" },
        spec: {
          project: "default",
          source: { repoURL: product.repository, path: "plain", targetRevision: "HEAD" },
          destination: { ...inCluster, namespace: "of-sets" },
        },
      },
    },
  });
  await product.ask("POST /api/v1/repositories", { repo: product.repository });
  await product.ask("POST /api/v1/repocreds", { url: template, username: "a", password: "b" });
  const certData = Buffer.from(hostKey).toString("base64");
  await product.ask("POST /api/v1/certificates", {
    items: [{ serverName: host, certType: "ssh", certSubType: "ssh-ed25519", certData }],
  });
  await product.ask("POST /api/v1/gpgkeys", { keyData: await readFile(adasKey, "utf8") });
  const texts = "/api/v1/settings/texts/argocd-notifications-cm";
  await product.ask(`PUT ${texts}/template.told`, { text: "message: told", resourceVersion: "" });
  await product.configure("argocd-cm", {
    "timeout.reconciliation": "100s",
    "accounts.viewer": "login",
    "accounts.keeper": "login, apiKey",
  });
  await product.configure("argocd-rbac-cm", {
    "policy.default": "role:readonly",
    "policy.csv": [
      "p, keeper, projects, *, *, allow",
      "p, keeper, applications, sync, default/many, allow",
      "p, keeper, applications, action/apps/Deployment/restart, default/*, allow",
    ].join("\n"),
  });
  await product.setPassword("keeper", passwords.keeper);
  await product.setPassword("viewer", passwords.viewer);
  await product.tokenOf("keeper", 86_400);
}

const passwords = { keeper: "keeps-projects", viewer: "only-looks-on" };

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  await fill();
  browser = await PageBrowser.launch(product.url);
});
after(async () => {
  await browser?.[Symbol.asyncDispose]();
  await product?.[Symbol.asyncDispose]();
});

/** Pages with the buttons that write there, each with the right that it needs. */
const writes = (): readonly (readonly [string, string | RegExp, string])[] => [
  ["/repositories", "Add a repository…", "repositories/create/*"],
  ["/repositories", "Add a template…", "repositories/create/*"],
  ...entry("/repositories", [product.repository, `repository ${product.repository}`], "repositories"),
  ...entry("/repositories", [template, `template ${template}`], "repositories"),
  ["/clusters", "Add a cluster…", "clusters/create/*"],
  ["/clusters", "Read anew in-cluster", "clusters/update/https:%2F%2Fkubernetes.default.svc"],
  ["/clusters", "Change… in-cluster", "clusters/update/https:%2F%2Fkubernetes.default.svc"],
  ["/projects", "New project…", "projects/create/*"],
  ["/projects/team", "Edit…", "projects/update/team"],
  ["/projects/team", "Delete project team", "projects/delete/team"],
  ["/projects/team", "New token… of role ci", "projects/update/team"],
  ["/settings/certificates", "Add…", "certificates/create/*"],
  ["/settings/certificates", `Delete ssh-ed25519 of ${host}`, "certificates/delete/*"],
  ["/settings/gpg-keys", "Add a key…", "gpgkeys/create/*"],
  ["/settings/gpg-keys", /^Delete key /, "gpgkeys/delete/*"],
  ["/settings/notifications", "New setting…", "settings/update/argocd-notifications-cm"],
  ["/settings/notifications", "Edit… template.told", "settings/update/argocd-notifications-cm"],
  ["/settings/notifications", "Delete template.told", "settings/update/argocd-notifications-cm"],
  ["/settings", "New setting…", "settings/update/argocd-cm"],
  ["/settings", "Edit… timeout.reconciliation", "settings/update/argocd-cm"],
  ["/settings", "Delete timeout.reconciliation", "settings/update/argocd-cm"],
  ["/settings/accounts", "Change password… of admin", "accounts/update/admin"],
  ["/settings/accounts", /^New token… .*keeper$/, "accounts/update/keeper"],
  ["/settings/accounts", /^Delete token .* of keeper$/, "accounts/update/keeper"],
  ["/applicationsets", "New ApplicationSet…", "applicationsets/create/*%2F*"],
  ["/applicationsets/argocd/folders", "Edit…", "applicationsets/update/default%2Ffolders"],
  [
    "/applicationsets/argocd/folders",
    "Delete ApplicationSet folders",
    "applicationsets/delete/default%2Ffolders",
  ],
];

/** What is listed can be changed and deleted, each with a right of its own. */
function entry(
  path: string,
  [about, what]: readonly [string, string],
  resource: string,
): (readonly [string, string, string])[] {
  const object = encodeURIComponent(about);
  return [
    [path, `Change… ${about}`, `${resource}/update/${object}`],
    [path, `Delete ${what}`, `${resource}/delete/${object}`],
  ];
}

/** Within pages of applications: where it is looked for, how it is come to, and the right that it needs. */
interface Act {
  readonly path: string;
  readonly right: string;
  find(theirs: Page): Promise<number>;
}

const many = "/applications/argocd/many";
const object = "default%2Fmany";
const deployment = "apps%2FDeployment%2Fmany%2Fpart-07";
const dialogButton = (name: RegExp) => (theirs: Page) =>
  theirs.getByRole("dialog").getByRole("button", { name }).count();
const menuItem = (menu: string, name: string) => async (theirs: Page) => {
  const button = theirs.getByRole("button", { name: menu });
  if ((await button.count()) === 0) return 0;
  if ((await theirs.getByRole("menu").count()) === 0) await button.click();
  return theirs.getByRole("menuitem", { name }).count();
};
const panel = `${many}?resource=apps/Deployment/many/part-07`;
const inPanel = (name: string) => menuItem("Actions on Deployment part-07", name);

const acts: readonly Act[] = [
  {
    path: "/applications",
    right: "applications/create/*%2F*",
    find: (theirs) => theirs.getByRole("link", { name: "New application" }).count(),
  },
  {
    path: "/applications?q=many",
    right: `applications/sync/${object}`,
    find: async (theirs) => {
      await theirs.getByLabel("Select many").check();
      await theirs.waitForTimeout(settleMs);
      return theirs.getByRole("button", { name: "Sync…" }).count();
    },
  },
  {
    path: many,
    right: `applications/sync/${object}`,
    find: (theirs) => theirs.getByRole("button", { name: "Sync…" }).count(),
  },
  { path: many, right: `applications/delete/${object}`, find: menuItem("More actions", "Delete…") },
  { path: `${many}?dialog=sync`, right: `applications/sync/${object}`, find: dialogButton(/^Sync/) },
  { path: `${many}?dialog=delete`, right: `applications/delete/${object}`, find: dialogButton(/^Delete it/) },
  {
    path: `${many}?tab=history&dialog=rollback:0`,
    right: `applications/rollback/${object}`,
    find: dialogButton(/^Roll back/),
  },
  {
    path: `${many}?tab=parameters`,
    right: `applications/update/${object}`,
    find: (theirs) => theirs.locator("fieldset:enabled").count(),
  },
  {
    path: many,
    right: `logs/get/${object}`,
    find: (theirs) => theirs.getByRole("link", { name: "Logs" }).count(),
  },
  { path: panel, right: `applications/sync/${object}`, find: inPanel("Sync only this…") },
  {
    path: panel,
    right: `applications/action%2Fapps%2FDeployment%2Frestart/${object}`,
    find: inPanel("Restart…"),
  },
  {
    path: panel,
    right: `applications/delete%2F${deployment}/${object}`,
    find: inPanel("Delete from the cluster…"),
  },
  {
    path: "/applications/new",
    right: "applications/create/default%2F*",
    find: (theirs) => theirs.getByRole("button", { name: /^Create/ }).count(),
  },
];

/** Beyond the answer about rights: what must not be there cannot be waited for. Once for a page. */
const settleMs = 250;

/** Of buttons that write, whatever page brings them. */
const writing =
  /^(Sync…|Change…|Sync \S+$|(Delete|Create|Add|Edit|Write|Roll back|Save|Stop|Turn off|Restart|Scale|New)\b)/;

/** Rows of a form that has no button to send it. */
const isRow = /^Add( a source)?$/;

type Account = "admin" | keyof typeof passwords;
/** Whether each of them may all, some or nothing of it. */
const kinds: Readonly<Record<Account, readonly string[]>> = {
  admin: ["yes"],
  keeper: ["no", "yes"],
  viewer: ["no"],
};

async function signIn(account: Account, password: string): Promise<Page> {
  const viewport = { width: 1440, height: 900 };
  const theirs = await browser.open("/login", { loggedIn: false, viewport });
  await theirs.getByLabel("User").fill(account);
  await theirs.getByLabel("Password").fill(password);
  await theirs.keyboard.press("Enter");
  await theirs.locator(".app-row").first().waitFor();
  return theirs;
}

/** Until it has been answered what one may, and what there is. */
async function goTo(theirs: Page, path: string): Promise<void> {
  const { pathname, search } = new URL(theirs.url());
  if (pathname + search === path) return;
  const answered = theirs.waitForResponse(/\/account\/can-i$/);
  await theirs.goto(product.url + path);
  await answered;
  await theirs.locator("main h1").first().waitFor();
  await theirs.waitForFunction(() => document.querySelector("main .skeleton") === null);
}

async function walk(account: Account, password: string): Promise<void> {
  const theirs = await signIn(account, password);
  const headers = { authorization: `Bearer ${await product.logIn(account, password)}` };
  const answers: string[] = [];
  let settled = "";
  const ofPlaces = writes().map(([path, name, right]) => ({
    ...{ path, right },
    find: (of: Page) => of.getByRole("button", { name, exact: true }).count(),
  }));
  for (const { path, right, find } of [...ofPlaces, ...acts]) {
    await goTo(theirs, path);
    const asked = await fetch(`${product.url}/api/v1/account/can-i/${right}`, { headers });
    const { value } = await asked.json();
    if (value === "no" && settled !== path) {
      await theirs.waitForTimeout(settleMs);
      settled = path;
    }
    let isThere = (await find(theirs)) > 0;
    for (let tries = 0; !isThere && value === "yes" && tries < 100; tries++) {
      await theirs.waitForTimeout(200);
      isThere = (await find(theirs)) > 0;
    }
    assert.equal(isThere ? "yes" : "no", value, `${account} on ${path}: ${right}`);
    if (!right.startsWith("logs")) answers.push(value);
    const names = await theirs.locator("button:enabled, a.button").allInnerTexts();
    const isOfForm = (name: string) => path === "/applications/new" && isRow.test(name);
    if (account === "viewer")
      assert.deepEqual(
        names.filter((name) => writing.test(name) && !isOfForm(name)),
        [],
        path,
      );
  }
  assert.deepEqual([...new Set(answers)].sort(), kinds[account]);
  await theirs.context().close();
}

// What is refused to nobody is in the way of nobody: the others find most.
test(
  "no button that the server would refuse: the admin walks all pages",
  { skip: options.skip || onlyWhole },
  () => walk("admin", product.password),
);

test("no button that the server would refuse: a keeper of projects walks all pages", options, () =>
  walk("keeper", passwords.keeper),
);

test("no button that the server would refuse: a viewer walks all pages", options, () =>
  walk("viewer", passwords.viewer),
);
