import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTokenCookies, readTokenCookies, tokenOf } from "./session-cookie.ts";

const options = { secure: true, path: "/" };
const headerOf = (cookies: readonly string[]) => cookies.map((cookie) => cookie.split(";")[0]).join("; ");

test("a short token is one cookie", () => {
  const cookies = makeTokenCookies("abc", options);
  assert.deepEqual(cookies, ["argocd.token=abc; Path=/; SameSite=Lax; HttpOnly; Secure"]);
  assert.equal(readTokenCookies(`other=1; ${headerOf(cookies)}`), "abc");
});

test("a long token comes back whole from its pieces", () => {
  const token = "x".repeat(4000) + "y".repeat(4000) + "z".repeat(10);
  const cookies = makeTokenCookies(token, options);
  assert.equal(cookies.length, 3);
  assert.ok(cookies.every((cookie) => cookie.length < 4096));
  assert.equal(readTokenCookies(headerOf(cookies)), token);
});

test("an empty token deletes the cookie", () => {
  assert.match(makeTokenCookies("", options)[0] ?? "", /^argocd\.token=; Max-Age=0/);
});

test("the bearer token comes before the cookie", () => {
  assert.equal(tokenOf({ authorization: "Bearer a", cookie: "argocd.token=b" }), "a");
  assert.equal(tokenOf({ authorization: "Basic a", cookie: "argocd.token=b" }), "b");
  assert.equal(tokenOf({}), undefined);
});
