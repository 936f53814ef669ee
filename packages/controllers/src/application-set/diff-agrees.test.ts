import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isRecord } from "@capstan/formats";
import { annotationKeys, isApplicationSet, type Manifest } from "@capstan/model";
import { listOf, listSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";
import fc from "fast-check";

let sets: SetWorld;
before(async () => {
  sets = await openSetWorld();
});
after(() => sets[Symbol.asyncDispose]());

const indexes = (maxLength: number) => fc.uniqueArray(fc.nat({ max: 14 }), { maxLength });
const situation = fc.record({
  had: indexes(15),
  wants: indexes(15),
  /** An element more, that cannot be an Application, or whose name another has too. */
  odd: fc.constantFrom("none", "none", "none", "no name", "twin"),
  drifted: indexes(4),
  ignores: fc.boolean(),
  path: fc.constantFrom("{{name}}", "elsewhere"),
  policy: fc.constantFrom("sync", "sync", "create-only", "create-update", "create-delete"),
  budget: fc.constantFrom("50%", "50%", "10%", "off"),
});
type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

const keptOf = (app: Manifest | undefined) =>
  app && {
    labels: app.metadata.labels ?? {},
    annotations: app.metadata.annotations ?? {},
    spec: app.spec,
  };

async function snapshot(names: readonly string[]) {
  const found = await Promise.all(names.map((name) => sets.readApplication(name)));
  return new Map(names.map((name, index) => [name, found[index]]));
}

function specOf(prefix: string, { wants, odd, path, policy, ignores }: Situation) {
  const names = wants.map((index) => `${prefix}-${index}`);
  const twin = names[0] ?? "";
  const more = odd === "none" ? [] : [odd === "twin" ? twin : "No Name"];
  const set = listSet(prefix, []);
  assert.ok(isApplicationSet(set));
  const template = structuredClone(set.spec.template);
  assert.ok(template.spec.source);
  template.spec.source.path = path;
  const generators = listOf([...names, ...more]);
  const syncPolicy = { applicationsSync: policy, preserveResourcesOnDeletion: true };
  const pointers = ignores ? ["/spec/source/targetRevision"] : [];
  const ignoreApplicationDifferences = [{ jsonPointers: pointers }];
  const whole = { ...set, spec: { generators, template, syncPolicy, ignoreApplicationDifferences } };
  assert.ok(isApplicationSet(whole));
  return whole.spec;
}

async function play(prefix: string, of: Situation): Promise<void> {
  const had = of.had.map((index) => `${prefix}-${index}`).sort();
  const annotations = { [annotationKeys.deletionBudget]: of.budget };
  await sets.create(
    listSet(prefix, had, { annotations, spec: { syncPolicy: { preserveResourcesOnDeletion: true } } }),
  );
  await sets.untilSaid(prefix, /^ResourcesUpToDate=True/);
  await sets.idle();
  await sets.stop();
  for (const name of of.drifted.map((index) => `${prefix}-${index}`).filter((one) => had.includes(one))) {
    const body = { metadata: { labels: { mine: "1" } }, spec: { source: { targetRevision: "mine" } } };
    await sets.untilSeen(await sets.change(name, body, "Application"));
  }
  const names = [...new Set([...had, ...of.wants.map((index) => `${prefix}-${index}`)])].sort();
  const was = await snapshot(names);
  const spec = specOf(prefix, of);
  const shown = await sets.diff(prefix, spec);
  assert.ok(shown.kind === "planned");
  await sets.untilSeen(await sets.change(prefix, { spec }));
  await sets.restart();
  await sets.idle();
  const is = await snapshot(names);
  const acts = new Map(shown.differences.map((one) => [one.application.metadata.name, one]));
  for (const name of names) {
    const difference = acts.get(name);
    const [before, now] = [was.get(name), is.get(name)];
    const goes = difference?.act === "delete";
    assert.equal(now !== undefined, !goes && (before !== undefined || difference?.act === "create"), name);
    if (!now) continue;
    if (difference?.act === "create" || difference?.act === "update") {
      assert.ok(isRecord(difference.target) && isRecord(difference.target.metadata));
      const { labels = {}, annotations: notes = {} } = difference.target.metadata;
      assert.deepEqual(keptOf(now), { labels, annotations: notes, spec: difference.target.spec }, name);
    } else assert.equal(now.metadata.resourceVersion, before?.metadata.resourceVersion, name);
  }
  const said = await sets.conditionsOf(prefix);
  assert.equal(
    said.some((one) => one.startsWith("DeletionHeld=True")),
    shown.deletions.kind === "held",
    said.join("\n"),
  );
  const { message } = shown.problems.at(-1) ?? {};
  assert.equal(
    said.some((one) => one.startsWith("ErrorOccurred=True")),
    message !== undefined,
  );
  assert.deepEqual(
    shown.differences.some(({ act }) => act === "hold"),
    shown.deletions.kind === "held",
  );
  await sets.change(prefix, { spec: { generators: [], syncPolicy: { applicationsSync: "create-only" } } });
}

test("what a diff shows is what the controller then does", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(situation, async (of) => {
      count += 1;
      await play(`agrees-${count}`, of);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});
