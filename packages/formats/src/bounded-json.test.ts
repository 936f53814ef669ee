import assert from "node:assert/strict";
import { test } from "node:test";
import { isTooDeep, parseBoundedJson } from "./bounded-json.ts";
import { parseJson } from "./json.ts";

test("depth and values are counted in the text, strings aside", () => {
  assert.throws(() => parseBoundedJson(`${"[".repeat(1_001)}${"]".repeat(1_001)}`), /more than 1000 levels/);
  assert.throws(() => parseBoundedJson(`${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`), SyntaxError);
  assert.throws(() => parseBoundedJson(`[${"{},".repeat(300_000)}1]`), /more than 250000 values/);
  const brackets = "[{,".repeat(100_000);
  assert.deepEqual(parseBoundedJson(JSON.stringify({ [brackets]: `\\"${brackets}` })), {
    [brackets]: `\\"${brackets}`,
  });
  assert.ok(isTooDeep("[".repeat(5_000)));
  assert.ok(!isTooDeep("[[[]]]".repeat(5_000)));
});

test("long integers are exact wherever they stand, and nothing else becomes one", () => {
  const long = "12345678901234567890";
  assert.equal(parseJson(` -${long} `), -BigInt(long));
  assert.deepEqual(parseJson(`{"a":[-${long},{"${long}":${long}}],"b":"${long}","c":${long}.5}`), {
    a: [-BigInt(long), { [long]: BigInt(long) }],
    b: long,
    c: Number(`${long}.5`),
  });
  assert.equal(parseJson("9".repeat(100_000)), Number.POSITIVE_INFINITY);
  assert.deepEqual(parseJson(`[1e${long},0.5, "\\"${long}", 1000000000000000]`), [
    Number.POSITIVE_INFINITY,
    0.5,
    `"${long}`,
    1e15,
  ]);
  const odd = parseJson(`{"__proto__":${long}}`);
  assert.ok(typeof odd === "object" && odd !== null && Object.hasOwn(odd, "__proto__"));
  assert.equal(Object.getOwnPropertyDescriptor(odd, "__proto__")?.value, BigInt(long));
});

test("a text that is no JSON fails with words about itself", () => {
  const long = "12345678901234567890";
  for (const text of [
    `{${long}: 1}`,
    `{${long}\n: 1}`,
    `[0${long}]`,
    `[--${long}]`,
    `[+${long}]`,
    `[${long}x]`,
    `"${long}`,
    `[${long}`,
  ])
    assert.throws(
      () => parseJson(text),
      (error) => error instanceof SyntaxError && error.message === messageOf(text),
      text,
    );
});

function messageOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  return "it is JSON";
}

test("a text that is nested deeper than calls can be is read too", () => {
  const many = `[12345678901234567890,${"[".repeat(5_000)}1${"]".repeat(5_000)}]`;
  const read = parseJson(many);
  assert.ok(Array.isArray(read) && read[0] === 12345678901234567890n);
});
