import assert from "node:assert/strict";
import { test } from "node:test";
import { type AppProject, argoApiVersion } from "@capstan/model";
import { signatureDemand } from "./signature-demand.ts";

type Spec = AppProject["spec"];

const url = "https://git.example/team/web.git";
const policy = (repos: string[], mode: "none" | "head" | "strict" = "head", keys = ["A"]) => ({
  repos: repos.map((one) => ({ url: one })),
  gpg: { mode, keys },
});
const policies = (...all: ReturnType<typeof policy>[]): Spec => ({
  sourceIntegrity: { git: { policies: all } },
});

/** As text: nothing, `mode keys`, or the problem. */
function demanded(spec: Spec, source: { repoURL: string; chart?: string }): string {
  const project = {
    apiVersion: argoApiVersion,
    kind: "AppProject" as const,
    metadata: { name: "team" },
    spec,
  };
  const demand = signatureDemand(project, { path: ".", ...source });
  if (!demand) return "nothing";
  return demand.problem ?? `${demand.mode} ${demand.keys.join()}`;
}

const facts: readonly (readonly [fact: string, spec: Spec, expected: string, repoURL?: string])[] = [
  ["no keys", {}, "nothing"],
  ["keys of before", { signatureKeys: [{ keyID: "A" }, { keyID: "B" }] }, "head A,B"],
  ["an empty list of keys of before", { signatureKeys: [] }, "nothing"],
  [
    "keys of before beside policies",
    { signatureKeys: [{ keyID: "A" }], ...policies(policy(["*"], "strict")) },
    "strict A",
  ],
  [
    "keys of before beside no policies for git",
    { signatureKeys: [{ keyID: "A" }], sourceIntegrity: {} },
    "head A",
  ],
  ["policies without any key", policies(policy(["*"], "head", [])), "head "],
  ["none", policies(policy(["*"], "none")), "nothing"],
  ["a policy for others", policies(policy(["https://elsewhere.example/*"])), "nothing"],
  ["an exception", policies(policy(["*", "!https://git.example/*"])), "nothing"],
  [
    "two policies",
    policies(policy(["*"]), policy(["https://git.example/*"], "none")),
    `multiple (2) git source integrity policies found for repo URL: ${url}`,
  ],
  ["a star spans everything", policies(policy(["https://git.example/*"])), "head A"],
  [
    "another spelling escapes no policy",
    policies(policy(["https://git.example/team/*"])),
    "head A",
    "https://x@GIT.example:443/team//web",
  ],
  [
    "nor does one that cannot be read",
    policies(policy(["*", "!*/open/*"])),
    "head A",
    "https://git.example/team/web/../open/x",
  ],
  ["a registry's artifact", policies(policy(["*"])), "nothing", "oci://registry.example/web"],
];

for (const [fact, spec, expected, repoURL = url] of facts)
  test(`what a project demands of signatures: ${fact}`, () =>
    assert.equal(demanded(spec, { repoURL }), expected));

test("what a project demands of signatures: nothing of a chart", () => {
  assert.equal(
    demanded(policies(policy(["*"])), { repoURL: "https://charts.example", chart: "web" }),
    "nothing",
  );
});
