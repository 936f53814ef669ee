import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSentYaml } from "./sent-yaml.ts";

test("YAML that is sent is read as Go reads it: its booleans, octal numbers, long integers and no dates", () => {
  assert.deepEqual(
    parseSentYaml("a: yes\nb: 0o17\nc: 017\nd: 12345678901234567890\ne: 2024-01-01\na: no\n"),
    {
      a: false,
      b: 15,
      c: 15,
      d: 12345678901234567890n,
      e: "2024-01-01",
    },
  );
  assert.deepEqual(parseSentYaml('{"a": "yes"}'), { a: "yes" });
});
