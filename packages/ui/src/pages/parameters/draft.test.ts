import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ApplicationSource } from "@capstan/model";
import type { DescribedStage, SourceDescription } from "@capstan/wire";
import { readDraft } from "./draft.ts";
import { fieldGroups, nothingKnown } from "./fields.ts";
import { imageRows, withImage } from "./images.ts";
import { findProblems, parameterPlace, placeOfRefusal } from "./problems.ts";
import { rebase } from "./rebase-draft.ts";
import { writeDraft } from "./write-draft.ts";

const source: ApplicationSource = {
  repoURL: "https://git.example/a.git",
  path: "web",
  plugin: { name: "names", parameters: [{ name: "hosts", array: ["a"] }], env: [{ name: "X", value: "1" }] },
};

const stage = (name: string, more: Partial<DescribedStage> = {}): DescribedStage => ({
  name,
  plugin: name,
  sensitive: false,
  announced: [],
  parameters: [],
  env: [],
  ...more,
});
const description = (...stages: DescribedStage[]): SourceDescription => ({
  plugin: "p",
  sourceType: "Plugin",
  stages,
});

describe("a draft of a source", () => {
  test("that changes nothing gives the same source", () => {
    assert.deepEqual(writeDraft(source, readDraft(source)), source);
  });

  test("writes what was changed and keeps fields that no form knows", () => {
    const odd: ApplicationSource = {
      repoURL: "r",
      path: ".",
      helm: { version: "v3", values: "a: 1\n" },
    };
    const written = writeDraft(odd, { ...readDraft(odd), values: "a: 2\n", valueFiles: ["v.yaml"] });
    assert.deepEqual(written.helm, { version: "v3", values: "a: 2\n", valueFiles: ["v.yaml"] });
  });

  test("keeps values in the field in which they were", () => {
    const typed: ApplicationSource = { repoURL: "r", chart: "c", helm: { valuesObject: { a: 1 } } };
    const written = writeDraft(typed, { ...readDraft(typed), values: "a: 2\n" });
    assert.deepEqual(written.helm, { valuesObject: { a: 2 } });
  });

  test("takes out a parameter, and the list with the last one", () => {
    const written = writeDraft(source, { ...readDraft(source), parameters: [] });
    assert.deepEqual(written.plugin, { name: "names", env: [{ name: "X", value: "1" }] });
  });

  test("writes what Kustomize and Jsonnet are told, and passes over fields of a patch left empty", () => {
    const typed: ApplicationSource = {
      repoURL: "r",
      kustomize: {
        replicas: [{ name: "web", count: 2 }],
        patches: [{ path: "p.yaml", options: { allowNameChange: true } }],
      },
      directory: { jsonnet: { libs: ["vendor"] } },
    };
    const draft = readDraft(typed);
    assert.deepEqual(writeDraft(typed, draft), typed);
    const written = writeDraft(typed, {
      ...draft,
      replicas: [{ name: "web", value: "3" }],
      patches: draft.patches.map((one) => ({ ...one, target: { kind: "Deployment", name: "" } })),
      commonLabels: [{ name: "team", value: "a" }],
      tlas: [{ name: "x", value: "1", code: true }],
    });
    assert.deepEqual(written.kustomize, {
      replicas: [{ name: "web", count: 3 }],
      patches: [{ path: "p.yaml", options: { allowNameChange: true }, target: { kind: "Deployment" } }],
      commonLabels: { team: "a" },
    });
    assert.deepEqual(written.directory, {
      jsonnet: { libs: ["vendor"], tlas: [{ name: "x", value: "1", code: true }] },
    });
    const emptied = writeDraft(typed, { ...draft, replicas: [], patches: [], libs: [] });
    assert.deepEqual([emptied.kustomize, emptied.directory], [{}, {}]);
  });

  test("goes on top of what others have set meanwhile", () => {
    const base = readDraft(source);
    const mine = { ...base, parameters: [...base.parameters, { name: "mine", string: "1" }] };
    const theirs = {
      ...base,
      releaseName: "r",
      parameters: [
        { name: "hosts", array: ["b"] },
        { name: "theirs", string: "2" },
      ],
    };
    assert.deepEqual(rebase(mine, base, theirs), {
      ...theirs,
      parameters: [
        { name: "hosts", array: ["b"] },
        { name: "mine", string: "1" },
        { name: "theirs", string: "2" },
      ],
    });
  });
});

