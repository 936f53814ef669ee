/** Ways in which a plugin could reach what is not its own: one test each. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock as clock } from "@capstan/flow";
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
  test(`what forks twice and leaves its group ends with its command ${name}`, {
    skip: spawnSync("setsid", ["--version"]).error ? "setsid is not installed" : false,
  }, async () => {
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

/** As where Capstan is no root: repositories have no users of their own, so that one's sandbox may wait for another. */
const oneUser: Isolation = {
  isRoot: false,
  ...(here.prlimit ? { prlimit: here.prlimit } : {}),
  ...(here.sandbox
    ? { sandbox: { bwrap: here.sandbox.bwrap, hasOwnUser: true, proc: here.sandbox.proc } }
    : {}),
};

/** The directory whose sandbox waits, if it is none of these. */
async function waitingDirectory(
  { base, directories }: PluginWorld,
  known: readonly string[] = [],
): Promise<string> {
  for (let tries = 0; tries < 1_000; tries++) {
    const all = (await directories()).map((name) => join(base, name)).filter((one) => !known.includes(one));
    const found = all.find((one) => shellDirectories().includes(join(one, "source")));
    if (found !== undefined) return found;
    await sleep(20);
  }
  throw new Error("no sandbox waits");
}

/** Of shells that were given nothing yet. */
function shellDirectories(): string[] {
  return processes()
    .filter(({ line }) => line.endsWith("/sh\0") && line.split("\0").length === 2)
    .map(({ directory }) => directory);
}

function commandLines(): string[] {
  return processes().map(({ line }) => line);
}

function processes(): { line: string; directory: string }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const line = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return [{ line, directory: readlinkSync(`/proc/${pid}/cwd`) }];
      } catch {
        return []; // it has ended, or shows nothing to this user
      }
    });
}

for (const [name, isolation] of [
  ["with users", here],
  ["without users", oneUser],
] as const)
  test(`a sandbox that waited is used once, and like one that did not, ${name}`, {
    skip: needsSandbox,
  }, async () => {
    const script = [
      "env | sort; id; ulimit -a; pwd; ls -A . /tmp $HOME; ls -l /proc/self/fd; cat; umask",
      "cut -d' ' -f 3- /proc/mounts | sort; grep -E '^(Cap|NoNew|Sig[BI])' /proc/self/status",
    ].join("; ");
    await using world = await startPluginWorld([shows(script)], isolation);
    const env = { ARGOCD_ENV_ODD: "a 'b' \"c\" $d `e`\nf" };
    const first = out(await world.run(tree, { env }));
    let [waiting, second] = ["", ""];
    // On a busy machine a shell is there before the server knows that it is.
    for (let tries = 0; tries < 20 && !second.includes(`${waiting}/source`); tries++) {
      waiting = await waitingDirectory(world);
      second = out(await world.run(tree, { env }));
    }
    assert.ok(second.includes(`${waiting}/source`), "another sandbox was used");
    const plain = (text: string) =>
      text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID").replaceAll(/pipe:\S+|\d\d:\d\d/g, "");
    assert.equal(plain(second), plain(first));
    assert.notEqual(await waitingDirectory(world), waiting);
  });

test("a command finds nothing of the one before it in a sandbox that waited, and leaves it nothing", {
  skip: needsSandbox,
}, async () => {
  const secret = `secret-${process.pid}`;
  const leave = `for at in . /tmp $HOME /dev/shm; do echo ${secret} > $at/left; done; export LEFT=${secret}`;
  const daemon = "(setsid sh -c 'while :; do echo late >> $HOME/late; sleep 0.05; done' >/dev/null 2>&1 &)";
  const look = `sleep 0.2; { env; find / -xdev -type f \\( -name left -o -name late \\) -exec cat {} +; cat /proc/[0-9]*/environ; } 2>/dev/null | tr '\\0' '\\n' | grep -c -e ${secret} -e late`;
  const spec = shows(`if test -e look; then ${look}; else ${leave}; ${daemon}; fi`);
  await using world = await startPluginWorld([spec], oneUser);
  await world.run(new TestTree({ f: "one\n" }), { repository: "https://git.example/one" });
  const waiting = await waitingDirectory(world);
  const other = await world.run(new TestTree({ look: "" }), { repository: "https://git.example/two" });
  assert.equal(out(other), "0\n");
  assert.ok(!existsSync(join(waiting, "scratch", "late")));
});

test("a file that has been replaced under its name is shown as it is now, also where a sandbox waited", {
  skip: needsSandbox,
}, async () => {
  const dir = await mkdtemp(join("/var/tmp", "capstan-replaced-"));
  try {
    const file = join(dir, "value");
    await chmod(dir, 0o755);
    await writeFile(file, "old");
    await using world = await startPluginWorld([{ ...shows(`cat ${file}`), readable: [file] }]);
    assert.equal(out(await world.run(tree)), "old\n");
    await waitingDirectory(world);
    await writeFile(`${file}.new`, "new");
    await rename(`${file}.new`, file);
    assert.equal(out(await world.run(tree)), "new\n");
  } finally {
    await rm(dir, { recursive: true });
  }
});

test("of sandboxes that wait four are kept, and none once the server has ended", {
  skip: needsRoot || needsSandbox,
}, async () => {
  let base = "";
  {
    await using world = await startPluginWorld([shows("true")]);
    base = world.base;
    const known: string[] = [];
    for (let index = 0; index < 6; index++) {
      await world.run(tree, { repository: `https://git.example/${index}` });
      known.push(await waitingDirectory(world, known));
    }
    const waiting = () =>
      new Set(
        commandLines().flatMap((line) => line.match(new RegExp(`${base}/[0-9a-f-]{36}/scratch`)) ?? []),
      );
    for (let tries = 0; waiting().size !== 4 && tries < 500; tries++) await sleep(20);
    assert.equal(waiting().size, 4);
  }
  for (let tries = 0; commandLines().some((line) => line.includes(base)) && tries < 500; tries++)
    await sleep(20);
  assert.ok(!commandLines().some((line) => line.includes(base)));
});
