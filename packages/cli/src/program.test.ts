import assert from "node:assert/strict";
import { test } from "node:test";
import { defineCommand, type Flags, UsageError } from "./command.ts";
import type { Program } from "./program.ts";
import { runMain } from "./test-main.ts";

const seen: unknown[] = [];
const flags = {
  secret: { kind: "string", short: "s", help: "A secret", value: "NAME" },
} as const satisfies Flags;

const fill = defineCommand({
  usage: "PATH [-- WORD...]",
  help: "Fill a file.",
  notes: "What else there is.\n",
  argument: "file",
  arity: [1, 1],
  standsAlone: true,
  passesOn: true,
  flags: { ...flags, old: { kind: "boolean", help: "Gone", hidden: true } },
  async run({ args, flags: given, behindDashes }) {
    seen.push([args, given, behindDashes]);
    if (args[0] === "wrong") throw new UsageError("it is wrong");
    if (args[0] === "broken") throw new Error("it is broken");
    return 3;
  },
});

const edit = defineCommand({
  usage: "",
  help: "Edit.",
  argument: "none",
  arity: [0, 9],
  verbatim: true,
  flags: {},
  run: async ({ args }) => void seen.push(args),
});

const program: Program = {
  commands: [
    {
      name: "filler do fill",
      aliases: ["filler fill"],
      summary: "Fill",
      load: async () => ({ default: fill }),
    },
    {
      name: "editor",
      summary: "Edit",
      hidden: true,
      program: "real-editor",
      load: async () => ({ default: edit }),
    },
  ],
  groups: [
    {
      name: "filler",
      program: "real-filler",
      summary: "Fills",
      flags,
      instead: { empty: "pour it out" },
      endings: { prefix: "Oh: ", usage: 2, failed: 5 },
    },
  ],
};
const clock = { now: () => 0, sleep: async () => undefined };
const run = (argv: readonly string[], calledAs = "capstan") =>
  runMain(argv, { clock, program: { ...program, calledAs } });

test("a command that a program brings is called as the others are, also by its short form and its link", async () => {
  const ways = [
    [["filler", "do", "fill", "x", "-s", "a"], "capstan"],
    [["filler", "fill", "x", "-s", "a"], "capstan"],
    [["fill", "-s", "a", "x"], "real-filler"],
    [["-s", "a", "fill", "x"], "real-filler.js"],
  ] as const;
  for (const [argv, calledAs] of ways) {
    seen.length = 0;
    assert.equal((await run(argv, calledAs)).code, 3);
    assert.deepEqual(seen, [[["x"], { secret: "a" }, []]], argv.join(" "));
  }
});

test("what stands behind -- is no argument of one that passes it on", async () => {
  seen.length = 0;
  assert.equal((await run(["filler", "fill", "x", "--", "--a", "b"])).code, 3);
  assert.deepEqual(seen, [[["x"], {}, ["--a", "b"]]]);
});

test("verbatim words are not read, --help neither", async () => {
  seen.length = 0;
  await run(["add", "--help", "-f", "--", "x"], "real-editor");
  assert.deepEqual(seen, [["add", "--help", "-f", "--", "x"]]);
});

test("it fails as its group says, and others as argocd does", async () => {
  assert.deepEqual(await run(["filler", "fill", "wrong"]), { code: 2, out: "", err: "Oh: it is wrong\n" });
  assert.deepEqual(await run(["filler", "fill", "broken"]), { code: 5, out: "", err: "Oh: it is broken\n" });
  const unknown = await run(["filler", "fill", "x", "--sekret=a"]);
  assert.equal(unknown.code, 2);
  assert.equal(
    unknown.err,
    "Oh: unknown flag: --sekret; did you mean --secret?\nSee real-filler do fill --help\n",
  );
  assert.match(
    (await run(["filler", "empty"])).err,
    /^Oh: unknown command: real-filler empty; pour it out\n/,
  );
  assert.equal((await run(["app", "wait"])).code, 1);
});

test("its help has its own flags and notes, and no global flag", async () => {
  const help = (await run(["filler", "fill", "--help"])).out;
  const expected =
    "Fill a file.\n\nUsage: real-filler do fill PATH [-- WORD...] [flags]\n\nFlags:\n" +
    "  -h, --help         Show this\n  -s, --secret NAME  A secret\n\nWhat else there is.\n";
  assert.equal(help, expected);
  for (const asked of [
    ["help", "filler", "fill"],
    ["filler", "help", "fill"],
  ])
    assert.equal((await run(asked)).out, expected);
});

test("a group and the whole are listed without what is hidden", async () => {
  for (const asked of [["filler"], ["filler", "do"], ["help", "filler"]]) {
    const { code, out } = await run(asked);
    assert.equal(code, 0);
    assert.match(out, /^Fills\.\n\nUsage: real-filler COMMAND\n\nCommands:\n {2}do fill {2}Fill\n/);
  }
  const all = (await run([])).out;
  assert.match(all, / {2}filler +Fills\n/);
  assert.doesNotMatch(all, /editor/);
});

test("a group whose commands have another name is shown by that too", async () => {
  const { out } = await run(["admin", "rbac", "--help"]);
  assert.equal(out, (await run(["admin", "settings", "rbac", "--help"])).out);
  assert.match(out, /^Usage: capstan admin settings rbac COMMAND\n[\s\S]*\n {2}can /);
  assert.match((await run(["admin", "--help"])).out, /^Usage: capstan admin COMMAND\n/);
});

test("a shell completes its words, flags and nothing hidden", async () => {
  const complete = async (...words: string[]) =>
    (await run(["__complete", "--", ...words])).out.split("\n").map((line) => line.split("\t")[0]);
  assert.deepEqual(await complete("fil"), ["filler", ""]);
  assert.deepEqual(await complete("filler", ""), ["do", "fill", ""]);
  assert.deepEqual(await complete("filler", "fill", "--"), ["--secret", "--help", ""]);
  assert.deepEqual(await complete("edi"), [""]);
});
