import assert from "node:assert/strict";
import { test } from "node:test";
import { makeTokenCookies, readTokenCookies, shownBy } from "./session-cookie.ts";

const options = { secure: true, path: "/" };
const headerOf = (cookies: readonly string[]) => cookies.map((cookie) => cookie.split(";")[0]).join("; ");

test("a short token is one cookie", () => {
  const cookies = makeTokenCookies("abc", options);
  assert.deepEqual(cookies, ["__Host-argocd.token=abc; Path=/; SameSite=Lax; HttpOnly; Secure"]);
  assert.equal(readTokenCookies(`other=1; ${headerOf(cookies)}`), "abc");
});

test("a long token comes back whole from its pieces", () => {
  const token = "x".repeat(4000) + "y".repeat(4000) + "z".repeat(10);
  const cookies = makeTokenCookies(token, options);
  assert.equal(cookies.length, 3);
  assert.ok(cookies.every((cookie) => cookie.length < 4096));
  assert.equal(readTokenCookies(headerOf(cookies)), token);
});

test("below a path the cookie is the path's, and found again", () => {
  const cookies = makeTokenCookies("abc", { secure: true, path: "/argocd" });
  assert.deepEqual(cookies, ["__Secure-argocd.token=abc; Path=/argocd; SameSite=Lax; HttpOnly; Secure"]);
  assert.equal(readTokenCookies(headerOf(cookies)), "abc");
});

test("an empty token deletes the cookie", () => {
  assert.match(makeTokenCookies("", options)[0] ?? "", /^__Host-argocd\.token=; Max-Age=0/);
});

test("the bearer token comes before the cookie", () => {
  assert.equal(shownBy({ authorization: "Bearer a", cookie: "argocd.token=b" }).token, "a");
  assert.equal(shownBy({ authorization: "Basic a", cookie: "argocd.token=b" }).token, "b");
  assert.deepEqual(shownBy({}), { token: undefined, page: undefined });
});

test("a cookie that only TLS can set goes before one that any page of the host sets", () => {
  assert.equal(readTokenCookies("argocd.token=tossed; __Host-argocd.token=own"), "own");
  assert.equal(readTokenCookies("__Host-argocd.token=2:a; argocd.token-1=x; __Host-argocd.token-1=b"), "ab");
});
