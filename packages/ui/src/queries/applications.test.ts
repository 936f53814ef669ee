import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import { loadPages } from "./applications.ts";

function app(name: string): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace: "argocd" },
    spec: { project: "default", destination: {} },
  };
}

test("the list is shown with its first page, and is whole with its last, at the version of the first", async () => {
  const asked: object[] = [];
  const shown: number[] = [];
  const pages = [
    { metadata: { resourceVersion: "7", continue: "b" }, items: [app("a")] },
    { metadata: { resourceVersion: "9", continue: "c" }, items: [app("b"), app("a")] },
    { metadata: { resourceVersion: "9" }, items: [app("c")] },
  ];
  const { version, map } = await loadPages(
    async (page) => {
      const next = pages[asked.push(page) - 1];
      assert.ok(next);
      return next;
    },
    (part) => shown.push(part.size),
  );
  assert.deepEqual(asked, [{ limit: 200 }, { limit: 2000, continue: "b" }, { limit: 2000, continue: "c" }]);
  assert.deepEqual([version, [...map.keys()]], ["7", ["argocd/a", "argocd/b", "argocd/c"]]);
  assert.deepEqual(shown, [1, 2]);
});
