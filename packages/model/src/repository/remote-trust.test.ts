import assert from "node:assert/strict";
import { test } from "node:test";
import { withTrust } from "./remote-trust.ts";

const trust = {
  authorities: { "git.example": "PEM of git", "constructor.example": "x" },
  knownHosts: [
    "git.example,192.0.2.1 ssh-ed25519 AAAA1",
    "[git.example]:2222 ssh-ed25519 AAAA2",
    "*.corp.example,!bad.corp.example ssh-rsa AAAA3",
    "|1|c2FsdA==|aGFzaA== ssh-rsa AAAA4",
    "other.example ssh-rsa AAAA5",
  ],
};

test("a repository carries the authorities of its own host, whatever the port", () => {
  const of = (url: string, type?: "oci") =>
    withTrust({ url, ...(type ? { type } : {}) }, trust).tlsAuthorities;
  assert.equal(of("https://GIT.example:8443/x"), "PEM of git");
  assert.equal(of("git.example/charts", "oci"), "PEM of git");
  assert.equal(of("oci://git.example/charts"), "PEM of git");
  assert.equal(of("https://git.example.evil/x"), undefined);
  assert.equal(of("https://constructor/x"), undefined);
  assert.equal(of("/srv/git.example"), undefined);
});

test("a repository over ssh carries the lines that may mean its host, hashed ones among them", () => {
  const of = (url: string) =>
    (withTrust({ url }, trust).knownHosts ?? "").split("\n").map((line) => line.slice(-1));
  assert.deepEqual(of("git@git.example:x"), ["1", "4"]);
  assert.deepEqual(of("ssh://git@git.example:2222/x"), ["2", "1", "4"]);
  assert.deepEqual(of("git@a.corp.example:x"), ["3", "4"]);
  assert.equal(withTrust({ url: "https://git.example/x" }, trust).knownHosts, undefined);
});

test("twenty thousand lines are looked through once", () => {
  const knownHosts = Array.from({ length: 20_000 }, (_, at) => `h${at}.example ssh-rsa A${at}`);
  const many = { authorities: {}, knownHosts };
  for (let at = 0; at < 20_000; at += 20) {
    const { knownHosts: own } = withTrust({ url: `git@h${at}.example:x` }, many);
    if (own !== `h${at}.example ssh-rsa A${at}`) assert.fail(own);
  }
});
