import assert from "node:assert/strict";
import { test } from "node:test";
import { eventLabels } from "./event-labels.ts";

const app = { metadata: { name: "web", labels: { app: "web", environment: "dev", team: "a", tier: "ui" } } };
const project = { metadata: { name: "shop", labels: { environment: "all", envoy: "yes" } } };

test("labels of the application win over those of its project, what is excluded goes, and nobody gets what nobody asked for", () => {
  const keys = { include: ["app", "team", "env*"], exclude: ["te*"] };
  assert.deepEqual(eventLabels(app, project, keys), { app: "web", environment: "dev", envoy: "yes" });
  assert.deepEqual(eventLabels(app, undefined, keys), { app: "web", environment: "dev" });
  assert.equal(eventLabels(app, project, { include: [], exclude: [] }), undefined);
  assert.equal(eventLabels(app, project, { include: ["other"], exclude: [] }), undefined);
});
