import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually } from "@capstan/testkit";
import type { Page } from "playwright-core";
import { noBuiltPage, PageBrowser } from "./page-world.ts";
import { Product } from "./product.ts";

// What was found when the page was used for a day, and stands in no other test; on the real server.

const options = { skip: noBuiltPage };
let product: Product;
let browser: PageBrowser;
let page: Page;

/** An entry as the API lists it. */
type Stored = Readonly<Record<string, unknown>>;

/** Once it is there as it should be: what was written is told a moment later. */
async function stored(
  { list, is }: { list: string; is(one: Stored): boolean },
  isAsMeant: (one: Stored) => boolean,
): Promise<Stored> {
  let all: Stored[] = [];
  return await eventually(
    async () => {
      all = ((await product.ask(`GET /api/v1/${list}`)).items ?? []) as Stored[];
      return all.find((one) => is(one) && isAsMeant(one));
    },
    { signal: AbortSignal.timeout(100_000), describe: () => JSON.stringify(all) },
  );
}

before(async () => {
  if (options.skip) return;
  product = await Product.start();
  await product.write("charted/Chart.yaml", "{ apiVersion: v2, name: charted, version: 1.0.0 }\n");
  await product.write("charted/values.yaml", "colour: red\n");
  await product.write("charted/values-prod.yaml", "colour: blue\n");
  await product.write(
    "charted/templates/a.yaml",
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata: { colour: "{{ .Values.colour }}" }\n',
  );
  await product.ask("POST /api/v1/applications", {
    metadata: { name: "charted", namespace: "argocd" },
    spec: {
      project: "default",
      source: {
        repoURL: product.repository,
        path: "charted",
        targetRevision: "HEAD",
        helm: { valueFiles: ["values-prod.yaml"] },
      },
      destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    },
  });
  browser = await PageBrowser.launch(product.url);
  page = await browser.open("/", { loggedIn: false, viewport: { width: 1440, height: 900 } });
  await page.getByLabel("Password").fill(product.password);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "charted", exact: true }).waitFor();
});
after(async () => {
  if (options.skip) return;
  await browser[Symbol.asyncDispose]();
  await product[Symbol.asyncDispose]();
});

const go = (path: string) => page.goto(product.url + path);

