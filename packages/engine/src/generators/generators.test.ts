import assert from "node:assert/strict";
import { test } from "node:test";
import { type Application, type ApplicationSet, isApplicationSet } from "@capstan/model";
import type { AnswerTo, ClusterFacts, Question, QuestionKind } from "./facts.ts";
import { generateApplications } from "./generate-applications.ts";
import { planApplications } from "./plan-applications.ts";
import { readSetPolicy } from "./set-schedule.ts";
import { fastTemplates } from "./templates.ts";

const source = { repoURL: "https://git.example/x", path: "." };
const clusters: readonly ClusterFacts[] = [
  { name: "in-cluster", server: "https://local", project: "", labels: {}, annotations: {}, isLocal: true },
  { name: "East_1", server: "https://east", project: "p", labels: { env: "prod" }, annotations: { a: "1" } },
  { name: "west", server: "https://west", project: "", labels: { env: "dev" }, annotations: {} },
];

function setOf(name: string, generators: readonly object[], more: object = {}): ApplicationSet {
  const set = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "set", namespace: "argocd", uid: "u" },
    spec: {
      generators,
      template: { metadata: { name }, spec: { project: "default", source, destination: { name: "x" } } },
      ...more,
    },
  };
  assert.ok(isApplicationSet(set), JSON.stringify(set));
  return set;
}

function generate(set: ApplicationSet) {
  const answerTo = <Kind extends QuestionKind>({ about }: Question<Kind>): AnswerTo<Kind> => {
    if ("directories" in about) return { directories: ["apps/One_1", "two"] };
    return {
      files: [{ path: "envs/prod/config.yaml", objects: [{ size: { cpu: 3 } }, { size: { cpu: 4 } }] }],
    };
  };
  return generateApplications({ set, facts: { clusters, answerTo }, templates: fastTemplates });
}

function made(set: ApplicationSet): Application[] {
  const found = generate(set);
  assert.ok(found.kind === "made", JSON.stringify(found));
  return found.applications.map(({ application }) => application);
}

const list = (...elements: object[]) => ({ list: { elements } });
const git = (more: object) => ({ git: { repoURL: "https://git.example/x", ...more } });
const directories = [{ path: "*" }];
const files = [{ path: "**" }];
const names = (name: string, ...generators: object[]) =>
  made(setOf(name, generators)).map(({ metadata }) => metadata.name);

const cases: readonly [string, string, readonly object[], readonly string[]][] = [
  ["a list", "{{a}}-{{values.b}}", [list({ a: "1", values: { b: "2" } })], ["1-2"]],
  ["elements as YAML", "{{a}}", [{ list: { elementsYaml: "[{a: x}, {a: z}]" } }], ["x", "z"]],
  ["clusters", "{{nameNormalized}}", [{ clusters: {} }], ["in-cluster", "east-1", "west"]],
  [
    "clusters of a label: never the local one",
    "{{name}}-{{metadata.labels.env}}",
    [{ clusters: { selector: { matchExpressions: [{ key: "env", operator: "NotIn", values: ["prod"] }] } } }],
    ["west-dev"],
  ],
  [
    "values of clusters, by their own parameters",
    "{{values.of}}",
    [{ clusters: { selector: { matchLabels: { env: "prod" } }, values: { of: "{{server}}" } } }],
    ["https://east"],
  ],
  [
    "directories",
    "{{path}} {{path[0]}} {{path.basename}} {{path.basenameNormalized}}",
    [git({ directories })],
    ["apps/One_1 apps One_1 one-1", "two two two two"],
  ],
  [
    "files, an Application for each object",
    "{{size.cpu}} {{path}} {{path.filename}} {{path.filenameNormalized}} {{path[1]}}",
    [git({ files })],
    ["3 envs/prod config.yaml config.yaml prod", "4 envs/prod config.yaml config.yaml prod"],
  ],
  [
    "pathParamPrefix and values",
    "{{at.path.basename}} {{values.top}} {{path}}",
    [git({ directories: [{ path: "*" }], pathParamPrefix: "at", values: { top: "{{at.path[0]}}" } })],
    ["One_1 apps {{path}}", "two two {{path}}"],
  ],
  [
    "a selector, by parameters as texts",
    "{{path.basename}}",
    [{ ...git({ directories }), selector: { matchLabels: { "path.basename": "two" } } }],
    ["two"],
  ],
  [
    "a matrix, the second a template of the first",
    "{{a}} {{b}}",
    [{ matrix: { generators: [list({ a: "1" }, { a: "2" }), list({ b: "x{{a}}" })] } }],
    ["1 x1", "2 x2"],
  ],
  [
    "a merge, by its keys",
    "{{k}} {{v}} {{w}}",
    [
      {
        merge: {
          mergeKeys: ["k"],
          generators: [
            list({ k: "1", v: "a", w: "-" }, { k: "2", v: "b", w: "-" }),
            list({ k: "2", w: "z" }),
          ],
        },
      },
    ],
    ["1 a -", "2 b z"],
  ],
  [
    "a merge within a matrix",
    "{{k}}{{n}}",
    [
      {
        matrix: {
          generators: [
            list({ n: "1" }),
            { merge: { mergeKeys: ["k"], generators: [list({ k: "a" }), list({ k: "a" })] } },
          ],
        },
      },
    ],
    ["a1"],
  ],
];
for (const [title, name, generators, wanted] of cases)
  test(`${title}: makes ${wanted.join(", ")}`, () => {
    assert.deepEqual(names(name, ...generators), wanted);
  });

