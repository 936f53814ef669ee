import assert from "node:assert/strict";
import { test } from "node:test";
import { annotationKeys, type Manifest, readRemovalBudget } from "@capstan/model";
import { formatAllowance } from "../consent/judge-removal.ts";
import { printPlan } from "./print-plan.ts";
import { configMap, planOf, type WorldInput } from "./test-world.ts";

const many = (count: number, from = 0): Manifest[] =>
  Array.from({ length: count }, (_, index) => configMap(`c${index + from}`));

/** Of 20 objects, git keeps the first `kept`; a sync began at 2026-01-01T00:00:00Z. */
function plan(kept: number, input: Partial<WorldInput> = {}) {
  const live = input.live ?? many(20);
  const byIndex = new Map(live.map((object, index) => [String(index), object]));
  return planOf({ targets: live.slice(0, kept), prune: true, ...input }, byIndex);
}

const acts = ({ tasks }: ReturnType<typeof plan>, act: string) =>
  tasks.filter((task) => task.act === act).length;

function codeOf({ prunes }: ReturnType<typeof plan>): string {
  if (prunes.kind !== "held") throw new Error(`it is ${prunes.kind}`);
  return prunes.code;
}

const allowed = (code: string, at = "2025-12-31T23:00:00Z") => ({
  annotations: { [annotationKeys.pruneAllowed]: formatAllowance(code, at) },
});

test("half of an application may be pruned, and one object more is held", () => {
  assert.equal(plan(10).prunes.kind, "within");
  assert.equal(acts(plan(10), "prune"), 10);
  const held = plan(9);
  assert.equal(held.prunes.kind, "held");
  assert.equal(acts(held, "prune"), 0);
  assert.equal(acts(held, "skip-prune"), 11);
  assert.equal(acts(held, "apply"), 9, "the rest is synced");
});

test("an application of ten objects may lose them all, one of eleven may not", () => {
  assert.equal(plan(0, { live: many(10) }).prunes.kind, "within");
  assert.equal(plan(0, { live: many(11) }).prunes.kind, "held");
});

const budgets: [string, number, string][] = [
  ["30%", 14, "within"],
  ["30", 13, "held"],
  ["0%", 19, "held"],
  ["0%", 20, "within"],
  ["100%", 0, "within"],
  ["off", 0, "within"],
];
for (const [text, kept, kind] of budgets) {
  test(`with a budget of ${text}, to keep ${kept} of 20 is ${kind}`, () => {
    const pruneBudget = readRemovalBudget(text);
    assert.ok(pruneBudget);
    assert.equal(plan(kept, { pruneBudget }).prunes.kind, kind);
  });
}

test("what is neither a share nor off is no budget", () => {
  for (const text of ["", "half", "-1%", "101%", "50.5%", "1e1"])
    assert.equal(readRemovalBudget(text), undefined, text);
});

test("the plan says what is held, how many, and the command that allows it", () => {
  const held = plan(2);
  const text = printPlan(held);
  assert.match(text, /keep {5}ConfigMap shop\/c2 \(held by the prune budget\)/);
  assert.match(
    text,
    /\nheld: 18 of 20 objects \(90 %\) are not in git any more, and one sync may prune 50 %: /,
  );
  assert.match(text, /ConfigMap shop\/c2, .* and 13 more\. They are kept until that is allowed: /);
  assert.ok(text.endsWith(`capstan app allow-prune shop ${codeOf(held)}`), text);
});

test("without prune the plan says what would be held", () => {
  const shown = plan(2, { prune: false });
  assert.match(printPlan(shown), /keep .*\(ignored \(requires pruning\)\)(?:.|\n)*\nheld: 18 of 20/);
});

test("what was allowed is pruned", () => {
  const code = codeOf(plan(2));
  const freed = plan(2, allowed(code));
  assert.equal(acts(freed, "prune"), 18);
  assert.match(printPlan(freed), /pruning 18 of 20 objects \(90 %\) was allowed at 2025-12-31T23:00:00Z/);
});

test("a consent is for what git wanted when it was given, and for no more objects than it named", () => {
  const given = allowed(codeOf(plan(4)));
  const more = plan(2, given);
  assert.equal(more.prunes.kind, "held");
  assert.match(printPlan(more), /was about another state of git or of the cluster/);
  const grown = plan(4, { ...given, live: [...many(20), ...many(3, 20)], targets: many(4) });
  assert.equal(grown.prunes.kind, "held");
  const begun = plan(4, { ...given, live: many(15), targets: many(4) });
  assert.equal(begun.prunes.kind, "allowed", "a sync that is under way goes on after a restart");
});

test("a consent holds for a day, and none is from the future", () => {
  const code = codeOf(plan(2));
  const at = (time: string) => plan(2, allowed(code, time)).prunes.kind;
  assert.equal(at("2025-12-31T00:00:01Z"), "allowed");
  assert.equal(at("2025-12-31T00:00:00Z"), "held");
  assert.equal(at("2026-01-01T00:04:00Z"), "allowed");
  assert.equal(at("2026-01-01T01:00:00Z"), "held");
  assert.equal(at("soon"), "held");
});

test("another application's consent allows nothing", () => {
  const [count] = codeOf(plan(2)).split("-");
  assert.equal(plan(2, allowed(`${count}-${"0".repeat(20)}`)).prunes.kind, "held");
});

test("what is never pruned does not count as pruned, and a partial sync is judged by what it prunes", () => {
  const kept = Array.from({ length: 11 }, (_, index) => configMap(`k${index}`, { options: "Prune=false" }));
  assert.equal(plan(0, { live: [...kept, ...many(9)] }).prunes.kind, "within");
});
