import assert from "node:assert/strict";
import { test } from "node:test";
import { containerScript } from "./container-script.ts";

const none = new Map<string, string>();
const texts = (words: string[], variables = none) =>
  containerScript(words, variables)?.lines.map(({ text }) => text);

test("true, false, exit and sleep end as they say", () => {
  assert.deepEqual(containerScript(["true"], none), { lines: [], durationMs: 0, exitCode: 0 });
  assert.equal(containerScript(["/bin/false"], none)?.exitCode, 1);
  assert.equal(containerScript(["exit", "7"], none)?.exitCode, 7);
  assert.equal(containerScript(["sleep", "1.5"], none)?.durationMs, 1500);
  assert.equal(containerScript(["sleep", "infinity"], none)?.durationMs, Number.POSITIVE_INFINITY);
});

test("a shell sequence prints at its times and ends with its exit code", () => {
  assert.deepEqual(containerScript(["sh", "-c", 'echo hi; sleep 2; echo "two words" && exit 3'], none), {
    lines: [
      { atMs: 0, text: "hi" },
      { atMs: 2000, text: "two words" },
    ],
    durationMs: 2000,
    exitCode: 3,
  });
});

test("&& and || skip what they must", () => {
  assert.deepEqual(texts(["/bin/sh", "-c", "false && echo no || echo yes; true || echo never"]), ["yes"]);
  assert.equal(containerScript(["bash", "-ec", "false; echo on"], none)?.exitCode, 1);
  assert.deepEqual(texts(["sh", "-c", "set -e\nfalse || echo handled\necho end"]), ["handled", "end"]);
});

test("variables and Kubernetes' references are replaced", () => {
  const variables = new Map([["NAME", "web"]]);
  assert.deepEqual(texts(["sh", "-c", "echo a-$NAME '$NAME' \"${NAME}!\""], variables), ["a-web $NAME web!"]);
  assert.deepEqual(texts(["echo", "$(NAME)", "$$(NAME)", "$(OTHER)"], variables), ["web $(NAME) $(OTHER)"]);
});

test("echo -n joins lines", () => {
  assert.deepEqual(texts(["sh", "-c", "echo -n a; echo b; echo c"]), ["ab", "c"]);
});

test("anything else is not simulated", () => {
  for (const script of [
    "nginx",
    "echo a | cat",
    "echo $(date)",
    "for i in 1; do echo; done",
    "echo 'open",
    "sleep",
  ]) {
    assert.equal(containerScript(["sh", "-c", script], none), undefined, script);
  }
  assert.equal(containerScript(["nginx", "-g", "daemon off;"], none), undefined);
  assert.equal(containerScript([], none), undefined);
});
