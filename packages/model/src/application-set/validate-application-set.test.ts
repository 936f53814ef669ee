import assert from "node:assert/strict";
import { test } from "node:test";
import { isApplicationSet, isLiveSet, validateApplicationSet } from "./validate-application-set.ts";

const template = {
  metadata: { name: "{{name}}" },
  spec: { project: "default", source: { repoURL: "{{url}}", path: "." }, destination: { name: "{{name}}" } },
};
const set = (generators: unknown[], spec: { [field: string]: unknown } = {}): unknown => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "ApplicationSet",
  metadata: { name: "shops" },
  spec: { generators, template, ...spec },
});
const list = { list: { elements: [{ name: "a" }] } };
const git = { git: { repoURL: "x", directories: [{ path: "*" }] } };
const rolling = (step: unknown): unknown =>
  set([list], { strategy: { type: "RollingSync", rollingSync: { steps: [step] } } });

const facts: [string, unknown, RegExp | undefined][] = [
  ["a list", set([list]), undefined],
  ["a matrix", set([{ matrix: { generators: [list, git] } }]), undefined],
  [
    "a matrix within a merge",
    set([{ merge: { mergeKeys: ["a"], generators: [list, { matrix: { generators: [list, git] } }] } }]),
    undefined,
  ],
  [
    "every entry has one generator",
    set([{ ...list, ...git }]),
    /spec\.generators\[0\]: has several generators \(list, git\)/,
  ],
  ["an entry that names none", set([{ selector: {} }]), /spec\.generators\[0\]: names no generator/],
  ["a matrix of three", set([{ matrix: { generators: [list, git, list] } }]), /needs two entries, not 3/],
  [
    "a merge without keys",
    set([{ merge: { mergeKeys: [], generators: [list, list] } }]),
    /mergeKeys: is empty/,
  ],
  ["git without files or directories", set([{ git: { repoURL: "x" } }]), /needs directories or files/],
  [
    "a nested entry names its place",
    set([{ matrix: { generators: [list, {}] } }]),
    /spec\.generators\[0\]\.matrix\.generators\[1\]: names no generator/,
  ],
  [
    "an operator that steps do not have",
    rolling({ matchExpressions: [{ key: "a", operator: "Exists" }] }),
    /must be In or NotIn, not Exists/,
  ],
  [
    "an update that is no amount",
    rolling({ maxUpdate: "some" }),
    /"some" is neither a number nor a percentage/,
  ],
  [
    "options for templates that are not Go's",
    set([list], { goTemplateOptions: ["missingkey=error"] }),
    /without goTemplate/,
  ],
  [
    "a policy that does not exist",
    set([list], { syncPolicy: { applicationsSync: "creat-only" } }),
    /did you mean create-only\?/,
  ],
];
for (const [fact, value, message] of facts) {
  test(fact, () => {
    const text = validateApplicationSet(value)
      .map(({ field, message: said }) => `${field}: ${said}`)
      .join("\n");
    if (message === undefined) assert.equal(text, "");
    else assert.match(text, message);
  });
}

test("what a plugin is given may hold null, as any JSON does", () => {
  const set = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "ApplicationSet",
    metadata: { name: "a" },
    spec: {
      generators: [
        { plugin: { configMapRef: { name: "p" }, input: { parameters: { none: null, deep: [null] } } } },
      ],
      template: { metadata: { name: "x" }, spec: { project: "default", destination: {} } },
    },
  };
  assert.ok(isApplicationSet(set));
});

test("one version of a set in a live state is looked at once, however many rows its status has", () => {
  let looked = 0;
  const good = {
    ...{ apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", metadata: { name: "shops" } },
    get spec() {
      looked += 1;
      return { generators: [list], template };
    },
  };
  assert.ok(isLiveSet(good));
  const before = looked;
  assert.ok(isLiveSet(good));
  assert.equal(looked, before);
  assert.ok(!isLiveSet({ apiVersion: "v1", kind: "Secret", metadata: { name: "x" } }));
  assert.ok(!isLiveSet(undefined));
});
