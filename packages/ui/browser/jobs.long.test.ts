import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isWhole } from "@capstan/testkit/whole-suite";
import type { Page } from "playwright-core";
import { accessibleTitle, assertAccessible } from "./accessibility.ts";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// What people do in a day, on the real server; the clicks and keys that it takes stand in each test's name.

const options = { skip: noBuiltPage };
const screenshots = process.env.SCREENSHOTS;
let product: Product;
let browser: PageBrowser;
let page: Page;

const deployments = 60;

const workload = (name: string, image = "nginx:1.27") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 3
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: "${image}", ports: [{ containerPort: 80 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80 }] }
---
`;
const projectText = `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata: { name: team }
spec:
  description: What it is for
  sourceRepos: ["*"]
  destinations: [{ server: https://kubernetes.default.svc, namespace: team-* }]
  roles:
    - name: ci
      description: The pipeline
      policies: ["p, proj:team:ci, applications, sync, team/*, allow"]
  syncWindows:
    - { kind: deny, schedule: "0 22 * * *", duration: 4h, applications: ["*"], description: The night's backup }
    - { kind: allow, schedule: "0 8 * * 1-5", duration: 10h, namespaces: [team-prod], timeZone: Europe/Berlin }
`;
const setText = (repository: string) => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: { name: folders }
spec:
  goTemplate: true
  generators: [{ list: { elements: [{ folder: plain }] } }]
  template:
    metadata: { name: "of-{{ .folder }}" }
    spec:
      project: default
      source: { repoURL: "${repository}", path: "{{ .folder }}", targetRevision: HEAD }
      destination: { server: https://kubernetes.default.svc, namespace: of-sets }
`;
const hostKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl";
const adasKey = join(import.meta.dirname, "..", "..", "servers", "src", "api", "testdata", "ada.asc");
const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: front }
spec:
  rules:
    - host: shop.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: part-00, port: { number: 80 } } } }] }
`;

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  const names = Array.from({ length: deployments }, (_, index) => `part-${String(index).padStart(2, "0")}`);
  await product.write("many/all.yaml", names.map((name) => workload(name)).join("") + ingress);
  await product.createApplication("many", "many");
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false, viewport: { width: 1440, height: 900 } });
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.locator(".app-row").first().waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(product.url + path);

/** The page as a person would look at it: both themes, a desk's and a phone's width. */
async function look(name: string): Promise<void> {
  if (!screenshots) return;
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      await page.waitForTimeout(150);
      await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${width}.png`) });
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}

test(
  "a tree of sixty Deployments is one screen: what is well folds to a node for each kind (no click)",
  options,
  async () => {
    await go("/applications/argocd/many");
    await page.locator(".clause", { hasText: "Healthy" }).waitFor();
    await page
      .getByRole("button", { name: `${deployments} alike, all well` })
      .first()
      .waitFor();
    assert.ok((await page.locator(".node").count()) < 10);
    const size = await page.locator(".node-name").first().boundingBox();
    assert.ok(size && size.height > 12, "and it can be read");
    await look("tree-folded");
  },
);

test("find one object of hundreds by a part of its name (1 click, the name)", options, async () => {
  await page.getByLabel("Find objects by name").fill("part-07");
  await page.getByText(/^\d+ shown of \d+ objects$/).waitFor();
  await page.getByRole("button", { name: /^Service part-07/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: /part-08/ }).count(), 0);
  await look("tree-found");
  await page.getByRole("button", { name: "Kind", exact: true }).click();
  await page.getByRole("checkbox", { name: /^Pod/ }).check();
  await page.keyboard.press("Escape");
  await page.getByText("3 of 3 well").waitFor();
  assert.equal(await page.getByRole("button", { name: /^Service part-07/ }).count(), 0);
  await page.getByRole("button", { name: "Clear" }).click();
});

test("every Pod at once, by node or by what made it (1 and 2 clicks)", options, async () => {
  await page.getByRole("link", { name: "Pods", exact: true }).click();
  await page
    .locator(".pod")
    .nth(deployments * 3 - 1)
    .waitFor();
  await look("tree-pods");
  await page.getByRole("link", { name: "By owner" }).click();
  await page.getByRole("region", { name: "Deployment part-07" }).getByText("3 of 3 well").waitFor();
});

