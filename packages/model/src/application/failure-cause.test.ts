import assert from "node:assert/strict";
import { test } from "node:test";
import { failureCause } from "./failure-cause.ts";

const helm = "helm failed with exit code 1 (helm template web . --namespace web --values values.yaml (1)): ";

test("a message gives its cause: of templates the file, the line and the expression", () => {
  const cases = [
    [
      `${helm}Error: template: web/templates/a.yaml:6:16: executing "web/templates/a.yaml" at <.Values.ingress.host>: nil pointer evaluating interface {}.host\n\nUse --debug flag`,
      "web/templates/a.yaml:6 .Values.ingress.host is nil",
    ],
    [
      `${helm}Error: web/templates/a.yaml:6:16\n  executing "web/templates/a.yaml" at <.Values.ingress.host>:\n    nil pointer evaluating interface {}.host`,
      "web/templates/a.yaml:6 .Values.ingress.host is nil",
    ],
    [
      `${helm}Error: execution error at (web/templates/a.yaml:2:6): image.tag is required\n\nUse --debug`,
      "web/templates/a.yaml:2 image.tag is required",
    ],
    [
      `${helm}Error: YAML parse error on web/templates/a.yaml: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context`,
      "web/templates/a.yaml error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context",
    ],
    [
      `${helm}Error: parse error at (web/templates/a.yaml:2): function "foo" not defined`,
      'web/templates/a.yaml:2 function "foo" not defined',
    ],
    [
      `Failed last sync attempt to ${"a1".repeat(20)}: one or more objects failed to apply, reason: Service web: spec.clusterIP: field is immutable`,
      "Service web: spec.clusterIP: field is immutable",
    ],
    [
      `Failed last sync attempt to [${"a1".repeat(20)}]: one or more objects failed to apply, reason: Service web: spec.clusterIP: field is immutable (retried 5 times).`,
      "Service web: spec.clusterIP: field is immutable (retried 5 times).",
    ],
    [
      "one or more objects failed to apply, reason: Service web: spec.clusterIP: field is immutable",
      "Service web: spec.clusterIP: field is immutable",
    ],
    ["apps/kustomization.yaml, line 14: no such file", "apps/kustomization.yaml, line 14: no such file"],
    [
      "Failed to load target state: invalid YAML in a.yaml: line 4 (cached failure; tried again after 2026-11-28T10:54:43Z)",
      "invalid YAML in a.yaml: line 4",
    ],
    ["", ""],
  ] as const;
  for (const [message, cause] of cases) assert.equal(failureCause(message), cause);
});

test("a message that was written to take long takes no longer than its length", () => {
  for (const part of ["Error: ", "a failed with exit code 1 (", "template: a", "execution error at (a"])
    assert.equal(typeof failureCause(part.repeat(200_000)), "string");
});
