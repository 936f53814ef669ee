import assert from "node:assert/strict";
import { test } from "node:test";
import { ProviderKeys } from "./provider-keys.ts";

const jwk = (kid: string) => ({ kid, kty: "RSA", alg: "RS256", use: "sig", n: "sXch", e: "AQAB" });
const token = { payload: "", signature: "" };

function world(...answers: (readonly string[] | Error)[]) {
  const time = { nowMs: 1_000_000 };
  let asked = 0;
  const keys = new ProviderKeys({
    url: "https://issuer.example/keys",
    clock: { now: () => time.nowMs, sleep: () => Promise.resolve() },
    ask: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      if (answer instanceof Error) throw answer;
      return { status: 200, type: "application/json", text: JSON.stringify({ keys: answer.map(jwk) }) };
    },
  });
  const find = async (kid: string) => keys.find({ alg: "RS256", kid }, token);
  return { time, find, asked: () => asked };
}

test("a provider whose keys are not to be had is asked for them now and then, whoever wants them", async () => {
  const { time, find, asked } = world(new Error("down"), ["one"]);
  for (let count = 0; count < 5; count += 1) await assert.rejects(find("one"), /down/);
  assert.equal(asked(), 1);
  time.nowMs += 5_000;
  await find("one");
  await find("one");
  assert.equal(asked(), 2);
});

test("made-up keys have a provider that does not answer asked no more often than one that does", async () => {
  const { time, find, asked } = world(["one"], new Error("down"), ["one", "two"]);
  await find("one");
  time.nowMs += 30_000;
  await assert.rejects(find("two"), /down/);
  for (let count = 0; count < 5; count += 1) await assert.rejects(find("two"), /no applicable key/);
  await find("one");
  assert.equal(asked(), 2);
  time.nowMs += 30_000;
  await find("two");
  assert.equal(asked(), 3);
});
