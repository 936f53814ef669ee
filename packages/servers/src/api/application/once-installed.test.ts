import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError } from "@capstan/model";
import { stoppedClock, turn } from "@capstan/testkit";
import { onceInstalled } from "./once-installed.ts";

const missing = () => new CapstanError({ code: "PLUGIN_MISSING", plugin: "late-v1.0", available: [] });

async function play(render: (at: number) => string) {
  const clock = stoppedClock();
  let asked = 0;
  const work = async () => {
    asked += 1;
    return render(clock.now());
  };
  const answer = onceInstalled(work, { clock, signal: new AbortController().signal }).then(
    (value) => value,
    (error: unknown) => error,
  );
  await turn();
  await clock.advance(60_000);
  return { answer: await answer, asked };
}

test("a plugin that is being started is waited for", async () => {
  const { answer } = await play((at) => {
    if (at < 400) throw missing();
    return "rendered";
  });
  assert.equal(answer, "rendered");
});

test("one that does not come is refused, after some questions", async () => {
  const { answer, asked } = await play(() => {
    throw missing();
  });
  assert.match(String(answer), /late-v1\.0/);
  assert.ok(asked > 2 && asked < 30, `asked ${asked} times`);
});

test("another failure is told at once", async () => {
  const { answer, asked } = await play(() => {
    throw new Error("app path does not exist");
  });
  assert.match(String(answer), /app path does not exist/);
  assert.equal(asked, 1);
});

test("who asked and went away is not waited for", async () => {
  const clock = stoppedClock();
  const ended = new AbortController();
  const answer = onceInstalled(() => Promise.reject(missing()), { clock, signal: ended.signal });
  ended.abort(new Error("gone"));
  await assert.rejects(answer, /gone/);
});