test("where do requests go: Ingress, Service, Pods (1 click)", options, async () => {
  await page.getByRole("link", { name: "Network", exact: true }).click();
  await page.getByRole("button", { name: /^Ingress.*front/ }).waitFor();
  await page.getByText("3 of 3 well").first().waitFor();
  await look("tree-network");
});

test(
  "the tree stays where it was left: after a change in the cluster, another tab and back",
  options,
  async () => {
    await page.getByRole("link", { name: "Graph", exact: true }).click();
    await page
      .getByRole("button", { name: `${deployments} alike, all well` })
      .first()
      .click();
    const node = page.locator("[data-node]", { hasText: /^Deployment/ }).nth(20);
    await node.waitFor();
    await page.locator(".graph").hover({ position: { x: 30, y: 500 } });
    await page.mouse.wheel(0, 120);
    const place = () => page.locator(".graph-picture").evaluate((element) => element.getAttribute("style"));
    const left = await place();
    await page.getByRole("link", { name: "History" }).click();
    await page.locator(".deployment").first().waitFor();
    await page.getByRole("link", { name: "Tree", exact: true }).click();
    await node.waitFor();
    assert.equal(await place(), left);
    await look("tree-opened");
  },
);

test(
  "why can this repository not be read: it is added, and the list says the reason (2 clicks, its URL)",
  options,
  async () => {
    await go("/repositories");
    await page.getByRole("button", { name: "Add a repository…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill(`${product.repository}-not-there`);
    await dialog.getByLabel("Project").fill("team");
    await dialog.getByRole("button", { name: "Add the repository" }).click();
    const row = page.getByRole("row", { name: /not-there/ });
    await row.locator(".connection-reason").waitFor();
    assert.match((await row.locator(".connection-reason").textContent()) ?? "", /not/);
    await look("repositories");
    await row.getByRole("button", { name: /^Test / }).click();
    await page
      .getByRole("alert")
      .filter({ hasText: "Could not test" })
      .getByRole("button", { name: "Dismiss" })
      .click();
    await row.getByRole("button", { name: /^Delete / }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await row.waitFor({ state: "detached" });
  },
);

test(
  "a project is written as YAML, and its windows stand on a line of the week (2 clicks)",
  options,
  async () => {
    await go("/projects");
    await page.getByRole("button", { name: "New project…" }).click();
    const text = page.getByRole("textbox", { name: "As YAML" });
    await text.fill(projectText);
    await page.getByRole("button", { name: "Create the project" }).click();
    await page.getByRole("link", { name: "team", exact: true }).click();
    await page.locator(".window-span").first().waitFor();
    await page.getByText("sync applications").waitFor();
    await page.getByRole("button", { name: "Edit…" }).click();
    await text.fill((await text.inputValue()).replace("What it is for", "The team's own"));
    await page.locator(".cm-changedText").first().waitFor();
    await page.getByRole("button", { name: "Write the project" }).click();
    await page.locator("p", { hasText: "The team's own" }).waitFor();
  },
);

test(
  "a program gets a token of a role, shown once, and loses it again (3 and 2 clicks)",
  options,
  async () => {
    await page.getByRole("button", { name: "New token… of role ci" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("pipeline");
    await page.getByRole("button", { name: "Make the token" }).click();
    const token = (await page.locator(".secret-once").textContent())?.trim();
    await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
    const asProgram = { headers: { authorization: `Bearer ${token}` } };
    const asked = async () => (await fetch(`${product.url}/api/v1/applications`, asProgram)).status;
    assert.equal(await asked(), 200);
    await look("project");
    await page.getByRole("button", { name: /^Delete token pipeline/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await asked(), 401);
  },
);

test(
  "what would set up notifications is told, and does so when it is typed (no click)",
  options,
  async () => {
    await go("/settings/notifications");
    const command = async (text: string) =>
      (await page.locator(".command code", { hasText: text }).textContent()) ?? "";
    await page.getByText("nothing is sent").waitFor();
    await product.type(await command("notifications catalog"));
    const patch = await command(" patch configmap argocd-notifications-cm");
    assert.match(patch, /^kubectl -n argocd /);
    await product.configure("argocd-notifications-cm", JSON.parse(/-p '(.*)'$/.exec(patch)?.[1] ?? "").data);
    await go("/settings/notifications");
    await page.getByRole("cell", { name: "on-sync-failed", exact: true }).waitFor();
    await page.getByRole("cell", { name: "chat", exact: true }).waitFor();
  },
);

test(
  "a template of notifications is changed, a service is taken away (2 clicks and its text, 2 clicks)",
  options,
  async () => {
    await go("/settings/notifications");
    const row = page.getByRole("row", { name: /template\.app-sync-failed/ });
    await row.getByRole("button", { name: "Edit… template.app-sync-failed" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Text").fill("message: It failed: {{.app.metadata.name");
    await dialog.getByRole("button", { name: "Write it" }).click();
    await dialog.getByRole("alert").waitFor();
    await look("notification-text");
    // Somebody else writes meanwhile: what he has written is not lost, however often it is tried.
    await product.configure("argocd-notifications-cm", { "trigger.others": "[]" });
    await dialog.getByLabel("Text").fill("message: 'Look at {{.app.metadata.name}}'");
    for (const _ of [1, 2]) {
      const answered = page.waitForResponse(/template\.app-sync-failed$/);
      await dialog.getByRole("button", { name: "Write it" }).click();
      assert.equal((await answered).status(), 409);
      await dialog.getByText("was changed meanwhile").waitFor();
    }
    await dialog.locator(".cm-deletedChunk, .cm-changedText").first().waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("row", { name: /trigger\.others/ }).waitFor();
    await row.getByRole("button", { name: "Edit… template.app-sync-failed" }).click();
    await dialog.getByLabel("Text").fill("message: 'Look at {{.app.metadata.name}}'");
    await dialog.getByRole("button", { name: "Write it" }).click();
    await dialog.waitFor({ state: "detached" });
    await row.getByText("Look at").waitFor();
    const texts = await product.ask("GET /api/v1/settings/texts/argocd-notifications-cm");
    assert.match(JSON.stringify(texts), /Look at \{\{\.app\.metadata\.name\}\}/);
    // The text of a service is nobody's to read; it is written anew, or taken away.
    const service = page.getByRole("row", { name: /service\.webhook\.chat/ });
    await service.getByText("not shown").waitFor();
    await service.getByRole("button", { name: "Delete service.webhook.chat" }).click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await service.waitFor({ state: "detached" });
  },
);

test(
  "a trigger that is new is written from what is offered (4 clicks, its name and what it says)",
  options,
  async () => {
    await go("/settings/notifications");
    await page.getByRole("button", { name: "New setting…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Setting").fill("trigger.on-slow");
    const text = dialog.getByLabel("Text");
    await text.fill("- wh");
    await dialog.getByRole("button", { name: "when", exact: true }).click();
    await page.keyboard.type("app.status.health.status == 'Progressing'");
    await page.keyboard.press("Enter");
    await page.keyboard.type("se");
    await dialog.getByRole("button", { name: "send", exact: true }).click();
    await page.keyboard.type("app-sync-failed");
    await look("setting-new");
    await dialog.getByRole("button", { name: "Write it" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("row", { name: /trigger\.on-slow/ }).waitFor();
    const told = JSON.stringify(await product.ask("GET /api/v1/notifications/triggers"));
    assert.match(told, /on-slow/);
  },
);

test("a credential template is added, and gets another login (2 clicks each)", options, async () => {
  await go("/repositories");
  const dialog = page.getByRole("dialog");
  const url = "https://git.example.com/team";
  await page.getByRole("button", { name: "Add a template…" }).click();
  await dialog.getByLabel("Beginning of the URLs").fill(url);
  await dialog.getByRole("textbox", { name: /^User/ }).fill("robot");
  await dialog.locator("input[type=password]").fill("its first");
  await dialog.getByRole("button", { name: "Add the template" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("button", { name: `Change… ${url}` }).click();
  await dialog.getByRole("textbox", { name: /^User/ }).fill("another");
  await dialog.locator("input[type=password]").fill("its second");
  await dialog.getByRole("button", { name: "Change the template" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("row", { name: /another/ }).waitFor();
  assert.deepEqual((await product.ask("GET /api/v1/repocreds")).items, [
    { url, type: "git", username: "another" },
  ]);
  await product.ask(`DELETE /api/v1/repocreds/${encodeURIComponent(url)}`);
});

test("hosts and keys are trusted and forgotten (3 clicks and a paste each)", options, async () => {
  await go("/settings/certificates");
  await page.getByRole("button", { name: "Add…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("For").selectOption("ssh");
  await dialog.getByLabel("Lines of known_hosts").fill(`git.example.com ${hostKey}`);
  await dialog.getByRole("button", { name: "Trust it" }).click();
  const row = page.getByRole("row", { name: /git\.example\.com/ });
  await row.getByText("SHA256:").waitFor();
  await look("certificates");
  await row.getByRole("button", { name: /^Delete / }).click();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await row.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "GPG keys" }).click();
  await page.getByRole("button", { name: "Add a key…" }).click();
  await dialog.getByLabel("Public keys").fill("not a key");
  await dialog.getByRole("button", { name: "Add the keys" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Public keys").fill(await readFile(adasKey, "utf8"));
  await dialog.getByRole("button", { name: "Add the keys" }).click();
  await page.getByRole("row", { name: /ada/i }).waitFor();
});

test(
  "what would this set make: applications are shown before anything is written (2 clicks)",
  options,
  async () => {
    await go("/applicationsets");
    await page.getByRole("button", { name: "New ApplicationSet…" }).click();
    await page.getByRole("textbox", { name: "As YAML" }).fill(setText(product.repository));
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText("Create of-plain").waitFor();
    await look("set-preview");
    assert.deepEqual((await product.ask("GET /api/v1/applicationsets")).items ?? [], []);
    await page.getByRole("button", { name: "Write the set" }).click();
    await page.getByRole("link", { name: "folders", exact: true }).click();
    await page.getByText("1 application of project default").waitFor();
  },
);

test(
  "where does this image run, and who owns this object (1 click, a part of its name)",
  options,
  async () => {
    await page.getByRole("link", { name: "Resources", exact: true }).click();
    assert.equal(await page.title(), "Resources · Capstan");
    await page.getByLabel("Image, or a part of it").fill("nginx:1.27");
    await page.getByText(`${deployments * 3} objects`).waitFor();
    await page.waitForURL(/image=nginx:1\.27$/);
    await look("resources");
    await page.getByLabel("Name of an object").fill("part-42");
    await page.getByText("3 objects").waitFor();
    const row = page.getByRole("row", { name: /part-42/ }).first();
    await row.getByText("ReplicaSet part-42").waitFor();
    await row.getByRole("link", { name: /^part-42/ }).click();
    const panel = page.getByRole("complementary", { name: /^Pod part-42/ });
    await panel.waitFor();
    assert.equal(await page.title(), "many · Applications · Capstan");
  },
);

test(
  "the focus returns to where it came from: from a panel, a menu and a dialog (Esc)",
  options,
  async () => {
    await go("/applications/argocd/many?find=part-07");
    const node = page.getByRole("button", { name: /^Service part-07/ });
    await node.click();
    await page.getByRole("complementary", { name: "Service part-07" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await node.and(page.locator(":focus")).waitFor();
    const menu = page.getByRole("button", { name: "Owner", exact: true });
    await menu.click();
    await page.keyboard.press("Escape");
    await menu.and(page.locator(":focus")).waitFor();
  },
);

const accessible = [
  "/resources",
  "/repositories",
  "/clusters",
  "/projects/team",
  "/settings/accounts",
  "/settings/notifications",
  "/applicationsets/argocd/folders",
  "/applications/argocd/many?as=pods",
  "/applications/argocd/many?as=network",
];

test(`the pages of the installation and of trees: ${accessibleTitle(isWhole)}`, options, async () => {
  for (const path of accessible) {
    await go(path);
    await assertAccessible(page, { ready: ".data-table, .empty, .pod, .node", isWhole });
  }
});
