import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { formatAllowance } from "@capstan/engine";
import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import { listOf, listSet, openSetWorld, type SetWorld } from "@capstan/testkit/worlds";

let sets: SetWorld;
before(async () => {
  sets = await openSetWorld();
});
after(() => sets[Symbol.asyncDispose]());

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(2, "0")}`);
/** What is deleted is gone at once. */
const plain = { spec: { syncPolicy: { preserveResourcesOnDeletion: true } } };
const held = /^DeletionHeld=True DeletionBudgetExceeded: /;
const allow = (set: string, code: string, at = Date.now()) =>
  sets.change(set, {
    metadata: { annotations: { [annotationKeys.deletionAllowed]: formatAllowance(code, formatTime(at)) } },
  });

async function make(set: string, count: number, more: object = plain): Promise<string[]> {
  const all = names(set, count);
  await sets.create(listSet(set, all, more));
  await sets.untilNames(`${set}-`, all);
  return all;
}

const generate = (set: string, wanted: readonly string[]) =>
  sets.change(set, { spec: { generators: listOf(wanted) } });

async function codeHeld(set: string, text = held): Promise<string> {
  return / (\S+)$/.exec(await sets.untilSaid(set, text))?.[1] ?? "";
}

test("more than half is held, what is new is made all the same, and the consent is for this plan alone", async () => {
  const all = await make("half", 12);
  const wanted = [...all.slice(0, 4), "half-new"];
  await generate("half", wanted);
  const code = await codeHeld("half", /^DeletionHeld=True .*: 8 of 13 Applications \(62 %\)/);
  await sets.untilNames("half-", [...all, "half-new"]);
  const said = await sets.conditionsOf("half");
  assert.ok(
    said.some((one) =>
      one.endsWith(
        `half-08 and 3 more. They are kept until that is allowed: capstan appset allow-deletion argocd/half ${code}`,
      ),
    ),
    said.join("\n"),
  );
  assert.ok(said.some((one) => one.startsWith("ResourcesUpToDate=False DeletionHeld: 8 of 13")));
  assert.ok(said.some((one) => one.startsWith("ErrorOccurred=False")));

  await allow("half", `8-${"0".repeat(20)}`);
  await sets.untilSaid("half", /was about another plan/);
  await generate("half", wanted.slice(1));
  await allow("half", code);
  await sets.untilSaid("half", /9 of 13 .*up to 8 Applications, was about another plan/);
  await sets.untilNames("half-", [...all, "half-new"]);

  await generate("half", wanted);
  await sets.untilNames("half-", wanted);
  await sets.idle();
  const set = await sets.readSet("half");
  assert.equal(set?.metadata.annotations?.[annotationKeys.deletionAllowed], undefined, "it is used up");
  assert.ok((await sets.conditionsOf("half")).every((one) => !one.startsWith("DeletionHeld")));
});

test("an Application that is held is held also when it alone is looked at, and after a restart", async () => {
  const all = await make("alone", 12);
  await generate("alone", all.slice(0, 5));
  await codeHeld("alone");
  await sets.change("alone-11", { metadata: { labels: { touched: "yes" } } }, "Application");
  await sets.idle();
  await sets.restart();
  await sets.idle();
  assert.deepEqual(await sets.namesOf("alone-"), all);
});

test("a budget of the set and one of all sets count, and ten may go at once", async () => {
  const all = await make("few", 10);
  await generate("few", []);
  await sets.untilNames("few-", []);
  const annotations = { [annotationKeys.deletionBudget]: "10%" };
  const many = await make("own", 11, { ...plain, annotations });
  await generate("own", many.slice(2));
  await codeHeld("own", /2 of 11 Applications \(18 %\) .*delete 10 %/);
  await sets.change("own", { metadata: { annotations: { [annotationKeys.deletionBudget]: "off" } } });
  await sets.untilNames("own-", many.slice(2));
  await sets.change("own", { metadata: { annotations: { [annotationKeys.deletionBudget]: "half" } } });
  await sets.untilSaid("own", /^NotHonoured=True .*"half" is neither a share/);
  assert.equal(all.length, 10);
});

test("what is being deleted counts, and a consent outlives a restart in the middle", async () => {
  // With their finalizer, and nobody who takes it off, they stay.
  const all = await make("slow", 12, {});
  await generate("slow", all.slice(6));
  await sets.untilNames("slow-", all.slice(6));
  await generate("slow", all.slice(7));
  const code = await codeHeld("slow", /7 of 12 Applications/);
  assert.deepEqual(await sets.namesOf("slow-"), all.slice(6));
  await sets.stop();
  await allow("slow", code);
  await sets.restart();
  await sets.untilNames("slow-", all.slice(7));
});

test("a set that is deleted takes all with it, and one that generates nothing because of an error none", async () => {
  const all = await make("whole", 12);
  await sets.change("whole", { spec: { generators: [{ list: { elements: [{ name: 1 }] } }] } });
  await sets.untilSaid("whole", /^ErrorOccurred=True/);
  assert.deepEqual(await sets.namesOf("whole-"), all);
  await sets.world.kube.delete(
    { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", namespace: "argocd", name: "whole" },
    { signal: AbortSignal.timeout(60_000) },
  );
  await sets.untilNames("whole-", []);
});
