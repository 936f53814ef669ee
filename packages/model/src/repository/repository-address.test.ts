import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestTemplate,
  fitOfTemplate,
  isSameRepository,
  withoutUserinfo,
  withoutUserinfos,
} from "./repository-address.ts";

test("a template fits whole segments of one scheme, host and port", () => {
  const fits: [string, string, number][] = [
    ["https://github.com/", "https://github.com/org/app", 0],
    ["https://github.com", "https://GitHub.com:443/org/app.git", 0],
    ["https://github.com/org", "https://github.com/Org/app", 1],
    ["https://github.com/org/app.git", "https://github.com/org/app", 2],
    ["https://github.com/my%20org", "https://github.com/my%20org/app", 1],
    ["git@github.com:org", "ssh://git@github.com:22/org/app.git", 1],
    ["ssh://git@github.com/", "git@github.com:org/app", 0],
    ["https://org@dev.azure.com/org", "https://org:token@dev.azure.com/org/_git/app", 1],
    ["http://localhost:18404", "http://localhost:18404/x", 0],
  ];
  for (const [template, url, fit] of fits) assert.equal(fitOfTemplate(template, url), fit, url);
});

test("what only begins alike, or could be read as another host or path, is not what a template is for", () => {
  const others: [string, string][] = [
    ["http://localhost/", "http://localhost:18404/x"],
    ["https://github.com/", "https://github.com.evil.example/x"],
    ["https://github.com", "https://github.com@evil.example/x"],
    ["https://github.com", "https://github.com:443@evil.example/x"],
    ["https://github.com", "https://github.com\\@evil.example/x"],
    ["https://github.com", "https://github.com#@evil.example/x"],
    ["https://github.com", "https://github.com?@evil.example/x"],
    ["https://github.com", "https://evil.example\\.github.com/x"],
    ["https://github.com", "https://github\n.com/x"],
    ["https://github.com", "https:/github.com/x"],
    ["https://github.com", "https:github.com/x"],
    ["https://github.com", "http://github.com/x"],
    ["https://github.com", "https://github.com:8443/x"],
    ["https://github.com", "https://me@github.com/x"],
    ["https://github.com", "https://ｇithub.com/x"],
    ["https://github.com/org", "https://github.com/organisation/app"],
    ["https://github.com/org", "https://github.com/org/../other/app"],
    ["https://github.com/org", "https://github.com/org/%2e%2e/other/app"],
    ["https://github.com/org", "https://github.com/org%2f..%2fother/app"],
    ["https://github.com/org", "https://github.com/org%252f../app"],
    ["https://github.com/org", "https://github.com/other/org"],
    ["git@github.com:org", "root@github.com:org/app"],
    ["git@github.com:org", "git@github.com.evil.example:org/app"],
    ["ssh://git@github.com:22/org", "ssh://git@github.com:2222/org/app"],
    ["oci://ghcr.io/org", "https://ghcr.io/org/app"],
    ["file:///srv", "file:///srv/app"],
    ["/srv", "/srv/app"],
    ["", "https://github.com/x"],
    ["https://", "https://github.com/x"],
  ];
  for (const [template, url] of others) assert.equal(fitOfTemplate(template, url), undefined, url);
});

test("the longest path wins, and a registry's address may lack its scheme", () => {
  const templates = [
    { url: "https://github.com", name: "all" },
    { url: "https://github.com/org/team", name: "team" },
    { url: "https://github.com/org", name: "org" },
    { url: "ghcr.io/org", name: "registry", type: "oci" },
  ];
  const nameFor = (url: string) => bestTemplate(templates, url)?.name;
  assert.equal(nameFor("https://github.com/org/team/app"), "team");
  assert.equal(nameFor("https://github.com/org/teams/app"), "org");
  assert.equal(nameFor("https://github.com/organ/app"), "all");
  assert.equal(nameFor("oci://ghcr.io/org/charts"), "registry");
  assert.equal(nameFor("ghcr.io/org/charts"), "registry");
  assert.equal(nameFor("ghcr.io/organ/charts"), undefined);
});

test("ways of writing one repository are the same; a doubtful one is the same as text only", () => {
  const same: [string, string][] = [
    ["https://example.com/Org/Repo.git/", "https://EXAMPLE.com:443/org/repo"],
    ["git@example.com:org/repo", "ssh://git@example.com/org/repo.git"],
    ["file:///srv/Repo.git", "/srv/Repo"],
    ["https://example.com/a%2fb", "https://example.com/a%2fb "],
  ];
  for (const [left, right] of same) assert.ok(isSameRepository(left, right), left);
  const others: [string, string][] = [
    ["file:///srv/repo", "file:///srv/Repo"],
    ["https://example.com/a%2fb", "https://example.com/a/b"],
    ["https://example.com/org", "https://example.com/org/repo"],
    ["https://a@example.com/org", "https://b@example.com/org"],
  ];
  for (const [left, right] of others) assert.ok(!isSameRepository(left, right), left);
});

test("a URL is shown without user and password", () => {
  const shown: [string, string][] = [
    ["https://ada:secret@example.com/x.git", "https://example.com/x.git"],
    ["https://token@example.com/x.git", "https://example.com/x.git"],
    ["https://ada:p@ss@example.com", "https://example.com"],
    ["https://ada:p\\?s#s@example.com/x", "https://example.com/x"],
    ["https://ada:pa/ss@example.com/x", "https://example.com/x"],
    ["https://[::1]:8443/@x", "https://[::1]:8443/@x"],
    ["ssh://git@example.com/x.git", "ssh://git@example.com/x.git"],
    ["ssh://git:secret@example.com/x.git", "ssh://git@example.com/x.git"],
    ["https://example.com/@org/x", "https://example.com/@org/x"],
    ["git@example.com:x", "git@example.com:x"],
  ];
  for (const [url, text] of shown) assert.equal(withoutUserinfo(url), text);
  const said = "fatal: unable to access 'https://ada:secret@example.com/x/': timed out";
  assert.equal(withoutUserinfos(said), "fatal: unable to access 'https://example.com/x/': timed out");
  const several = "https://a.example,https://b:c@d.example 'HTTP://e:f'g@h.example'; git+ssh://i:j@k/l@m";
  assert.equal(
    withoutUserinfos(several),
    "https://a.example,https://d.example 'HTTP://h.example'; git+ssh://i@k/l@m",
  );
  assert.equal(withoutUserinfos("a".repeat(1_000_000)).length, 1_000_000);
  assert.equal(
    withoutUserinfos("see https://a.example: ask b@c.example"),
    "see https://a.example: ask b@c.example",
  );
  assert.equal(withoutUserinfo(`https://${"/".repeat(200_000)}x`).length, 200_009);
});
