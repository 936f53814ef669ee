import assert from "node:assert/strict";
import { test } from "node:test";
import { type Application, type ApplicationSet, isApplicationSet } from "@capstan/model";
import { ElementMemory } from "./element-memory.ts";
import { generateApplications } from "./generate-applications.ts";
import { planApplications } from "./plan-applications.ts";
import { fastTemplates } from "./templates.ts";

function setOf(count: number, more: { path?: string; goTemplate?: boolean } = {}): ApplicationSet {
  const set = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "set", namespace: "argocd", uid: "u" },
    spec: {
      ...(more.goTemplate ? { goTemplate: true } : {}),
      generators: [{ git: { repoURL: "https://git.example/x", directories: [{ path: "*" }] } }],
      template: {
        metadata: { name: "{{path.basename}}" },
        spec: {
          project: "default",
          source: { repoURL: "https://git.example/x", path: more.path ?? "{{path}}" },
          destination: { name: "in-cluster" },
        },
      },
    },
  };
  assert.ok(isApplicationSet(set));
  assert.ok(count >= 0);
  return set;
}

const directories = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`);

/** What is rendered for the set of these directories, and what comes of it. */
function look(memory: ElementMemory, paths: readonly string[], set = setOf(paths.length)) {
  let texts = 0;
  const templates = {
    render(text: string, parameters: Readonly<Record<string, unknown>>) {
      texts += 1;
      return fastTemplates.render(text, parameters);
    },
  };
  const facts = { clusters: [], answerTo: () => ({ directories: paths }) };
  const made = generateApplications({ set, memory, templates, facts: facts as never });
  assert.ok(made.kind === "made");
  return { texts, applications: made.applications };
}

test("one directory more is the work of one element, and what is gone is forgotten", () => {
  const memory = new ElementMemory();
  const first = look(memory, directories(100));
  assert.equal(first.texts, 200);
  const second = look(memory, directories(101));
  assert.equal(second.texts, 2);
  assert.equal(second.applications[7]?.application, first.applications[7]?.application);
  const fresh = look(new ElementMemory(), directories(101));
  assert.deepEqual(second.applications, fresh.applications);
  look(memory, directories(1));
  assert.equal(look(memory, directories(3)).texts, 4);
});

test("elements say where they stand now, not where they stood", () => {
  const memory = new ElementMemory();
  look(memory, directories(3));
  const { applications } = look(memory, ["a", ...directories(3)]);
  assert.deepEqual(
    applications.map(({ element }) => element),
    [0, 1, 2, 3].map((at) => `spec.generators[0], element ${at}`),
  );
});

test("another specification, and functions that say something else each time, are worked on anew", () => {
  const memory = new ElementMemory();
  look(memory, directories(10));
  assert.equal(look(memory, directories(10), setOf(10, { path: "x/{{path}}" })).texts, 20);
  const varying = setOf(10, { goTemplate: true, path: "{{ now }}" });
  for (const _ of [1, 2]) assert.equal(look(memory, directories(10), varying).texts, 20);
});

test("an Application that is as it should be is compared again only when one of the two has changed", () => {
  const memory = new ElementMemory();
  const set = setOf(2);
  const { applications: generated } = look(memory, directories(2), set);
  const live = new Map<string, Application>();
  let found = 0;
  const plan = (only?: ReadonlySet<string>) =>
    planApplications({
      ...{ set, generated, memory, only, owned: [...live.values()] },
      find: (name) => {
        found += 1;
        return live.get(name);
      },
      policy: { mayUpdate: true, mayDelete: true },
      problemOf: () => undefined,
      isReachable: () => true,
    }).changes;
  for (const change of plan()) if (change.kind === "create") live.set(change.name, change.application);
  assert.equal(live.size, 2);
  assert.deepEqual(plan(), []);
  const [one] = live.values();
  assert.ok(one);
  const spec = { ...one.spec, project: "other" };
  live.set(one.metadata.name, { ...one, spec });
  assert.deepEqual(
    plan().map(({ kind, name }) => `${kind} ${name}`),
    ["update d0"],
  );
  assert.ok(found > 0);
});

test("a change of one Application is the work of one element, however many the set makes", () => {
  const set = setOf(100);
  let looked = 0;
  const generated = look(new ElementMemory(), directories(100), set).applications.map(
    ({ application, element }) => ({
      element,
      get application() {
        looked += 1;
        return application;
      },
    }),
  );
  const plan = (only?: ReadonlySet<string>) => {
    looked = 0;
    const { changes } = planApplications({
      ...{ set, generated, only, owned: [], find: () => undefined, problemOf: () => undefined },
      policy: { mayUpdate: true, mayDelete: true },
      isReachable: () => true,
    });
    return changes.map(({ kind, name }) => `${kind} ${name}`);
  };
  assert.equal(plan().length, 100);
  assert.ok(looked >= 100);
  assert.deepEqual(plan(new Set(["d7", "gone"])), ["create d7"]);
  assert.equal(looked, 1);
});

test("an element whose file holds a number beyond 2^53 is remembered as another is", () => {
  const memory = new ElementMemory();
  const set = setOf(1);
  const application: Application = {
    ...set,
    kind: "Application",
    spec: { project: "default", destination: { name: "in-cluster" } },
  };
  const made = { application, size: 1, cost: { steps: 0, size: 0 } };
  const parameters = { id: 9223372036854775807n };
  memory.begin(set);
  assert.ok(memory.make("a", parameters, () => made).isNew);
  memory.end();
  memory.begin(set);
  assert.ok(!memory.make("a", { ...parameters }, () => made).isNew);
  assert.ok(memory.make("a", { id: 9223372036854775806n }, () => made).isNew);
});

test("a specification of a million braces is gone through once", () => {
  const memory = new ElementMemory();
  memory.begin(setOf(1, { goTemplate: true, path: "{{".repeat(500_000) }));
  memory.begin(setOf(1, { goTemplate: true, path: "{{ now }}" }));
});
