/**
 * Pictures of every page of the real product, light and dark, for a desk and a phone, to be looked at by a person.
 * `node packages/ui/browser/take-pictures.ts FOLDER [--only TEXT,…] [--data DIR]`; the page as it was built
 * last. `docs/images --docs --data /home/you/.capstan` takes those of docs/; the data folder is deleted in the end.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { PageBrowser } from "./page-world.ts";
import { type Picture, pictures } from "./pictures.ts";
import { Product } from "./product.ts";

const options = { only: { type: "string" }, data: { type: "string" }, docs: { type: "boolean" } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
if (values.data !== undefined && existsSync(values.data)) throw new Error(`${values.data} is there already`);
const [folder = "pictures"] = positionals;
const only = values.only?.split(",");
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;
const themes = ["light", "dark"] as const;
/** Until what moves, and what is asked for when a row rests, has come. */
const restMs = 900;
const workload = (name: string, more = "") => `apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  replicas: 3
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} }${more} }
    spec: { containers: [{ name: main, image: "registry.example.com/${name}:1.4.2" }] }
---
apiVersion: v1
kind: Service
metadata: { name: ${name} }
spec: { selector: { app: ${name} }, ports: [{ port: 80, targetPort: 8080 }] }
---
`;

const settings = (value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { level: "${value}", region: eu-west-1 }\n`;

/** A chart, and what a kustomization makes of what it rendered. */
const rack: Readonly<Record<string, string>> = {
  "capstan.yaml": `apiVersion: capstan.dev/v1alpha1
kind: Pipeline
metadata: { name: rack }
spec:
  stages:
    - { plugin: helm, path: chart }
    - { name: patch, plugin: kustomize, path: patch, input: all.yaml }
`,
  "chart/Chart.yaml": "{ apiVersion: v2, name: rack, version: 1.0.0 }\n",
  "chart/values.yaml": "colour: red\n",
  "chart/templates/settings.yaml":
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: { colour: "{{ .Values.colour }}" }\n',
  "patch/kustomization.yaml":
    "namePrefix: team-\nlabels: [{ pairs: { team: shop } }]\nresources: [all.yaml]\n",
};

const team = {
  project: {
    metadata: { name: "team" },
    spec: {
      description: "What the shop's team may deploy",
      sourceRepos: ["https://git.example.com/team/*"],
      destinations: [{ server: "https://kubernetes.default.svc", namespace: "team-*" }],
      syncWindows: [
        {
          kind: "deny",
          schedule: "0 18 * * 5",
          duration: "60h",
          applications: ["*"],
          timeZone: "Europe/Berlin",
        },
        { kind: "allow", schedule: "0 9 * * 1-5", duration: "8h", applications: ["*"] },
      ],
      roles: [{ name: "ci", policies: ["p, proj:team:ci, applications, sync, team/*, allow"] }],
    },
  },
};

/** Applications in several states, beside the samples. */
async function fill(product: Product): Promise<void> {
  const names = Array.from({ length: 24 }, (_, index) => `part-${String(index).padStart(2, "0")}`);
  const ingress = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: front }
spec:
  rules:
    - host: shop.example.com
      http: { paths: [{ path: /, pathType: Prefix, backend: { service: { name: part-00, port: { number: 80 } } } }] }
`;
  await product.write("many/all.yaml", names.map((name) => workload(name)).join("") + ingress);
  await product.write("drifted/all.yaml", workload("web") + settings("info"));
  await product.write("broken/all.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a\n");
  await product.write(
    "failing/all.yaml",
    `${workload("api")}apiVersion: v1\nkind: Secret\nmetadata: { name: Not_A_Name }\n`,
  );
  for (const [file, text] of Object.entries(rack)) await product.write(`rack/${file}`, text);
  for (const name of ["many", "drifted", "failing", "rack"]) await product.createApplication(name, name);
  await product.ask("POST /api/v1/applications?validate=false", {
    metadata: { name: "broken", namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL: product.repository, path: "broken", targetRevision: "HEAD" },
      destination: { server: "https://kubernetes.default.svc", namespace: "broken" },
    },
  });
  await product.ask("POST /api/v1/projects", team);
  await product.ask("POST /api/v1/repositories", { repo: product.repository });
  const template = { url: "https://git.example.com/team", username: "robot", password: "not shown" };
  await product.ask("POST /api/v1/repocreds", template);
  const texts = "/api/v1/settings/texts/argocd-notifications-cm";
  const [text, trigger] = [
    "message: It is out of step\n",
    "- when: app.status.sync.status == 'OutOfSync'\n  send: [told]\n",
  ];
  await product.ask(`PUT ${texts}/template.told`, { text, resourceVersion: "" });
  await product.configure("argocd-notifications-cm", { "trigger.on-drift": trigger });
  await product.configure("argocd-cm", { "timeout.reconciliation": "100s" });
  await product.ask("POST /api/v1/applicationsets", {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "folders", namespace: "argocd" },
    spec: {
      goTemplate: true,
      generators: [{ list: { elements: [{ folder: "drifted" }] } }],
      template: {
        metadata: { name: "of-{{ .folder }}" },
        spec: {
          project: "default",
          source: { repoURL: product.repository, path: "{{ .folder }}", targetRevision: "HEAD" },
          destination: { server: "https://kubernetes.default.svc", namespace: "of-{{ .folder }}" },
        },
      },
    },
  });
}

