import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { stoppedClock } from "@capstan/testkit";
import { type Api, ApiError } from "../api.ts";
import { logInWith } from "./local-password.ts";

test("a password that the server has refused is not sent again for five minutes, another one is", async () => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-password-"));
  const [file, clock] = [join(folder, "admin-password"), stoppedClock()];
  const sent: unknown[] = [];
  const call = async (_name: string, { password }: { password: string }) => {
    sent.push(password);
    if (password !== "right") throw new ApiError("Invalid username or password", { code: 16, status: 401 });
    return { token: "a token" };
  };
  const api = { url: "http://127.0.0.1:1", call } as unknown as Pick<Api, "url" | "call">;
  const logIn = (password: string) => logInWith({ password, file }, { api, io: { clock } });
  try {
    await writeFile(file, "wrong\n");
    for (let time = 0; time < 6; time += 1)
      await assert.rejects(logIn("wrong"), /refused the password in .*admin-password.*capstan login SERVER/s);
    assert.deepEqual(sent, ["wrong"]);
    assert.equal(await logIn("right"), "a token");
    await clock.advance(5 * 60_000 + 1);
    await assert.rejects(logIn("wrong"));
    assert.deepEqual(sent, ["wrong", "right", "wrong"]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
