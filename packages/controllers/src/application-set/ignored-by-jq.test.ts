/** Differences that a set ignores by jq, where an expression is more than a path. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApplicationSet, isApplication, isApplicationSet, type Manifest } from "@capstan/model";
import { listOf, listSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";

let sets: SetWorld;
before(async () => {
  sets = await openSetWorld();
});
after(() => sets[Symbol.asyncDispose]());

const tagOf = '.spec.source.helm.parameters[] | select(.name == "tag")';

function sketchSet(name: string, jqPathExpressions: string[]): ApplicationSet {
  const set = listSet(name, [`${name}-one`]);
  assert.ok(isApplicationSet(set));
  const template = structuredClone(set.spec.template);
  const parameters = [{ name: "tag", value: "1" }];
  Object.assign(template.spec.source ?? {}, { helm: { parameters } });
  const ignoreApplicationDifferences = [
    { name: `${name}-two`, jqPathExpressions: [".spec | .. | select(false)"] },
    { jqPathExpressions },
  ];
  return { ...set, spec: { ...set.spec, template, ignoreApplicationDifferences } };
}

const asObject = (set: ApplicationSet): Manifest => ({ ...set });

async function readSource(name: string) {
  const found = await sets.readApplication(name);
  assert.ok(found && isApplication(found));
  return found.spec.source;
}

test("what an expression names is left as people have it, and all else is set right", async () => {
  const set = sketchSet("jq", [tagOf, ".spec.source.targetRevision"]);
  await sets.create(asObject(set));
  await sets.untilNames("jq-", ["jq-one"]);
  const mine = { targetRevision: "mine", helm: { parameters: [{ name: "tag", value: "2" }] } };
  await sets.untilSeen(await sets.change("jq-one", { spec: { source: mine } }, "Application"));
  await sets.idle();
  await sets.restart();
  await sets.idle();
  const left = await readSource("jq-one");
  assert.deepEqual([left?.targetRevision, left?.helm?.parameters?.[0]?.value], ["mine", "2"]);
  const shown = await sets.diff("jq", set.spec);
  assert.deepEqual(shown.kind === "planned" && shown.differences, []);
  await sets.change("jq-one", { spec: { source: { path: "elsewhere" } } }, "Application");
  await sets.idle();
  const found = await sets.untilSaid("jq", /^ResourcesUpToDate=True/);
  assert.ok(found);
  const mended = await readSource("jq-one");
  assert.deepEqual([mended?.path, mended?.targetRevision], ["jq-one", "mine"]);
  assert.equal(mended?.helm?.parameters?.[0]?.value, "2");
});

test("an expression that is none fails the set by its place, and nothing is changed", async () => {
  const set = sketchSet("bad", [tagOf]);
  await sets.create(asObject(set));
  await sets.untilNames("bad-", ["bad-one"]);
  const ignoreApplicationDifferences = [{ jqPathExpressions: [".spec | select("] }];
  await sets.change("bad", { spec: { ignoreApplicationDifferences, generators: listOf(["bad-other"]) } });
  await sets.untilSaid(
    "bad",
    /^ErrorOccurred=True ApplicationGenerationFromParamsError: .*spec\.ignoreApplicationDifferences\[0\]\.jqPathExpressions\[0\].*cannot be evaluated/,
  );
  assert.deepEqual(await sets.namesOf("bad-"), ["bad-one"]);
  await sets.change("bad", { spec: { ignoreApplicationDifferences: [] } });
  await sets.untilNames("bad-", ["bad-other"]);
});
