import assert from "node:assert/strict";
import { test } from "node:test";
import { readGlobalProjects } from "./global-projects.ts";

function read(value: unknown) {
  const problems: string[] = [];
  return { entries: readGlobalProjects(value, (text) => problems.push(text)), problems };
}

test("entries are read; without a selector all projects are meant", () => {
  const labelSelector = { matchExpressions: [{ key: "tier", operator: "In", values: ["prod"] }] };
  const given = [{ projectName: "one", labelSelector }, { projectName: "all" }];
  assert.deepEqual(read(given), {
    entries: [
      { projectName: "one", labelSelector },
      { projectName: "all", labelSelector: {} },
    ],
    problems: [],
  });
  assert.deepEqual(read(undefined), { entries: [], problems: [] });
});

test("what cannot be read is told: it might restrict", () => {
  for (const [value, problem] of [
    ["one", /^is not a list/],
    [["one"], /^\[0\] is not an object/],
    [[{ labelSelector: {} }], /^\[0\]\.projectName is missing/],
    [[{ projectName: "a", labelSelector: "x" }], /labelSelector is not a selector/],
    [[{ projectName: "a", labelSelector: { matchLabel: {} } }], /labelSelector\.matchLabel is not a field/],
    [[{ projectName: "a", labelSelector: { matchLabels: [] } }], /matchLabels is not a map/],
    [
      [{ projectName: "a", labelSelector: { matchExpressions: [{ key: "b", operator: "in" }] } }],
      /matchExpressions is not a list of key, operator/,
    ],
  ] as const) {
    const { entries, problems } = read(value);
    assert.deepEqual(entries, []);
    assert.match(problems.join("\n"), problem);
  }
});
