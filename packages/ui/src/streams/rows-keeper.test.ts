import assert from "node:assert/strict";
import { test } from "node:test";
import { type Application, applicationRow } from "@capstan/model";
import { packRows } from "@capstan/wire";
import { loadPages } from "./rows-keeper.ts";

function packed(...names: string[]) {
  const rows = names.map((name) => {
    const app: Application = {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name, namespace: "argocd" },
      spec: { project: "default", destination: {} },
    };
    return applicationRow(app);
  });
  return packRows(rows);
}

test("the list is shown with its first page, and is whole with its last, at the version of the first", async () => {
  const asked: object[] = [];
  const shown: number[] = [];
  const pages = [
    { metadata: { resourceVersion: "7", continue: "b" }, items: [packed("a")] },
    { metadata: { resourceVersion: "9", continue: "c" }, items: [packed("b", "a")] },
    { metadata: { resourceVersion: "9" }, items: [packed("c")] },
  ];
  const { version, rows } = await loadPages(
    async (page) => {
      const next = pages[asked.push(page) - 1];
      assert.ok(next);
      return next;
    },
    (part) => shown.push(...part.map(({ count }) => count)),
  );
  assert.deepEqual(asked, [
    { limit: 200 },
    { limit: 20_000, continue: "b" },
    { limit: 20_000, continue: "c" },
  ]);
  assert.deepEqual([version, rows.length], ["7", 3]);
  assert.deepEqual(shown, [1, 2, 1]);
});
