/** Ways in which a plugin could reach what is not its own: one test each. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { clock } from "../machine-clock.ts";
import { startPluginWorld, TestTree } from "../server/plugin-world.ts";
import { type Isolation, probeIsolation } from "./probe-isolation.ts";

type PluginWorld = Awaited<ReturnType<typeof startPluginWorld>>;

const sh = (script: string) => ({ command: ["sh", "-c", script] });
const shows = (script: string) => ({
  generate: sh(
    `printf 'apiVersion: v1\\nkind: Seen\\nmetadata:\\n  name: x\\nout: |\\n'; { ${script}; } 2>&1 | sed 's/^/  /'`,
  ),
});
const out = (outcome: {
  manifests: { json: string }[];
  done: { failure?: { message: string } | undefined };
}): string => {
  assert.equal(outcome.done.failure?.message, undefined);
  return JSON.parse(outcome.manifests[0]?.json ?? "{}").out ?? "";
};

const here = await probeIsolation(process.env.PATH ?? "", clock, AbortSignal.timeout(100_000));
const withoutSandbox: Isolation = {
  whyNoSandbox: "not in this test",
  isRoot: here.isRoot,
  ...(here.prlimit ? { prlimit: here.prlimit } : {}),
  ...(here.setpriv ? { setpriv: here.setpriv } : {}),
};
const needsSandbox = here.whyNoSandbox ?? false;
const needsRoot = here.isRoot && here.setpriv !== undefined ? false : "needs root and setpriv";
const tree = new TestTree({ f: "mine\n" });

/** Two repositories at the same time: one holds its directory open while the other looks for it. */
async function lookAround(spec: object, isolation: Isolation, script: string): Promise<string> {
  const holds = shows("echo secret-of-one > secret; until test -e release; do sleep 0.1; done");
  await using world = await startPluginWorld(
    [
      { ...holds, ...spec },
      { ...shows(script), ...spec },
    ],
    isolation,
  );
  const holding = world.run(tree, { repository: "https://git.example/one" });
  const held = await directoryWith("secret", world);
  const seen = out(await world.run(tree, { plugin: "p1", repository: "https://git.example/two" }));
  await writeFile(join(held, "release"), "");
  await holding;
  return seen;
}

/** The work directory in which a command has written the file by now. */
async function directoryWith(file: string, { base, directories }: PluginWorld): Promise<string> {
  for (let tries = 0; tries < 1_000; tries++) {
    const sources = (await directories()).map((name) => join(base, name, "source"));
    const found = sources.find((source) => existsSync(join(source, file)));
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error(`no command wrote ${file}`);
}

const search =
  "cat ../../*/source/secret /proc/[0-9]*/cwd/secret 2>/dev/null | grep -q secret-of-one && echo FOUND; echo end";

test("in the sandbox no other work directory is there, neither by .. nor by /proc", {
  skip: needsSandbox,
}, async () => {
  assert.equal(await lookAround({}, here, search), "end\n");
});

test("where a plugin asks for no isolation the same search finds it", async () => {
  assert.match(await lookAround({ isolation: "none" }, here, search), /FOUND/);
});

test("under a user of its own another repository's directory cannot be read", {
  skip: needsRoot,
}, async () => {
  const seen = await lookAround({ isolation: "sandbox" }, withoutSandbox, `${search}; id -u`);
  assert.doesNotMatch(seen, /FOUND/);
  assert.match(seen, /end\n[1-9]\d{4,}\n$/);
});

test("a file outside is neither written by a link nor kept by a hard link", { skip: needsRoot }, async () => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-outside-"));
  try {
    const outside = join(dir, "outside");
    await writeFile(outside, "original");
    const script = `ln -s ${outside} link; echo x > link; ln ${outside} hard; echo y > hard; ln f ../kept; ls; true`;
    await using world = await startPluginWorld([
      { ...shows(script), isolation: "sandbox" },
      shows("cat f; ls"),
    ]);
    out(await world.run(tree));
    assert.equal(await readFile(outside, "utf8"), "original");
    assert.equal(out(await world.run(tree, { plugin: "p1" })), "mine\nf\n");
  } finally {
    await rm(dir, { recursive: true });
  }
});

const late = `late of ${process.pid}`;
const daemon = `(setsid sh -c 'for i in $(seq 600); do echo ${late} >> f; sleep 0.1; done' >/dev/null 2>&1 &) ; sleep 0.1; true`;
for (const [name, isolation] of [
  ["in the sandbox", here],
  ["without one", withoutSandbox],
] as const)
  test(`what forks twice and leaves its group ends with its command ${name}`, async () => {
    await using world = await startPluginWorld([shows(daemon), shows("cat f; sleep 0.5; cat f")], isolation);
    out(await world.run(tree));
    assert.equal(out(await world.run(tree, { plugin: "p1" })), "mine\nmine\n");
    assert.equal(spawnSync("pgrep", ["-f", `echo ${late}`]).stdout.toString(), "");
  });

test("10 GB of output end at the limit", async () => {
  await using world = await startPluginWorld([{ generate: sh("head -c 10737418240 /dev/zero") }]);
  assert.equal((await world.run(tree)).done.failure?.code, "OUTPUT_TOO_LARGE");
});

test("a fork bomb is bounded by the processes of its user", { skip: needsRoot }, async () => {
  const bomb = "for i in $(seq 1 700); do sleep 600 & done; echo survived; kill $(jobs -p) 2>/dev/null; true";
  await using world = await startPluginWorld([{ generate: sh(bomb), isolation: "sandbox" }]);
  // The user is the repository's: other tests run beside this one as those of theirs.
  const { done, log } = await world.run(tree, { repository: "https://git.example/bomb" });
  assert.match(`${done.failure?.message} ${log}`, /fork/i);
});

test("ignoring SIGTERM does not help", async () => {
  await using world = await startPluginWorld([{ generate: sh("trap '' TERM; while :; do sleep 0.1; done") }]);
  const ended = world.run(tree, { deadlineMs: 1_500 }).then(
    ({ done }) => done.failure?.message ?? "",
    (error: unknown) => String(error),
  );
  assert.match(await ended, /killed|terminated|Deadline/);
});

test("no network where the plugin wants none", { skip: needsSandbox }, async () => {
  const script = "tail -n +3 /proc/net/dev | sed 's/:.*//; s/ //g'";
  await using world = await startPluginWorld([{ ...shows(script), network: false }]);
  assert.equal(out(await world.run(tree)), "lo\n");
});

test("what cannot be had is refused with a reason", async () => {
  const nothing: Isolation = { isRoot: false, whyNoSandbox: "no bwrap" };
  await assert.rejects(
    startPluginWorld([{ ...shows("true"), network: false }], nothing),
    /network.*no bwrap/,
  );
  await assert.rejects(
    startPluginWorld([{ ...shows("true"), isolation: "sandbox" }], nothing),
    /sandbox.*no bwrap/,
  );
});
