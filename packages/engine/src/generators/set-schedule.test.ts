import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApplicationSet } from "@capstan/model";
import { requeueAfterMs } from "./set-schedule.ts";

type Generators = ApplicationSet["spec"]["generators"];

const after = (...generators: Generators): number | undefined => {
  const template = { metadata: { name: "x" }, spec: { project: "default", destination: {} } };
  const metadata = { name: "set" };
  const head = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet" } as const;
  return requeueAfterMs({ ...head, metadata, spec: { generators, template } }, 180_000);
};
const git = { git: { repoURL: "x", directories: [{ path: "*" }] } };
const list = { list: { elements: [] } };
const decision = (seconds?: number) => ({
  clusterDecisionResource: {
    configMapRef: "x",
    ...(seconds === undefined ? {} : { requeueAfterSeconds: seconds }),
  },
});
const plugin = (seconds?: number) => ({
  plugin: {
    configMapRef: { name: "x" },
    ...(seconds === undefined ? {} : { requeueAfterSeconds: seconds }),
  },
});

const pulls = { pullRequest: { github: { owner: "a", repo: "b" } } };

test("a set is looked at again at the shortest time of its generators, which 0 takes none of", () => {
  assert.equal(after(list), undefined);
  assert.equal(after(list, git), 180_000);
  assert.equal(after(decision()), 180_000);
  assert.equal(after(plugin()), 1_800_000);
  assert.equal(after(pulls), 1_800_000);
  assert.equal(after(pulls, { scmProvider: { requeueAfterSeconds: 60 } }), 60_000);
  assert.equal(after(plugin(), git, decision(60)), 60_000);
  assert.equal(after(plugin(0), decision(0)), undefined);
  assert.equal(after({ matrix: { generators: [list, plugin(7)] } }), 7_000);
});