describe("fields", () => {
  test("come from announcements by their types, then from what is set without one", () => {
    const [group] = fieldGroups(
      description(
        stage("names", {
          announced: [
            { name: "weight", itemType: "number", string: "1" },
            { name: "hosts", collectionType: "array", itemType: "string" },
            { name: "on", itemType: "boolean" },
          ],
        }),
      ),
      { ...readDraft(source), parameters: [{ name: "extra", map: [] }] },
    );
    assert.deepEqual(
      group?.fields.map(({ address, kind, isUnknown }) => [address, kind, isUnknown]),
      [
        ["weight", "number", false],
        ["hosts", "array", false],
        ["on", "boolean", false],
        ["extra", "map", true],
      ],
    );
  });

  test("of a pipeline are addressed by stage, with the pipeline's own values as defaults", () => {
    const stages = [stage("helm", { announced: [{ name: "tag", string: "v1" }] }), stage("label")];
    stages.push(
      stage("more", { announced: [{ name: "tier" }], parameters: [{ name: "tier", string: "web" }] }),
    );
    const groups = fieldGroups(description(...stages), readDraft({ repoURL: "r" }));
    assert.deepEqual(
      groups.flatMap(({ fields }) => fields).map((one) => [one.address, one.byDefault, one.defaultFrom]),
      [
        ["helm/tag", { string: "v1" }, "plugin"],
        ["more/tier", { name: "tier", string: "web" }, "pipeline"],
      ],
    );
  });

  test("of a source that cannot be read are those that are set", () => {
    const [group] = fieldGroups(nothingKnown, readDraft(source));
    assert.deepEqual(
      group?.fields.map(({ address, kind }) => [address, kind]),
      [["hosts", "array"]],
    );
  });

  test("say what is wrong with each", () => {
    const groups = fieldGroups(
      description(
        stage("names", {
          announced: [
            { name: "weight", itemType: "number" },
            { name: "who", required: true },
            { name: "size", choices: ["small", "large"] },
          ],
        }),
      ),
      readDraft(source),
    );
    const draft = {
      ...readDraft(source),
      parameters: [
        { name: "weight", string: "heavy" },
        { name: "size", string: "huge" },
      ],
      env: [{ name: "", value: "" }],
      values: "a: [",
    };
    const problems = findProblems(draft, groups);
    assert.equal(problems.get(parameterPlace("weight")), "“heavy” is not a number.");
    assert.equal(problems.get(parameterPlace("who")), "It must be set.");
    assert.equal(problems.get(parameterPlace("size")), "“huge” is none of small, large.");
    assert.equal(problems.get("env"), "A variable has no name.");
    assert.match(problems.get("values") ?? "", /line 2/);
    assert.equal(placeOfRefusal("INVALID: parameter weight: is not round", groups), parameterPlace("weight"));
  });
});

test("an image's override is written as kustomize takes it", () => {
  const rows = imageRows(["nginx:1", "reg:5000/x"], ["nginx=mirror/nginx:2"]);
  assert.deepEqual(rows, [
    { name: "nginx", original: "nginx:1", override: "mirror/nginx:2" },
    { name: "reg:5000/x", original: "reg:5000/x", override: "" },
  ]);
  assert.deepEqual(withImage(["nginx=mirror/nginx:2"], "nginx", "nginx:3"), ["nginx:3"]);
  assert.deepEqual(withImage([], "reg:5000/x", "reg:5000/x:v2"), ["reg:5000/x:v2"]);
  assert.deepEqual(withImage(["nginx:3"], "nginx", ""), []);
});
