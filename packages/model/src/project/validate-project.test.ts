import assert from "node:assert/strict";
import { test } from "node:test";
import { validateAppProject } from "./validate-project.ts";

const project = (spec: { [field: string]: unknown }): unknown => ({
  apiVersion: "argoproj.io/v1alpha1",
  kind: "AppProject",
  metadata: { name: "team" },
  spec,
});
const window = { kind: "allow", schedule: "0 8 * * *", duration: "8h", applications: ["*"] };
const role = (fields: { [field: string]: unknown }): unknown =>
  project({ roles: [{ name: "dev", ...fields }] });

const facts: [string, unknown, RegExp | undefined][] = [
  ["an empty project", project({}), undefined],
  [
    "a good role",
    role({ policies: ["p, proj:team:dev, applications, sync, team/*, allow"], groups: ["devs"] }),
    undefined,
  ],
  ["a good window", project({ syncWindows: [window] }), undefined],
  [
    "a denial of everything",
    project({ destinations: [{ server: "*", namespace: "!*" }] }),
    /spec\.destinations\[0\]\.namespace: namespace has an invalid format, '!\*'/,
  ],
  [
    "a policy of another project",
    role({ policies: ["p, proj:team:dev, applications, get, other/*, allow"] }),
    /spec\.roles\[0\]\.policies\[0\]: the object must begin with team\//,
  ],
  [
    "a policy with a part too few",
    role({ policies: ["p, proj:team:dev, applications, get, team/*"] }),
    /must read: p, proj:team:dev/,
  ],
  [
    "a policy for another role",
    role({ policies: ["p, proj:team:ops, applications, get, team/*, allow"] }),
    /the subject must be proj:team:dev/,
  ],
  [
    "a resource that projects do not have",
    role({ policies: ["p, proj:team:dev, accounts, get, team/*, allow"] }),
    /the resource must be one of/,
  ],
  ["a group with a comma", role({ groups: ["a,b"] }), /holds a comma/],
  ["a role name with a sign", project({ roles: [{ name: "a b" }] }), /spec\.roles\[0\]\.name/],
  [
    "two roles of one name",
    project({ roles: [{ name: "a" }, { name: "a" }] }),
    /spec\.roles\[1\]\.name: "a" is the name of another/,
  ],
  [
    "a window for nothing",
    project({ syncWindows: [{ ...window, applications: [] }] }),
    /needs at least one of/,
  ],
  [
    "a schedule of six fields",
    project({ syncWindows: [{ ...window, schedule: "0 0 8 * * *" }] }),
    /five fields/,
  ],
  [
    "a window twice",
    project({ syncWindows: [window, { ...window, manualSync: true }] }),
    /is the same as another window/,
  ],
  [
    "a service account for a glob that is none",
    project({
      destinationServiceAccounts: [{ server: "[[ech*", namespace: "a", defaultServiceAccount: "sa" }],
    }),
    /destinationServiceAccounts\[0\]\.server: server has an invalid format, '\[\[ech\*'/,
  ],
  [
    "a service account with a path",
    project({ destinationServiceAccounts: [{ server: "*", namespace: "!a", defaultServiceAccount: "a/b" }] }),
    /namespace has an invalid format, '!a'[\s\S]*defaultServiceAccount has an invalid format, 'a\/b'/,
  ],
  [
    "two service accounts for one destination",
    project({
      destinationServiceAccounts: [
        { server: "*", namespace: "a", defaultServiceAccount: "one" },
        { server: "*", namespace: "a", defaultServiceAccount: "two" },
      ],
    }),
    /destinationServiceAccount '\*\/a' already added/,
  ],
  [
    "a description of a book's length",
    project({ description: "x".repeat(256) }),
    /spec\.description: has 256 characters/,
  ],
];
for (const [fact, value, message] of facts) {
  test(fact, () => {
    const text = validateAppProject(value)
      .map(({ field, message: said }) => `${field}: ${said}`)
      .join("\n");
    if (message === undefined) assert.equal(text, "");
    else assert.match(text, message);
  });
}
