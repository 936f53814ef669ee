import assert from "node:assert/strict";
import { test } from "node:test";
import { readSubmodules, submoduleUrl } from "./submodule-list.ts";

test("a list is read as git reads its settings", () => {
  const file = `# a comment
[submodule "one"]
\tpath = libs/one/
\turl = "https://git.example.com/one.git" ; the first
[core]
\tpath = elsewhere
[SubModule "two \\"quoted\\""] url = ../two
\tPath = two \\
words
[submodule "no address"]
\tpath = three
\tupdate = !touch /tmp/x
[submodule "one"]
\tbranch = main
\turl = https://git.example.com/later.git
`;
  assert.deepEqual(readSubmodules(Buffer.from(file)), [
    { path: "libs/one", url: "https://git.example.com/later.git" },
    { path: "two words", url: "../two" },
  ]);
  assert.throws(() => readSubmodules(Buffer.alloc(300 * 1024)), /\.gitmodules/);
});

test("paths and addresses of slashes are read in a moment", () => {
  const slashes = "/".repeat(120_000);
  const file = Buffer.from(`[submodule "one"]\npath = ${slashes}a\nurl = ../two\n`);
  assert.deepEqual(readSubmodules(file), [{ path: `${slashes}a`, url: "../two" }]);
  assert.equal(submoduleUrl("../two", `https://host/${slashes}a`), "https://host/two");
});

const absolute = ["https://h/a.git", "ssh://git@h:22/a", "git@h:a/b.git", "http://h/a", "git://h/a"];
for (const url of absolute)
  test(`${url} is where it says`, () => assert.equal(submoduleUrl(url, "https://other/x"), url));

const refused = [
  ...[
    "",
    "-uorigin",
    "--upload-pack=x",
    "ext::sh -c id",
    "fd::3",
    "file:///etc",
    "/etc",
    "a\nb://c",
    "C:",
    "x::y",
  ],
  ...["ftp://h/a", "https:///a", "oci://h/a", "../../../../x"],
];
for (const url of refused)
  test(`${JSON.stringify(url)} is nowhere`, () =>
    assert.equal(submoduleUrl(url, "https://git.example.com/team/app.git"), undefined));

const relative = [
  ["../lib.git", "https://h/team/app.git", "https://h/team/lib.git"],
  ["../../other/lib", "https://h/team/app.git/", "https://h/other/lib"],
  ["./sub", "https://h/team/app", "https://h/team/app/sub"],
  ["../lib", "git@h:team/app.git", "git@h:team/lib"],
  ["../lib", "ssh://git@h:22/team/app", "ssh://git@h:22/team/lib"],
  ["../lib", "file:///srv/git/app", "file:///srv/git/lib"],
] as const;
for (const [url, above, found] of relative)
  test(`${url} of ${above} is ${found}`, () => assert.equal(submoduleUrl(url, above), found));
