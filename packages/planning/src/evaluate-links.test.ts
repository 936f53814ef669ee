import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluateLinks } from "./evaluate-links.ts";

const application = {
  metadata: { name: "shop", labels: { team: "a b" } },
  spec: { destination: { namespace: "shop" } },
  status: { sync: { status: "OutOfSync" } },
};
const cluster = { server: "https://k", name: "east", labels: { region: "eu" } };
const link = (url: string, more: object = {}) => ({ title: "Logs", url, ...more });
const evaluate = (...links: Parameters<typeof evaluateLinks>[0]) =>
  evaluateLinks(links, { application, cluster });

test("an address is made by a Go template with sprig of the application, by both its names", async () => {
  const url =
    'https://logs.example/{{ .application.metadata.name | upper }}?t={{ index .app.metadata.labels "team" | urlquery }}&c={{ .cluster.labels.region }}';
  const { items, problems } = await evaluate(link(url, { description: "all", iconClass: "fa-scroll" }));
  assert.deepEqual(problems, []);
  assert.deepEqual(items, [
    {
      title: "Logs",
      url: "https://logs.example/SHOP?t=a+b&c=eu",
      description: "all",
      iconClass: "fa-scroll",
    },
  ]);
});

test("a condition in expr decides; one that fails, or is neither true nor false, is said", async () => {
  const url = "https://logs.example/";
  const { items, problems } = await evaluate(
    link(url, {
      title: "yes",
      condition: 'app.status.sync.status == "OutOfSync" and cluster.name startsWith "e"',
    }),
    link(url, { title: "no", condition: "application.spec.missing != nil" }),
    link(url, { title: "resource", condition: "resource.kind == 'Pod'" }),
    link(url, { title: "text", condition: "app.metadata.name" }),
    link(url, { title: "broken", condition: "app.metadata.name ==" }),
  );
  assert.deepEqual(
    items.map(({ title }) => title),
    ["yes"],
  );
  assert.match(
    problems.join("\n"),
    /"resource": cannot fetch kind from nil.*\n.*"text": .*neither true nor false\n.*"broken": unexpected/,
  );
});

test("only addresses of http and https are shown", async () => {
  const bad = [
    "javascript:alert(1)",
    "data:text/html,x",
    "x|javascript:alert(1)",
    "javascript:alert(1)//|https://x",
    "https://a b",
    "https://a\njavascript:x",
    "//example.com",
    "{{ .app.nothing.deeper }}",
    "{{ if }}",
    '{{ env "PATH" }}',
    `https://x/{{ repeat 100000 "x" }}`,
  ];
  for (const url of bad) {
    const { items, problems } = await evaluate(link(url));
    assert.deepEqual(items, [], url);
    assert.equal(problems.length, 1, url);
  }
});
