import assert from "node:assert/strict";
import { test } from "node:test";
import { findJsonPath, printJsonPath } from "./json-path.ts";

const data = {
  name: "shop",
  ports: [80, 8080, 9090],
  labels: { "example.com/tier": "web" },
  servers: [
    { name: "a", cpu: 2, ready: true, tags: ["x", "y"] },
    { name: "b", cpu: 4, ready: false, tags: [] },
    { name: "c", cpu: 8, ready: true, tags: ["z"], note: null },
  ],
};

// What kubectl 1.36 prints of the same data (-o jsonpath).
const printed: Readonly<Record<string, string>> = {
  "hello {.name}!": "hello shop!",
  "{$.name}": "shop",
  "{.ports}": "[80,8080,9090]",
  "{.ports[*]}": "80 8080 9090",
  "{.ports[0]} {.ports[-1]}": "80 9090",
  "{.ports[0:2]}": "80 8080",
  "{.ports[:-1]}": "80 8080",
  "{.ports[0:3:2]}": "80 9090",
  "{.ports[1:1]}": "",
  "{.ports[0,2]}": "80 9090",
  "{.labels.example\\.com/tier}": "web",
  "{.labels['example\\.com/tier']}": "web",
  "{.servers[*]['name','cpu']}": "a b c 2 4 8",
  "{range .servers[*]}{.name}={.cpu}{'\\n'}{end}.": "a=2\nb=4\nc=8\n.",
  "{range .servers[0:-1:1]}{.name}{end}": "ab",
  "{range .servers[*]}{.name}:{range .tags[*]}{@},{end};{end}": "a:x,y,;b:;c:z,;",
  "{.servers[?(@.cpu>2)].name}": "b c",
  "{.servers[?(@.cpu<=4)].name}": "a b",
  '{.servers[?(@.name=="b")].cpu}': "4",
  "{.servers[?(@.name!='b')].cpu}": "2 8",
  "{.servers[?(@.ready==true)].name}": "a c",
  "{.servers[?(@.note)].name}": "c",
  "{..name}": "shop a b c",
  "{.servers[2].note}": "null",
  '{"{"}{.name}{"}"}': "{shop}",
};

for (const [template, expected] of Object.entries(printed))
  test(`jsonPath ${template}`, () => assert.equal(printJsonPath(template, data), expected));

const refused: Readonly<Record<string, RegExp>> = {
  "{.nothing}": /nothing is not found/,
  "{.ports[3]}": /there is no \[3\], the list has 3 items/,
  "{.ports[2:1]}": /ends before it begins/,
  "{.ports[0:3:0]}": /step of a slice must be above 0/,
  "{.name[0]}": /is no list/,
  "{.ports[a]}": /\[a\] is no index/,
  "{.ports": /a brace is not closed/,
  "{name}": /what is name\?/,
  "{range .ports[*]}{@}": /it has no \{end\}/,
  "{.name}{end}": /\{end\} without \{range\}/,
  "{.servers[?(@.name>2)].name}": /> cannot compare a string with a number/,
  "{.servers[?(@.name=>2)]}": /=> of .* is no comparison/,
  "{.servers[?(@.cpu>2]}": /a filter is not closed/,
};

for (const [template, expected] of Object.entries(refused))
  test(`jsonPath refuses ${template}`, () => assert.throws(() => printJsonPath(template, data), expected));

test("columns of custom resources: what is missing is nothing", () => {
  assert.deepEqual(findJsonPath(".nothing.at.all", data), []);
  assert.deepEqual(findJsonPath(".ports[7]", data), []);
  assert.deepEqual(findJsonPath('.servers[?(@.name=="b")].cpu', data), [4]);
  assert.deepEqual(findJsonPath(".labels.example\\.com/tier", data), ["web"]);
  assert.deepEqual(findJsonPath(".servers[*].tags[0]", data), []);
  assert.deepEqual(findJsonPath(".name[", data), []);
});

test("a path that finds a value in many ways ends", () => {
  let deep: unknown = {};
  for (let level = 0; level < 200; level++) deep = { a: deep, b: [1, 2] };
  assert.deepEqual(findJsonPath("..a".repeat(50), deep), []);
  assert.throws(() => printJsonPath(`{${"..a".repeat(50)}}`, deep), /jsonPath (?:finds|goes over) more than/);
});