async function untilSettled(page: Page): Promise<void> {
  await page.locator(".app-row", { hasText: "drifted" }).first().waitFor();
  await page.waitForTimeout(10_000);
}

async function untilDeployed(product: Product, commit: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { status } = await product.ask("GET /api/v1/applications/drifted");
    if (status.history?.at(-1)?.revision === commit && status.health?.status === "Healthy") return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`${commit} is not deployed`);
}

interface Look {
  readonly theme: "light" | "dark";
  readonly size: Readonly<Record<"width" | "height", number>>;
  readonly file: string;
}

async function takeOne(page: Page, url: string, picture: Picture & Look): Promise<void> {
  const { path, ready, act, theme, size, file } = picture;
  await page.emulateMedia({ colorScheme: theme });
  await page.setViewportSize(size);
  await page.goto(url + path);
  await page.locator(ready).first().waitFor({ timeout: 20_000 });
  await act?.(page);
  await page.waitForTimeout(restMs);
  await page.screenshot({ path: join(folder, file) });
}

const desk = { width: 1180, height: 720 };
/** Those of docs/images. */
const documented: Readonly<Record<string, Look>> = {
  list: { file: "list.png", theme: "light", size: desk },
  failing: { file: "phone.png", theme: "light", size: sizes[1] },
  pipeline: { file: "pipeline.png", theme: "light", size: desk },
  sync: { file: "sync-plan.png", theme: "light", size: desk },
  history: { file: "history.png", theme: "light", size: desk },
  "tree-small": { file: "application-dark.png", theme: "dark", size: desk },
};

async function take(page: Page, url: string, picture: Picture): Promise<void> {
  const one = documented[picture.name];
  if (values.docs) return one && (await takeOne(page, url, { ...picture, ...one }));
  for (const theme of themes)
    for (const size of sizes) {
      const file = `${picture.name}-${theme}-${size.width}.png`;
      await takeOne(page, url, { ...picture, theme, size, file });
    }
}

await mkdir(folder, { recursive: true });
await using product = await Product.start([], values.data);
await fill(product);
await using browser = await PageBrowser.launch(product.url);
const page = await browser.open("/login", { loggedIn: false, viewport: sizes[0] });
await take(page, product.url, { name: "login", path: "/login", ready: "form" });
await page.setViewportSize(sizes[0]);
await page.getByLabel("Password").fill(product.password);
await page.keyboard.press("Enter");
await untilSettled(page);
for (const level of ["warning", "error"]) {
  const commit = await product.write("drifted/all.yaml", workload("web") + settings(level), `Say ${level}s`);
  await product.ask("GET /api/v1/applications/drifted?refresh=normal");
  await untilDeployed(product, commit);
}
// It is out of step from now on.
await product.ask("PATCH /api/v1/applications/drifted", {
  name: "drifted",
  patch: JSON.stringify({ spec: { syncPolicy: { automated: null } } }),
  patchType: "merge",
});
await product.write(
  "drifted/all.yaml",
  workload("web", ', annotations: { shown: "yes" }') + settings("debug"),
  "More is said",
);
await product.ask("GET /api/v1/applications/drifted?refresh=normal");
for (const picture of pictures)
  if (!only || only.some((text) => picture.name.includes(text)))
    await take(page, product.url, picture).then(
      () => console.log(picture.name),
      (failure: unknown) => console.log(`${picture.name}: ${failure}`),
    );
