import assert from "node:assert/strict";
import { test } from "node:test";
import { withNamespaceHint } from "./namespace-hint.ts";

test("a namespace that is missing: the message says what to do, others stay as they are", () => {
  const said = 'configmaps "a" is forbidden: namespaces "demo" not found';
  assert.equal(
    withNamespaceHint(said),
    `${said}; create namespace demo, or let the sync do it: spec.syncPolicy.syncOptions: [CreateNamespace=true]`,
  );
  assert.equal(withNamespaceHint("deployments.apps is forbidden"), "deployments.apps is forbidden");
});
