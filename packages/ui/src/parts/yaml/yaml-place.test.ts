import assert from "node:assert/strict";
import { test } from "node:test";
import { fileSchema } from "@capstan/model";
import { choicesAt, schemaAt } from "./schema-choices.ts";
import { placeAt } from "./yaml-place.ts";

/** The caret is at the bar. */
function at(marked: string) {
  return placeAt(marked.replace("|", ""), marked.indexOf("|"));
}

const schema = fileSchema("application");
const labels = (marked: string) => choicesAt(schema, at(marked)).map(({ label }) => label);

test("indentation tells where the caret stands, in texts that do not parse yet", () => {
  const text = "spec:\n  project: default\n  source:\n    helm:\n      par|";
  assert.deepEqual(at(text).path, ["spec", "source", "helm"]);
  assert.equal(at(text).typed, "par");
  assert.deepEqual(at("spec:\n  sources:\n    - repoURL: a\n      |").path, ["spec", "sources", "*"]);
  assert.deepEqual(at("spec:\n  sources:\n  - repoURL: a\n    ch|").path, ["spec", "sources", "*"]);
  assert.deepEqual(at("spec:\n  ignoreDifferences:\n  - gr|").path, ["spec", "ignoreDifferences", "*"]);
  assert.deepEqual(at("spec:\n  destination:\n    name: x\n  syncPolicy:\n    |").path, [
    "spec",
    "syncPolicy",
  ]);
  const value = at("spec:\n  syncPolicy:\n    automated:\n      prune: t|");
  assert.deepEqual([value.path.at(-1), value.isValue, value.typed], ["prune", true, "t"]);
  assert.deepEqual(at("|").path, []);
});

test("what may be written comes from the schema that the server checks by", () => {
  assert.deepEqual(labels("sp|"), ["spec"]);
  assert.ok(labels("spec:\n  |").includes("ignoreDifferences"));
  assert.deepEqual(labels("spec:\n  syncPolicy:\n    automated:\n      pr|"), ["prune"]);
  assert.deepEqual(labels("spec:\n  syncPolicy:\n    automated:\n      prune: t|"), ["true"]);
  assert.ok(labels("spec:\n  sources:\n    - rep|").includes("repoURL"));
  assert.deepEqual(labels("metadata:\n  labels:\n    an|"), []);
  assert.deepEqual(labels("unheard:\n  |"), []);
  const source = choicesAt(schema, at("spec:\n  sou|")).find(({ label }) => label === "sources");
  assert.equal(source?.text, "sources:\n    - ");
  assert.equal(schemaAt(schema, ["spec", "sources", "*", "repoURL"])?.type, "string");
});
