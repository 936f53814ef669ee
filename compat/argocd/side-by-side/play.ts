import { setTimeout as sleep } from "node:timers/promises";
import { createGitRepository, type Files } from "@capstan/testkit";
import { type Case, type CaseFiles, namespaceOf, type Step } from "./case.ts";
import { type Observation, observe } from "./observe.ts";
import { act, isSettled, place, refresh, type Side } from "./side.ts";

export interface Difference {
  /** `<case> <step>: <what>`. */
  readonly about: string;
  readonly theirs: string;
  readonly ours: string;
}

export interface Sides {
  readonly real: Side;
  readonly ours: Side;
}

/** So long the two may take to come to an end. */
const patienceMs = 90_000;
const lookMs = 250;
/** So long both stay the same before it counts: an automated sync may be about to begin. */
const steadyMs = 1_500;
/** And so long they stay different. */
const differingMs = 6_000;

/** Plays one case on both sides at once, and says in what they end differently after each step. */
export async function playCase(sides: Sides, one: Case): Promise<Difference[]> {
  await using git = await createGitRepository(filesOf(one.files));
  const both = [sides.real, sides.ours];
  await Promise.all(both.map((side) => place(side, one, git.url)));
  const differences: Difference[] = [];
  const steps: readonly (Step | "compared")[] = ["compared", ...(one.steps ?? [{ sync: {} }])];
  for (const [index, step] of steps.entries()) {
    if (step !== "compared") {
      if ("commit" in step) await git.commit(filesOf(step.commit));
      await Promise.all(both.map((side) => act(side, one, step)));
      if (!("sync" in step)) await Promise.all(both.map((side) => refresh(side, one)));
    }
    const found = await untilSame(sides, one);
    differences.push(
      ...found.map((difference) => ({ ...difference, about: `${one.name} ${index}: ${difference.about}` })),
    );
  }
  await Promise.all(both.map((side) => takeAway(side, one)));
  return differences;
}

function filesOf(files: CaseFiles): Files {
  const written = Object.entries(files).map(([path, content]) => {
    const text = (value: object) => JSON.stringify(value, undefined, 2);
    if (content === undefined || typeof content === "string") return [path, content];
    return [path, Array.isArray(content) ? content.map(text).join("\n---\n") : text(content)];
  });
  return Object.fromEntries(written);
}

/** Both may be on their way; what they end with counts. */
async function untilSame(sides: Sides, one: Case): Promise<Difference[]> {
  const until = performance.now() + patienceMs;
  let found: Difference[] = [];
  let steady = { said: "", since: 0 };
  while (performance.now() < until) {
    await sleep(lookMs);
    const settled = await Promise.all([isSettled(sides.real, one), isSettled(sides.ours, one)]);
    found = await differencesOf(sides, one);
    const said = JSON.stringify([settled, found]);
    const now = performance.now();
    if (said !== steady.said) steady = { said, since: now };
    const neededMs = found.length === 0 ? steadyMs : differingMs;
    if (settled.every(Boolean) && now - steady.since >= neededMs) return found;
  }
  const late: Difference = { about: "is not at its end", theirs: "", ours: "" };
  return [...found, late];
}

async function differencesOf({ real, ours }: Sides, one: Case): Promise<Difference[]> {
  const where = { name: one.name, namespace: namespaceOf(one) };
  const none: Observation = new Map();
  const [theirs = none, own = none] = await Promise.all(
    [real, ours].map((side) => observe(side.kube, where, AbortSignal.timeout(60_000))),
  );
  const names = new Set([...theirs.keys(), ...own.keys()]);
  return [...names]
    .map((about) => ({ about, theirs: theirs.get(about) ?? "nothing", ours: own.get(about) ?? "nothing" }))
    .filter((difference) => difference.theirs !== difference.ours);
}

/** The next cases have the machine for themselves. */
async function takeAway({ kube }: Side, { name }: Case): Promise<void> {
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", namespace: "argocd", name };
  const signal = AbortSignal.timeout(60_000);
  if (!(await kube.get(ref, signal))) return;
  await kube.patch(ref, { type: "merge", body: { metadata: { finalizers: null } } }, { signal });
  await kube.delete(ref, { signal });
}
