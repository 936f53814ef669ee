import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalJson, equalJson, jsonAsText, parseJson, stringifyJson } from "./json.ts";

const texts = [
  '{"a":9007199254740993}',
  "[-9223372036854775808,18446744073709551615]",
  '{"a":"9007199254740993","b":1.5,"c":null,"d":[true]}',
  '{"a":123456789012345.6}',
];
for (const text of texts) {
  test(`${text} survives a round trip`, () => assert.equal(stringifyJson(parseJson(text)), text));
}

test("integers up to 2^53 are numbers, beyond they are exact", () => {
  assert.deepEqual(parseJson("[9007199254740991,9007199254740992]"), [9007199254740991, 9007199254740992n]);
});

test("equal values have equal canonical texts, whatever the order of their fields", () => {
  assert.equal(canonicalJson({ b: 1, a: [{ d: 1n, c: undefined }] }), '{"a":[{"d":1}],"b":1}');
  assert.equal(canonicalJson({ a: [{ d: 1 }], b: 1 }), canonicalJson({ b: 1, a: [{ d: 1n }] }));
});

const pairs: [unknown, unknown, boolean][] = [
  [{ a: 1, b: undefined }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: undefined }, { b: 1 }, false],
  [JSON.parse('{"__proto__":{}}'), {}, false],
  [{}, JSON.parse('{"__proto__":{}}'), false],
  [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}'), true],
  [{ constructor: 1 }, {}, false],
  [[1, 2], [1, 2], true],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  [1n, 1, true],
  ["1", 1, false],
];
for (const [left, right, expected] of pairs) {
  test(`${canonicalJson(left)} ${expected ? "equals" : "differs from"} ${canonicalJson(right)}`, () =>
    assert.equal(equalJson(left, right), expected));
}

test("what an object holds as text is written as it is, beside large numbers too, and parsed by nobody", () => {
  const text = '{"name":"$& \\n","deep":[1,{"a":18446744073709551616}]}';
  const holder = { toJSON: () => ({ held: jsonAsText(text) ?? "parsed", own: "x" }) };
  assert.equal(stringifyJson([holder, holder]), `[${[1, 2].map(() => `{"held":${text},"own":"x"}`)}]`);
  assert.equal(
    stringifyJson({ holder, large: 2n ** 70n }),
    `{"holder":{"held":${text},"own":"x"},"large":${2n ** 70n}}`,
  );
  assert.equal(JSON.stringify(holder), '{"held":"parsed","own":"x"}');
  assert.match(stringifyJson(holder, 1), /"parsed"/);
  const nested = { toJSON: () => ({ inner: stringifyJson(holder), outer: jsonAsText("[]") }) };
  assert.equal(stringifyJson(nested), `{"inner":${JSON.stringify(stringifyJson(holder))},"outer":[]}`);
});
