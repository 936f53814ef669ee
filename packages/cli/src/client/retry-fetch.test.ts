import assert from "node:assert/strict";
import { test } from "node:test";
import { retryingFetch } from "./retry-fetch.ts";

test("what a server said of a request that is asked again is given up, and its last word is kept", async () => {
  const said: Response[] = [];
  const direct = async () => {
    const answer = new Response("not now", { status: 503 });
    said.push(answer);
    return answer;
  };
  const { signal } = new AbortController();
  const io = { clock: { now: () => 0, sleep: () => Promise.resolve() }, signal };
  const ask = retryingFetch(direct, { io, retries: 2 });
  const last = await ask("http://cd.example/api", { method: "GET", headers: {}, signal });
  assert.equal(said.length, 3);
  assert.deepEqual(
    said.map(({ bodyUsed }) => bodyUsed),
    [true, true, false],
  );
  assert.equal(await last.text(), "not now");
});
