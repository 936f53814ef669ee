import assert from "node:assert/strict";
import { test } from "node:test";
import { failsWith } from "@capstan/testkit/render-world";
import { readHelmIndex } from "./helm-index.ts";

const asHelmWritesIt = `apiVersion: v1
entries:
  alpine:
  - annotations:
      note: |
        version: 9.9.9
      category: x
    apiVersion: v2
    created: "2026-01-01T00:00:00Z"
    description: |
      Of several
      lines
    digest: sha256:${"a".repeat(64)}
    keywords:
    - version
    name: alpine
    urls:
    - https://example.com/alpine-1.0.0.tgz
    version: 1.0.0
  - version: "1.10"
    urls: [alpine-1.10.tgz]
  "quoted/name":
  - urls:
    - a.tgz
    version: 2.0.0
  -odd:
  - version: 3.0.0
  empty: 
generated: "2026-01-01T00:00:00Z"
`;

test("an index as helm writes it, chart by chart", () => {
  const index = readHelmIndex(asHelmWritesIt, "index.yaml");
  assert.deepEqual(index.get("alpine"), [
    {
      version: "1.0.0",
      urls: ["https://example.com/alpine-1.0.0.tgz"],
      digest: "a".repeat(64),
      created: "2026-01-01T00:00:00Z",
      description: "Of several\nlines\n",
    },
    { version: "1.10", urls: ["alpine-1.10.tgz"], digest: undefined, created: "", description: "" },
  ]);
  assert.equal(index.get("quoted/name")?.[0]?.version, "2.0.0");
  assert.equal(index.get("-odd")?.[0]?.version, "3.0.0");
  assert.deepEqual(index.get("empty"), []);
  assert.equal(index.get("other"), undefined);
});

test("an index that is written otherwise means the same", () => {
  for (const text of [
    'entries: {web: [{version: "1", urls: [a]}]}',
    '{"apiVersion": "v1", "entries": {"web": [{"version": "1", "urls": ["a"]}]}}',
    'entries:\n    web:\n    - &one\n      version: "1"\n      urls: [a]\n',
    'entries:\n  web:\n  -\n    version: "1"\n    urls: [a]\n',
  ])
    assert.deepEqual(
      readHelmIndex(text, "index.yaml")
        .get("web")
        ?.map(({ version, urls }) => [version, ...urls]),
      [["1", "a"]],
      text,
    );
  assert.equal(readHelmIndex("{}", "index.yaml").get("web"), undefined);
});

test("of a large index only what is asked for is read, and what is too large for that is refused", () => {
  const many = Array.from(
    { length: 36_000 },
    (_, at) => `  c${at}:\n  - version: 1.0.${at}\n    home: ${"x".repeat(200)}\n`,
  );
  const text = `entries:\n${many.join("")}`;
  assert.ok(text.length > 8 * 2 ** 20);
  assert.equal(readHelmIndex(text, "index.yaml").get("c35999")?.[0]?.version, "1.0.35999");
  const large = failsWith({ code: "FILE_TOO_LARGE", file: "index.yaml" });
  assert.throws(() => readHelmIndex(`x: y\n${text.replaceAll("entries", "Entries")}`, "index.yaml"), large);
  const one = readHelmIndex(`entries:\n  web:\n${"  - version: 1.0.0\n".repeat(470_000)}`, "index.yaml");
  assert.throws(() => one.get("web"), large);
});
