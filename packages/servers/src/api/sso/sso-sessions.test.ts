import assert from "node:assert/strict";
import { test } from "node:test";
import { stoppedClock } from "@capstan/testkit";
import type { Provider } from "./provider.ts";
import { SsoRefresh } from "./sso-sessions.ts";

test("a session that is refreshed keeps what is asked for again, and no more", async () => {
  const claims = { sub: "ada", iss: "https://id.example", exp: 0 };
  const tokens = { idToken: "new", accessToken: "access", refreshToken: undefined };
  const kept = async (userInfo?: { url: string; keepMs: undefined }) => {
    const provider = { settings: { userInfo }, verify: async () => claims, refresh: async () => tokens };
    const session = { idToken: "old", accessToken: undefined, refreshToken: "again", page: undefined };
    const refresh = new SsoRefresh(stoppedClock());
    const of = { ...session, id: "one", beganAtMs: 0 };
    return (await refresh.current(of, provider as unknown as Provider)).session;
  };
  const { idToken, accessToken, refreshToken } = await kept();
  assert.deepEqual([idToken, accessToken, refreshToken], ["new", undefined, "again"]);
  assert.equal((await kept({ url: "https://id.example/me", keepMs: undefined })).accessToken, "access");
});
