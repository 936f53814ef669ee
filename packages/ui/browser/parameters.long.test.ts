import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { noBrowser, PageWorld } from "./page-world.ts";

let world: PageWorld;
const options = { skip: noBrowser };
const path = "/applications/argocd/guestbook?tab=parameters";

before(async () => {
  if (!noBrowser) world = await PageWorld.start();
});
afterEach(async () => {
  if (!noBrowser) await world.closePages();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

const sourceOf = (name: string) => world.mock.world.entries.get(name)?.app.spec.source;
const pluginOf = (name: string) => sourceOf(name)?.plugin;

test("a parameter of each type is set, saved in the Application and reset", options, async () => {
  const page = await world.open(path);
  const stage = page.getByRole("region", { name: "labels" });
  await stage.getByText("from the pipeline").waitFor();
  await stage.getByLabel("weight").fill("heavy");
  await stage.getByText("“heavy” is not a number.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
  await stage.getByLabel("weight").fill("3");
  await stage.getByLabel("strict").selectOption("true");
  await stage.getByLabel("size").selectOption("large");
  await stage.getByRole("textbox", { name: "hosts, item 2" }).fill("c.example");
  await stage.getByLabel("Add to labels").click();
  await stage.getByRole("textbox", { name: "labels, key 2" }).fill("zone");
  await stage.getByRole("textbox", { name: "labels, value of zone" }).fill("north");
  await page.getByRole("region", { name: "helm" }).getByLabel("image.tag").fill("v2");
  await page.getByText("What changes in the Application").click();
  await page.getByLabel("The source").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.deepEqual(pluginOf("guestbook")?.parameters, [
    { name: "labels/weight", string: "3" },
    { name: "labels/strict", string: "true" },
    { name: "labels/size", string: "large" },
    { name: "labels/hosts", array: ["a.example", "c.example"] },
    { name: "labels/labels", map: { part: "front", zone: "north" } },
    { name: "helm/image.tag", string: "v2" },
  ]);
  await stage.getByRole("button", { name: "Reset" }).first().click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.equal(pluginOf("guestbook")?.parameters?.length, 5);
});

test("a text of several lines stays one of several lines", options, async () => {
  const page = await world.open(path);
  const field = page.getByRole("region", { name: "helm" }).getByLabel("image.tag");
  await field.fill("a: 1\nb: 2");
  await field.press("End");
  await field.pressSequentially("3");
  assert.equal(await field.inputValue(), "a: 1\nb: 23");
  await field.fill("v2");
  await field.press("Enter");
  assert.equal(await field.inputValue(), "v2");
  await field.press("Shift+Enter");
  assert.equal(await field.inputValue(), "v2\n");
});

test("what the server refuses is said at the field, and nothing typed is lost", options, async () => {
  const page = await world.open("/applications/argocd/checkout-api?tab=parameters");
  const stage = page.getByRole("region", { name: "labels" });
  await stage.getByLabel("tier").fill("bad");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Nothing was saved: see the field above").waitFor();
  assert.equal(await stage.getByText(/"bad" is no tier/).count(), 1);
  await page.getByRole("link", { name: "Tree" }).click();
  await page.getByRole("link", { name: "Parameters" }).click();
  assert.equal(await stage.getByLabel("tier").inputValue(), "bad");
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
  assert.equal(await stage.getByLabel("tier").inputValue(), "");
});

test("the caret stays where it is, and a click shows at once", options, async () => {
  const page = await world.open("/applications/argocd/batch-reports?tab=parameters");
  const form = page.getByRole("region", { name: "Directory" });
  await form.getByLabel("Only files").fill("*.json");
  await form.getByLabel("Only files").evaluate((field: HTMLInputElement) => field.setSelectionRange(1, 1));
  await form.getByLabel("Only files").pressSequentially("-app");
  assert.equal(await form.getByLabel("Only files").inputValue(), "*-app.json");
  const isChecked = await form.getByLabel("read them too").evaluate((field: HTMLInputElement) => {
    field.click();
    return field.checked;
  });
  assert.equal(isChecked, true);
  await page.getByRole("button", { name: "Discard" }).click();
});

test("what others have set meanwhile is not written over", options, async () => {
  const page = await world.open("/applications/argocd/checkout-api?tab=parameters");
  const stage = page.getByRole("region", { name: "labels" });
  await stage.getByLabel("tier").fill("back");
  const entry = world.mock.world.entries.get("checkout-api");
  assert.ok(entry?.app.spec.source);
  const source = { ...entry.app.spec.source, plugin: { env: [{ name: "REGION", value: "north" }] } };
  entry.app = { ...entry.app, spec: { ...entry.app.spec, source } };
  world.mock.world.changed(entry);
  await page.getByRole("button", { name: "Put my changes on top of theirs" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.deepEqual(pluginOf("checkout-api"), {
    env: [{ name: "REGION", value: "north" }],
    parameters: [{ name: "labels/tier", string: "back" }],
  });
});

test("what Kustomize is told is written as Argo CD has it", options, async () => {
  const page = await world.open("/applications/argocd/newsletter?tab=parameters");
  const form = page.getByRole("region", { name: "Kustomize" });
  await form.getByLabel("Version").fill("v5.8.0");
  await form.getByLabel("Add to Replicas").click();
  await form.getByRole("textbox", { name: "Replicas, Deployment or StatefulSet 1" }).fill("newsletter");
  await form.getByRole("textbox", { name: "Replicas, number of newsletter" }).fill("many");
  await form.getByText("“many” is no number of replicas.").waitFor();
  await form.getByRole("textbox", { name: "Replicas, number of newsletter" }).fill("3");
  await form.getByLabel("Add to Components").click();
  await form.getByRole("textbox", { name: "Components, item 1" }).fill("../components/debug");
  await form.getByLabel("pass over those that are not there").check();
  await form.getByLabel("Add to Patches").click();
  await form.getByText("Patch 1 has neither a text nor a file.").waitFor();
  await form.getByRole("textbox", { name: "Patch 1, text" }).fill("- op: remove\n  path: /spec/paused");
  await form.getByRole("textbox", { name: "Patch 1, Kind of its target" }).fill("Deployment");
  await form.getByLabel("Add to Labels").click();
  await form.getByRole("textbox", { name: "Labels, name 1" }).fill("team");
  await form.getByRole("textbox", { name: "Labels, value of team" }).fill("media");
  await form.getByLabel("not in selectors", { exact: true }).check();
  await form.getByLabel("Add to Annotations").click();
  await form.getByRole("textbox", { name: "Annotations, name 1" }).fill("owner");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.deepEqual(sourceOf("newsletter")?.kustomize, {
    version: "v5.8.0",
    replicas: [{ name: "newsletter", count: 3 }],
    components: ["../components/debug"],
    ignoreMissingComponents: true,
    patches: [{ patch: "- op: remove\n  path: /spec/paused", target: { kind: "Deployment" } }],
    commonLabels: { team: "media" },
    labelWithoutSelector: true,
    commonAnnotations: { owner: "" },
  });
});

test("what Jsonnet is told, and taken back", options, async () => {
  const page = await world.open("/applications/argocd/batch-reports?tab=parameters");
  const form = page.getByRole("region", { name: "Directory" });
  await form.getByLabel("Add to Top-level arguments").click();
  await form.getByRole("textbox", { name: "Top-level arguments, name 1" }).fill("replicas");
  await form.getByRole("textbox", { name: "Top-level arguments, value of replicas" }).fill("1 + 2");
  await form.getByLabel("code").check();
  await form.getByLabel("Add to External variables").click();
  await form.getByRole("textbox", { name: "External variables, name 1" }).fill("region");
  await form.getByRole("textbox", { name: "External variables, value of region" }).fill("north");
  await form.getByLabel("Add to Library folders").click();
  await form.getByText("A library folder has no path.").waitFor();
  await form.getByRole("textbox", { name: "Library folders, item 1" }).fill("vendor");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.deepEqual(sourceOf("batch-reports")?.directory, {
    jsonnet: {
      tlas: [{ name: "replicas", value: "1 + 2", code: true }],
      extVars: [{ name: "region", value: "north" }],
      libs: ["vendor"],
    },
  });
  for (const what of [
    "Top-level arguments, replicas",
    "External variables, region",
    "Library folders, item 1",
  ])
    await form.getByLabel(`Remove ${what}`).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.deepEqual(sourceOf("batch-reports")?.directory, {});
});