const failures: readonly [string, object, RegExp][] = [
  ["a matrix of one", { matrix: { generators: [list({})] } }, /matrix needs two generators/],
  [
    "a matrix whose halves disagree",
    { matrix: { generators: [list({ a: "1" }), list({ a: "2" })] } },
    /both generators give the parameter a, one "1" and one "2"/,
  ],
  [
    "a merge of one",
    { merge: { mergeKeys: ["a"], generators: [list({ a: "1" })] } },
    /two generators or more/,
  ],
  [
    "a merge with two of one key",
    { merge: { mergeKeys: ["a"], generators: [list({ a: "1" }, { a: "1" }), list({ a: "1" })] } },
    /same merge keys/,
  ],
  ["git without a question", git({}), /neither directories nor files/],
];
for (const [title, generator, says] of failures)
  test(`${title} fails the set, and says where`, () => {
    const found = generate(setOf("x", [generator]));
    assert.ok(found.kind === "failed", JSON.stringify(found));
    assert.match(found.message, says);
    assert.match(found.message, /^spec\.generators\[0\]/);
  });

test("a patch of the template adds, takes away and replaces, and leaves the project", () => {
  const templatePatch =
    "metadata: {finalizers: [mine], labels: {which: '{{n}}'}}\nspec: {project: other, source: {$patch: replace, repoURL: r, chart: c}}";
  const [app] = made(setOf("{{n}}", [list({ n: "1" })], { templatePatch }));
  assert.deepEqual(app?.metadata.finalizers, ["mine", "resources-finalizer.argocd.argoproj.io"]);
  assert.deepEqual(app?.metadata.labels, { which: "1" });
  assert.deepEqual([app?.spec.project, app?.spec.source], ["default", { repoURL: "r", chart: "c" }]);
  const failed = generate(setOf("{{n}}", [list({ n: "1" })], { templatePatch: "[1]" }));
  assert.ok(failed.kind === "failed" && failed.reason === "RenderTemplateParamsError");
});

function plan(set: ApplicationSet, live: Application, policy = { mayUpdate: true, mayDelete: true }) {
  const found = generate(set);
  assert.ok(found.kind === "made");
  return planApplications({
    ...{ set, policy, generated: found.applications, owned: [live] },
    find: (name) => (name === live.metadata.name ? live : undefined),
    problemOf: () => undefined,
    isReachable: () => true,
  }).changes.map(({ kind, name }) => `${kind} ${name}`);
}

function liveOf(set: ApplicationSet, change: Partial<Application["metadata"]> = {}): Application {
  const [app] = made(set);
  assert.ok(app);
  const owner = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", name: "set", uid: "u" };
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
  return { ...app, metadata: { ...app.metadata, ownerReferences, ...change } };
}

test("annotations and labels that the set preserves, and those of others' controllers, are no difference", () => {
  const one = list({ n: "one" });
  const set = setOf("{{n}}", [one]);
  const marks = { annotations: { mine: "1" }, labels: { ours: "1" } };
  assert.deepEqual(plan(set, liveOf(set)), []);
  assert.deepEqual(plan(set, liveOf(set, marks)), ["update one"]);
  const preservedFields = { annotations: ["mine"], labels: ["ours"] };
  const keeping = setOf("{{n}}", [one], { preservedFields });
  assert.deepEqual(plan(keeping, liveOf(keeping, marks)), []);
  const refreshed = { annotations: { "argocd.argoproj.io/refresh": "hard" } };
  assert.deepEqual(plan(set, liveOf(set, refreshed)), []);
});

test("policies: what may be done with Applications that are there", () => {
  for (const [applicationsSync, mayUpdate, mayDelete] of [
    ["sync", true, true],
    ["create-only", false, false],
    ["create-update", true, false],
    ["create-delete", false, true],
  ] as const) {
    const set = setOf("{{n}}", [list({ n: "one" })], { syncPolicy: { applicationsSync } });
    const policy = readSetPolicy(set, { policy: "", mayOverride: undefined });
    assert.deepEqual(policy, { mayUpdate, mayDelete });
    const drifted = liveOf(set, { labels: { a: "b" } });
    assert.deepEqual(plan(set, drifted, policy), mayUpdate ? ["update one"] : []);
    const gone = liveOf(set, { name: "gone" });
    assert.deepEqual(plan(set, gone, policy), ["create one", ...(mayDelete ? ["delete gone"] : [])]);
    const forced = readSetPolicy(set, { policy: "create-only", mayOverride: undefined });
    assert.deepEqual(forced, { mayUpdate: false, mayDelete: false });
  }
});