test("the search says the machine's own key, and finds by it (1 key)", options, async () => {
  await page.locator(".find kbd", { hasText: "Ctrl K" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").or(page.getByRole("textbox")).first().waitFor();
  await page.keyboard.press("Escape");
});

test("the search stays where it is whatever is said of the connection", options, async () => {
  const place = async () => (await page.locator(".find").boundingBox())?.x;
  await page.locator(".connection", { hasText: "Live" }).waitFor();
  const before = await place();
  await page.locator(".connection").evaluate((mark) => {
    mark.textContent = "Connection lost · data from 10:00:00";
  });
  assert.equal(await place(), before);
  await go("/applications");
});

test("a word stands on the line of its glyph, and of the words beside it", options, async () => {
  const row = page.locator(".app-row", { has: page.locator("code") }).first();
  const [glyph, word, line, beside] = await row.evaluate((element) => {
    const middle = (node: Node | null | undefined) => {
      const range = document.createRange();
      if (node) range.selectNode(node);
      const { top, bottom } = range.getBoundingClientRect();
      return (top + bottom) / 2;
    };
    const baseline = (selector: string) => {
      const mark = document.createElement("span");
      mark.style.display = "inline-block";
      element.querySelector(selector)?.append(mark);
      const { bottom } = mark.getBoundingClientRect();
      mark.remove();
      return bottom;
    };
    const state = element.querySelector(".state");
    const middles = [middle(state?.querySelector("svg")), middle(state?.lastChild)];
    return [...middles, baseline(".state > span"), baseline("code")];
  });
  assert.ok(Math.abs((glyph ?? 0) - (word ?? 9)) <= 1.5, `${glyph} ${word}`);
  assert.ok(Math.abs((line ?? 0) - (beside ?? 9)) <= 0.5, `${line} ${beside}`);
});

test("keys work on what is selected; a chord that there is not does nothing (3 keys)", options, async () => {
  await page.keyboard.press("g");
  await page.keyboard.press("c");
  await page.keyboard.press("j");
  // A server that takes its time to say what one may do.
  const { promise: pressed, resolve: press } = Promise.withResolvers<void>();
  await page.route("**/account/can-i", async (route) => {
    await pressed;
    await route.continue();
  });
  await page.keyboard.press("x");
  await page.getByText("1 selected").waitFor();
  assert.match(page.url(), /\/applications(\?.*)?$/, "c after g makes no application");
  await page.keyboard.press("s");
  press();
  await page.getByRole("dialog", { name: /^Sync 1 application/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("r");
  await page.getByText(/^Refreshed 1 application/).waitFor();
  await page.keyboard.press("Escape");
});

test("a new application is offered what its repository has, each with what it is", options, async () => {
  await go("/applications/new");
  await page.getByLabel(/^Repository/).fill(product.repository);
  await page.getByLabel(/^Path/).focus();
  const offered = page.locator("datalist option[value='charted']");
  await offered.waitFor({ state: "attached" });
  assert.equal(await offered.getAttribute("label"), "charted (Helm)");
});

test("before the first sync the history is a sentence, and no line", options, async () => {
  await go("/applications/argocd/charted?tab=history");
  await page.getByText("Nothing has been deployed yet").waitFor();
  assert.equal(await page.locator(".deployments").count(), 0);
});

test("a value that a values file says is not called the chart's", options, async () => {
  await go("/applications/argocd/charted?tab=parameters");
  const row = page.locator(".parameter", { has: page.getByLabel("colour", { exact: true }) });
  assert.equal(await row.getByLabel("colour", { exact: true }).getAttribute("placeholder"), "blue");
  await row.getByText("chart and values", { exact: true }).waitFor();
});

test("the events tell what its objects warn of", options, async () => {
  const asked = page.waitForRequest(/\/charted\/events\?.*withObjects=true/);
  await go("/applications/argocd/charted?tab=events");
  await asked;
  await page.locator(".events, .empty").first().waitFor();
});

test("a hook that has run is no difference; of what differs two texts are asked for", options, async () => {
  const hook =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: before\n  annotations: { argocd.argoproj.io/hook: PreSync }\n";
  await product.write("hooked/hook.yaml", hook);
  await product.write("hooked/kept.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kept }\n");
  await product.createApplication("hooked", "hooked");
  await go("/applications/argocd/hooked?tab=tree");
  await page.getByText(/^Synced to/).waitFor();
  await page.getByRole("link", { name: "Diff", exact: true }).click();
  await page.getByText("The cluster is as git says.").waitFor();
  await product.ask("PATCH /api/v1/applications/hooked", {
    patch: '{"spec":{"syncPolicy":{"automated":null}}}',
  });
  await product.write(
    "hooked/kept.yaml",
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: kept }\ndata: { a: b }\n",
  );
  const answered = page.waitForResponse(
    async (response) =>
      /\/managed-resources\?/.test(response.url()) && (await response.text()).includes('"kept"'),
  );
  await page.keyboard.press("r");
  await page.getByRole("link", { name: "ConfigMap kept", exact: true }).waitFor();
  const { items } = await (await answered).json();
  assert.deepEqual(
    items.map(({ name, targetState, liveState }) => [name, targetState, liveState]),
    [["kept", undefined, undefined]],
  );
});

test("the way back warns of automatic sync once", options, async () => {
  await go("/applications/argocd/plain?tab=history");
  await page.locator(".deployment").first().waitFor();
  await product.commit("plain/config.yaml", (text) => text.replace("Hello", "Good day"));
  await page.keyboard.press("r");
  await page.locator(".deployment").nth(1).waitFor();
  const { status } = await product.ask("GET /api/v1/applications/plain");
  await go(`/applications/argocd/plain?dialog=rollback:${status.history?.[0]?.id}`);
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/Automatic sync is on/).waitFor();
  await dialog.locator(".plan-counts").waitFor();
  const notes = await dialog.locator(".plan-note").allTextContents();
  assert.equal(notes.filter((note) => /auto/i.test(note)).length, 1, notes.join("; "));
});

test("the way back is planned of what was deployed then, its parameters too", options, async () => {
  const { spec } = await product.ask("GET /api/v1/applications/charted");
  const deployed = async (parameters: readonly object[], place: number) => {
    const helm = { ...spec.source.helm, parameters };
    await product.ask("PUT /api/v1/applications/charted/spec", {
      ...spec,
      source: { ...spec.source, helm },
    });
    await product.ask("POST /api/v1/applications/charted/sync", {});
    await page.locator(".deployment").nth(place).waitFor();
  };
  await go("/applications/argocd/charted?tab=history");
  await page.getByText("Nothing has been deployed yet").waitFor();
  await deployed([], 0);
  await deployed([{ name: "colour", value: "green" }], 1);
  const { status } = await product.ask("GET /api/v1/applications/charted");
  await go(`/applications/argocd/charted?dialog=rollback:${status.history?.[0]?.id}`);
  const dialog = page.getByRole("dialog");
  await dialog.locator(".step.act-update").first().waitFor();
  await dialog.getByText("green").first().waitFor();
});

test(
  "a repository gets other credentials, and a cluster its labels; the rest of both stays (2 clicks each)",
  options,
  async () => {
    const kept = { repo: product.repository, type: "git", enableLfs: true, depth: 3 };
    await product.ask("POST /api/v1/repositories", kept);
    const repository = { list: "repositories", is: ({ repo }: Stored) => repo === kept.repo };
    const cluster = { list: "clusters", is: ({ name }: Stored) => name === "in-cluster" };
    await stored(repository, () => true);
    await go("/repositories");
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: `Change… ${kept.repo}` }).click();
    await dialog.getByLabel("Way in").selectOption("password or token");
    await dialog.getByRole("textbox", { name: /^User/ }).fill("robot");
    await dialog.getByRole("button", { name: "Change the repository" }).click();
    assert.equal(await dialog.count(), 1, "a secret that would be lost is asked for");
    await dialog.locator("input[type=password]").fill("one that is new");
    await page.setViewportSize({ width: 390, height: 844 });
    const field = await dialog.locator("input[type=password]").boundingBox();
    assert.ok(
      field && field.x + field.width <= 390,
      `on a phone a field ends at ${field?.x} + ${field?.width}`,
    );
    await page.setViewportSize({ width: 1440, height: 900 });
    await dialog.getByRole("button", { name: "Change the repository" }).click();
    await dialog.waitFor({ state: "detached" });
    const { connectionState: _, ...changed } = await stored(
      repository,
      ({ username }) => username === "robot",
    );
    assert.deepEqual(changed, { ...kept, username: "robot" });
    const before = await stored(cluster, () => true);
    await go("/clusters");
    await page.getByRole("button", { name: "Change… in-cluster" }).click();
    await dialog.getByLabel("Labels").fill("env=prod, region=eu");
    await dialog.getByRole("button", { name: "Change the cluster" }).click();
    await dialog.waitFor({ state: "detached" });
    const after = await stored(cluster, ({ labels }) => labels !== undefined);
    assert.deepEqual(after.labels, { env: "prod", region: "eu" });
    assert.deepEqual([after.config, after.namespaces], [before.config, before.namespaces]);
    await product.ask(`DELETE /api/v1/repositories/${encodeURIComponent(kept.repo)}`);
  },
);

test("answers come compressed also on the loopback", options, async () => {
  const answered = page.waitForResponse(/\/resource-tree|\/managed-resources|\/applications\/plain\?/);
  await go("/applications/argocd/plain?tab=diff");
  assert.match((await answered).headers()["content-encoding"] ?? "", /br|gzip|zstd/);
});

test("on a phone a line of tabs shows that there are more of them", options, async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await go("/applications/argocd/plain");
  const line = page.getByRole("navigation", { name: "Parts of the application" });
  await line.waitFor();
  const { shade, more } = await line.evaluate((element) => ({
    shade: getComputedStyle(element).backgroundImage,
    more: element.scrollWidth - element.clientWidth,
  }));
  assert.ok(more > 0);
  assert.match(shade, /gradient/);
});
