import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { systemClock as clock } from "@capstan/flow";
import { probeIsolation } from "../isolation/probe-isolation.ts";
import { startPluginWorld, TestTree } from "../server/plugin-world.ts";
import { classifyTouches } from "./classify-touches.ts";
import { readTraces } from "./read-trace.ts";

const here = await probeIsolation(process.env.PATH ?? "", clock, AbortSignal.timeout(100_000));
const skip = here.whyNoTrace ?? false;
/** A sandbox has a folder of its own there. */
const isHidden = [tmpdir(), "/tmp"].some((folder) => import.meta.filename.startsWith(`${folder}/`));

const files = {
  "app/main.k": "1",
  "app/lib/one": "1",
  "app/lib/two": "2",
  "app/link": { link: "../shared-values" },
  "shared-values": "v",
  unrelated: "u",
  "app/empty/x": "",
};

async function observe(script: string, isolation = here) {
  const generate = { command: ["sh", "-c", `{ ${script}; } >/dev/null`] };
  await using world = await startPluginWorld([{ generate, inputs: { observe: true } }], isolation);
  const { done } = await world.run(new TestTree(files), { path: "app" });
  assert.equal(done.failure?.message, undefined);
  return done.observed;
}

test("what was read, listed and looked for in vain, links and directories of children included", {
  skip,
}, async () => {
  const script =
    "cat main.k link; ls lib >/dev/null; cd lib; (cat ../absent one; test -e nothing/at/all; true) 2>/dev/null";
  const { read, listed, missed, unobservable } = (await observe(script)) ?? {};
  assert.deepEqual(read, ["app/lib/one", "app/link", "app/main.k", "shared-values"]);
  assert.deepEqual(listed, ["app/lib"]);
  assert.deepEqual(missed, ["app/absent", "app/lib/nothing/at/all"]);
  assert.deepEqual(unobservable, []);
});

test("what the run itself made is something that was not there", { skip }, async () => {
  const { read, missed, unobservable } =
    (await observe("cat main.k > made; cat made; t=$(mktemp); echo x > $t; cat $t; rm $t")) ?? {};
  assert.deepEqual([read, missed, unobservable], [["app/main.k"], ["app/made"], []]);
});

test("a file elsewhere and the network make it unobservable, with the reason", {
  skip: skip || (isHidden && "the checkout lies where a sandbox shows a folder of its own"),
}, async () => {
  const script = `cat ${import.meta.filename} >/dev/null; bash -c 'exec 3<>/dev/tcp/127.0.0.1/1' 2>/dev/null; true`;
  const { unobservable = [] } = (await observe(script)) ?? {};
  assert.ok(
    unobservable.some((reason) => reason.includes(import.meta.filename)),
    unobservable.join(),
  );
  assert.ok(unobservable.includes("it spoke to 127.0.0.1:1"), unobservable.join());
});

test("without strace nothing is observed, and the description says why", async () => {
  const { strace: _strace, ...rest } = here;
  const isolation = { ...rest, whyNoTrace: "strace is not installed" };
  assert.equal(await observe("true", isolation), undefined);
  const generate = { command: ["true"] };
  await using world = await startPluginWorld([{ generate, inputs: { observe: true } }], isolation);
  const { plugins } = await world.own.describe({}, { signal: AbortSignal.timeout(100_000) });
  assert.equal(plugins[0]?.inputs, undefined);
  assert.match(plugins[0]?.notes.join() ?? "", /whole repository counts: strace is not installed/);
});

test("traces are read by process, each from where it was forked", () => {
  const traces = new Map([
    [
      10,
      'chdir("sub") = 0\nvfork() = 11\nchdir("..") = 0\naccess("a\\303\\244 \\"q\\"", R_OK) = -1 ENOENT (No such file)\n',
    ],
    [
      11,
      'access("b", R_OK) = 0\nopenat(AT_FDCWD</r/other>, "c", O_RDONLY) = 3</r/other/c>\ngetdents64(4</r/other>, 0x0, 10) = 0\n',
    ],
  ]);
  assert.deepEqual(readTraces(traces, "/r"), {
    touches: [
      { act: "look", path: "/r/sub", found: true },
      { act: "look", path: "/r/sub/..", found: true },
      { act: "look", path: '/r/aä "q"', found: false },
      { act: "look", path: "/r/sub/b", found: true },
      { act: "open", path: "/r/other/c", found: true },
      { act: "list", path: "/r/other", found: true },
    ],
    network: [],
  });
});

test("a link out of the source is one, but nothing that it leads to", () => {
  const touches = [{ act: "open", path: "/r/out/x", found: true }] as const;
  const source = {
    root: "/r",
    path: "",
    known: [],
    identified: [],
    kindAt: (path: string) => (path === "out" ? ("symlink" as const) : undefined),
    linkAt: () => "../../etc",
  };
  const { read, missed } = classifyTouches({ touches, network: [] }, source);
  assert.deepEqual([read, missed], [["out"], ["out/x"]]);
});
