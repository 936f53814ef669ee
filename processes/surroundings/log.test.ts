import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createLog } from "./log.ts";

test("a log line is one line of printable text, whatever a stranger put into it", async () => {
  for (const format of ["text", "json"] as const) {
    const write = mock.method(process.stderr, "write", () => true);
    createLog({ format, level: "info", now: () => 0 }).warn(
      { account: "x\x1b[2J\nWARN forged\x9b", url: "https://u:hidden@x/" },
      "login failed",
    );
    await nextTurn();
    const line = String(write.mock.calls[0]?.arguments[0]);
    write.mock.restore();
    assert.match(line, /^[\x20-\x7e]+\n$/);
    assert.ok(line.includes("\\u001b[2J\\nWARN forged\\u009b") && !line.includes("hidden"), line);
  }
});

test("what is told of something does not take the place of the line's own fields", async () => {
  const write = mock.method(process.stderr, "write", () => true);
  createLog({ format: "json", level: "info", now: () => 0 }).info(
    { level: 2, msg: "other", app: "web" },
    "said",
  );
  await nextTurn();
  const { level, msg, app } = JSON.parse(String(write.mock.calls[0]?.arguments[0]));
  write.mock.restore();
  assert.deepEqual([level, msg, app], ["info", "said", "web"]);
});

test("lines of one turn go out together, in their order", async () => {
  const write = mock.method(process.stderr, "write", () => true);
  const log = createLog({ format: "text", level: "info", now: () => 0 });
  log.info({}, "first");
  log.warn({}, "second");
  await nextTurn();
  const texts = write.mock.calls.map(({ arguments: [text] }) => String(text));
  write.mock.restore();
  assert.equal(texts.length, 1);
  assert.match(texts[0] ?? "", /first\n.*second\n$/);
});
