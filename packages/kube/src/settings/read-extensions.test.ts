import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

const place = (kind: string, name: string, data: Readonly<Record<string, string>>) => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: "argocd" },
  ...(kind === "Secret" ? { stringData: data } : { data }),
});
const secret = place("Secret", "argocd-secret", { "metrics.key": " s3cret\n" });

function read(data: Readonly<Record<string, string>>, previous?: Settings) {
  return readSettings([place("ConfigMap", "argocd-cm", data)], [secret], { previous });
}

function saidOf({ problems }: Settings): string[] {
  return problems.map(({ field, problem }) => `${field} ${problem}`);
}

test("one key has all extensions, another the backend of one; a secret takes the place of its reference", () => {
  const settings = read({
    "extension.config": `
extensions:
- name: metrics
  backend:
    connectionTimeout: 500ms
    maxIdleConnections: 7
    services:
    - url: http://metrics.argocd:9003
      headers:
      - name: Authorization
        value: $metrics.key
`,
    "extension.config.costs": `
services:
- {url: "https://a.example/", cluster: {name: in-cluster}}
- {url: "https://b.example", cluster: {server: "https://other.example"}}
`,
  });
  assert.deepEqual(saidOf(settings), []);
  const usual = { connectMs: 2_000, keepAliveMs: 15_000, idleMs: 60_000, maxIdle: 30 };
  assert.deepEqual(settings.general.extensions, [
    {
      name: "metrics",
      services: [{ origin: "http://metrics.argocd:9003", headers: { authorization: "s3cret" } }],
      connections: { ...usual, connectMs: 500, maxIdle: 7 },
    },
    {
      name: "costs",
      services: [
        { origin: "https://a.example", cluster: { name: "in-cluster" }, headers: {} },
        { origin: "https://b.example", cluster: { server: "https://other.example" }, headers: {} },
      ],
      connections: usual,
    },
  ]);
});

const wrong: readonly (readonly [string, RegExp])[] = [
  ["services: [", /is no YAML/],
  ["[]", /is no object/],
  ["services: []", /has no services for extension x/],
  ["services: [{url: 'ftp://a'}]", /no http\(s\) address/],
  ["services: [{headers: []}]", /no http\(s\) address/],
  ["services: [{url: 'http://a'}, {url: 'http://b'}]", /one without a cluster/],
  ["services: [{url: 'http://a', cluster: {}}]", /without name and server/],
  [
    "services: [{url: 'http://a', cluster: {name: c}}, {url: 'http://b', cluster: {name: c}}]",
    /two services of extension x for the cluster of name c/,
  ],
  ["services: [{url: 'http://a', headers: [{name: 'a b', value: c}]}]", /without a usable name/],
  ["services: [{url: 'http://a', headers: [{name: a}]}]", /a header a of extension x without a usable value/],
  ['services: [{url: "http://a", headers: [{name: a, value: "b\\r\\nc: d"}]}]', /without a usable value/],
  ["connectionTimeout: soon\nservices: [{url: 'http://a'}]", /connectionTimeout that is no duration/],
];

test("what cannot be used is said with its key, and what was in force stays", () => {
  const good = read({ "extension.config.x": "services: [{url: 'http://good'}]" });
  for (const [text, problem] of wrong) {
    const settings = read({ "extension.config.x": text }, good);
    assert.match(saidOf(settings).join("\n"), problem, text);
    assert.match(saidOf(settings).join("\n"), /^extension\.config\.x /m, text);
    assert.deepEqual(settings.general.extensions, good.general.extensions, text);
    assert.equal(read({ "extension.config.x": text }).general.extensions, undefined, text);
    assert.deepEqual(settings.unreadable, [], "applications go on");
  }
  assert.deepEqual(read({}, good).general.extensions, []);
});

test("a name is of letters, digits, hyphens and underscores, and there once", () => {
  const backend = { services: [{ url: "http://a" }] };
  for (const names of [["a/b"], ["a b"], ["../a"], [""], ["a", "a"]]) {
    const extensions = names.map((name) => ({ name, backend }));
    const { general } = read({ "extension.config": JSON.stringify({ extensions }) });
    assert.equal(general.extensions, undefined, names.join());
  }
});

test("what is not known and what does not count is said, and the rest holds", () => {
  const settings = read({
    "extension.config.x":
      "timeout: 1s\nservices: [{url: 'http://user@a/base', headers: [{name: k, value: $absent}]}]",
  });
  assert.match(saidOf(settings).join("\n"), /timeout is not known/);
  assert.match(saidOf(settings).join("\n"), /only scheme, host and port of the url count/);
  assert.match(saidOf(settings).join("\n"), /refers to \$absent/);
  assert.deepEqual(settings.general.extensions?.[0]?.services, [
    { origin: "http://a", headers: { k: "$absent" } },
  ]);
});
