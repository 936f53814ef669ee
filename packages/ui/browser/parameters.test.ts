import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBrowser, PageWorld } from "./page-world.ts";

let world: PageWorld;
const options = { skip: noBrowser };
const path = "/applications/argocd/guestbook?tab=parameters";

before(async () => {
  if (!noBrowser) world = await PageWorld.start();
});
after(async () => {
  if (!noBrowser) await world[Symbol.asyncDispose]();
});

const pluginOf = (name: string) => world.mock.world.entries.get(name)?.app.spec.source?.plugin;

test("a parameter of each type is set, saved in the Application and reset", options, async () => {
  const page = await world.open(path);
  const stage = page.getByRole("region", { name: "labels" });
  await stage.getByText("from the pipeline").waitFor();
  await stage.getByLabel("weight").fill("heavy");
  await stage.getByText("“heavy” is not a number.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Save" }).isDisabled(), true);
  await stage.getByLabel("weight").fill("3");
  await stage.getByLabel("strict").selectOption("true");
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
    { name: "labels/hosts", array: ["a.example", "c.example"] },
    { name: "labels/labels", map: { part: "front", zone: "north" } },
    { name: "helm/image.tag", string: "v2" },
  ]);
  await stage.getByRole("button", { name: "Reset" }).first().click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.equal(pluginOf("guestbook")?.parameters?.length, 4);
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
  assert.equal(await stage.getByLabel("tier").inputValue(), "");
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
