import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isSameRepository } from "./repository-address.ts";
import { entryFor, isChartName, permitsAddress } from "./source-rules.ts";

const facts: [fact: string, entries: string[], url: string, expected: boolean][] = [
  ["nothing listed permits nothing", [], "https://x/a", false],
  ["a star permits all", ["*"], "https://x/a/b", true],
  ["two stars go deeper", ["https://x/**"], "https://x/a/b", true],
  [".git, case and the port of the scheme make no difference", ["https://X:443/a.git"], "https://x/A/", true],
  ["another port is another place", ["https://x/a"], "https://x:8443/a", false],
  ["a way up leads out of the team", ["https://x/team-a/**"], "https://x/team-a/../team-b", false],
  ["nor an encoded one", ["https://x/team-a/**"], "https://x/team-a/%2e%2e/team-b", false],
  ["nor one that is encoded twice", ["https://x/team-a/**"], "https://x/team-a/%252e%252e/team-b", false],
  ["nor one with a backslash", ["https://x/team-a/**"], "https://x/team-a/..\\team-b", false],
  ["an encoded slash is no segment", ["https://x/team-a/*"], "https://x/team-a/b%2fc", false],
  ["double slashes count for nothing", ["https://x/team-a/*"], "https://x//team-a//app", true],
  ["a query is another address", ["https://x/team-a/**"], "https://x/team-a/app?x=/../../b", false],
  ["a user in front is no other host", ["https://x/**"], "https://x@evil.example/a", false],
  ["a user makes no difference in https", ["https://x/a"], "https://me:secret@x/a", true],
  ["the short form of ssh is ssh", ["ssh://git@x/a/b"], "git@x:a/b.git", true],
  ["patterns in the short form too", ["git@x:a/*"], "ssh://git@x:22/a/b", true],
  ["a way up in the short form", ["git@x:team-a/**"], "git@x:team-a/../team-b", false],
  ["a denial wins, wherever it stands", ["!https://x/secret", "*"], "https://x/secret", false],
  ["a denial holds for every spelling", ["*", "!https://x/secret"], "https://u@X:443//secret.git/", false],
  ["a denial holds for every user", ["*", "!ssh://git@x/secret"], "root@x:secret", false],
  ["a denial alone permits all else", ["!https://x/secret"], "https://x/a", true],
  ["what cannot be read is not all else", ["!https://x/secret"], "https://x/%73ecret/../secret", false],
  ["a registry without a scheme", ["reg.example:5000/team/*"], "oci://reg.example:5000/team/app", true],
  ["a registry's way up", ["oci://reg.example/team-a/**"], "reg.example/team-a/../team-b", false],
  ["a folder", ["/srv/git/*"], "file:///srv/git/app", true],
  ["a folder's way up", ["/srv/git/**"], "/srv/git/../../etc", false],
  ["folders have cases", ["/srv/Git/*"], "/srv/git/app", false],
  ["a name is no pattern", ["https://x/a"], "https://x/a/b", false],
];
for (const [fact, entries, url, expected] of facts)
  test(`sources: ${fact}`, () => assert.equal(permitsAddress(entries, url), expected));

test("no address below a permitted folder of a host leads anywhere else as curl and git read it", () => {
  const part = fc.constantFrom(
    "..",
    ".",
    "",
    "%2e%2e",
    "%2E.",
    "team-a",
    "team-b",
    "x",
    "%2f",
    "..;",
    "a.git",
  );
  const path = fc.array(part, { maxLength: 6 }).map((parts) => parts.join("/"));
  const prefix = fc.constantFrom(
    "https://x/team-a/",
    "HTTPS://X:443/team-a/",
    "https://u@x/team-a/",
    "https://x/",
  );
  fc.assert(
    fc.property(prefix, path, (start, rest) => {
      const url = start + rest;
      if (!permitsAddress(["https://x/team-a/**"], url)) return;
      const read = new URL(url);
      assert.match(read.pathname.replace(/\/{2,}/g, "/").toLowerCase(), /^\/team-a(\/|$)/);
      assert.equal(read.hostname, "x");
    }),
  );
});

test("long addresses and patterns take no time to speak of", () => {
  const slashes = "/".repeat(100_000);
  assert.equal(permitsAddress([`https://x${slashes}a`], `https://x/${slashes}`), false);
  assert.equal(permitsAddress([`${"a".repeat(50_000)}@`.repeat(2)], "git@x:a"), false);
});

test("chart names stay below their repository", () => {
  for (const name of ["redis", "team/redis", "a_b", "a.b-c"]) assert.ok(isChartName(name), name);
  for (const name of ["..", "../b", "a/../b", "a//b", "/a", "a/", "%2e%2e/b", "a?b", "a\\b", "", "a b"])
    assert.ok(!isChartName(name), name);
});

test("the entry for an address permits no other", () => {
  const scheme = fc.constantFrom(
    "https://",
    "HTTP://",
    "ssh://",
    "git@",
    "oci://",
    "",
    "/",
    "file:///",
    "!https://",
  );
  const host = fc.constantFrom("x", "x:443", "x:22", "x:", "u@x", "*", "[::1]");
  const part = fc.constantFrom(
    "a",
    "A",
    "%41",
    "b%20",
    "..",
    "%2e%2e",
    "*",
    "%2a",
    "{a}",
    "a.git",
    "",
    "?",
    "%5b",
  );
  const url = fc
    .tuple(scheme, host, fc.array(part, { maxLength: 3 }))
    .map(([before, at, parts]) => before + [at, ...parts].join("/"));
  const type = fc.constantFrom("git" as const, "oci" as const, "helm" as const);
  const isHttp = (one: string) => /^https?:/i.test(one);
  const withoutUser = (one: string) => (isHttp(one) ? one.replace("u@", "") : one);
  let permitted = 0;
  fc.assert(
    fc.property(url, type, url, (mine, kind, other) => {
      const entry = entryFor({ url: mine, type: kind });
      if (entry === undefined) return;
      assert.equal(permitsAddress([entry], mine), true, `${entry} permits not ${mine}`);
      if (!permitsAddress([entry], other)) return;
      permitted++;
      const same = (["git", "oci"] as const).some((bare) => isSameRepository(mine, withoutUser(other), bare));
      const explicit =
        isSameRepository(entry, withoutUser(other), "git") || isSameRepository(entry, other, "oci");
      assert.ok(same || explicit, `${mine}, as ${entry}, permits ${other}`);
    }),
    { numRuns: 20_000, seed: 13 },
  );
  assert.ok(permitted > 5, `only ${permitted} pairs`);
});
