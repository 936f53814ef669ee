import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFieldSelector } from "./field-selector.ts";
import { printLabelSelector, selectsLabels } from "./label-selector.ts";
import { parseLabelSelector } from "./parse-label-selector.ts";
import { SelectorError } from "./selector-error.ts";

const labels = { team: "web", "example.com/tier": "front" };

const cases: [string, boolean][] = [
  ["team=web", true],
  ["team==web", true],
  ["team!=web", false],
  ["absent!=web", true],
  ["team in (web, api)", true],
  ["team notin (web,api)", false],
  ["absent notin (web)", true],
  ["team", true],
  ["!team", false],
  ["!absent", true],
  ["team=web,example.com/tier=front", true],
  ["team in (web,api),example.com/tier=back", false],
  ["", true],
];

for (const [selector, expected] of cases) {
  test(`"${selector}" ${expected ? "matches" : "does not match"}`, () => {
    assert.equal(parseLabelSelector(selector)(labels), expected);
  });
}

test("what cannot be read is refused in apimachinery's words", () => {
  const refused: Readonly<Record<string, RegExp>> = {
    "team is web": /^unable to parse requirement: found 'is', expected: in, notin, =, ==, !=, gt, lt$/,
    "=": /^found '=', expected: !, identifier, or 'end of string'$/,
    "team,": /^found '', expected: identifier after ','$/,
    "team in web": /expected: '\('$/,
    "team>x": /for 'Gt', 'Lt' operators, the value must be an integer$/,
    "a b": /^unable to parse requirement: found 'b'/,
    "-a=b": /name part must consist of alphanumeric characters/,
    "a=-b": /a valid label must be an empty string or consist of/,
  };
  for (const [text, words] of Object.entries(refused))
    assert.throws(
      () => parseLabelSelector(text),
      (error) => error instanceof SelectorError && words.test(error.message),
      text,
    );
});

test("selectors are read in linear time", () => {
  assert.equal(parseLabelSelector(`a in (${",".repeat(8000)})`)({ a: "" }), true);
  assert.throws(() => parseLabelSelector(`!${" ".repeat(100_000)}!`), SelectorError);
  assert.throws(() => parseLabelSelector(`${"a.".repeat(50_000)}/`), SelectorError);
});

test("comparisons are of whole numbers", () => {
  assert.equal(parseLabelSelector("size>9")({ size: "10" }), true);
  assert.equal(parseLabelSelector("size<9")({ size: "10" }), false);
  assert.equal(parseLabelSelector("size>9")({ size: "x" }), false);
  assert.equal(parseLabelSelector("size>9")({}), false);
});

test("selectors of objects: matchLabels and matchExpressions, and as text", () => {
  const selector = {
    matchLabels: { b: "c" },
    matchExpressions: [
      { key: "a", operator: "In", values: ["y", "x"] },
      { key: "d", operator: "DoesNotExist" },
    ],
  };
  assert.equal(selectsLabels(selector, { a: "x", b: "c" }), true);
  assert.equal(selectsLabels(selector, { a: "x", b: "c", d: "" }), false);
  assert.equal(selectsLabels({}, {}), true);
  assert.equal(selectsLabels(undefined, {}), false);
  assert.equal(selectsLabels({ matchExpressions: [{ key: "constructor", operator: "Exists" }] }, {}), false);
  assert.equal(printLabelSelector(selector), "a in (x,y),b=c,!d");
  assert.equal(printLabelSelector({}), "");
});

test("field selectors: terms, operators and escapes", () => {
  assert.deepEqual(parseFieldSelector("a.b=c,d!=e\\,f,g==h"), [
    { path: "a.b", isEqual: true, value: "c" },
    { path: "d", isEqual: false, value: "e,f" },
    { path: "g", isEqual: true, value: "h" },
  ]);
  for (const text of ["a", "a=b=c", "a=b\\x", "a=b\\"])
    assert.throws(() => parseFieldSelector(text), SelectorError, text);
});
