import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";

const program = join(import.meta.dirname, "..", "bin", "capstan.js");
/** Each Node that the start makes of itself tells how it was called. */
const telling = "--import=data:text/javascript,process.stderr.write(process.execArgv.join()+'|')";

async function calledWith(options: string, command: readonly string[] = ["up"]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: `${options} ${telling}`.trim() };
  return (await promisify(execFile)(process.execPath, [program, ...command, "--help"], { env })).stderr;
}

test("up lets its memory grow slowly, unless whoever installs it has said how much", async () => {
  const others = "--heap-growing-percent=50,--memory-reducer-gc-count=1";
  assert.equal(await calledWith(""), `|--max-semi-space-size=4,${others}|`);
  assert.equal(await calledWith("--max-semi-space-size=8"), `|${others}|`);
  // Where the cluster is elsewhere there is room for more.
  for (const command of [["up", "--kubeconfig=other"], ["up", "--kubeconfig", "other"], ["controller"]])
    assert.equal(await calledWith("", command), `|--max-semi-space-size=16,${others}|`);
});

/** A program beside its bundle, each of which says which it is, and another source that the bundle is made of. */
async function bundledProgram(t: TestContext) {
  const top = await mkdtemp(join(tmpdir(), "capstan-bundled-"));
  t.after(() => rm(top, { recursive: true, force: true }));
  const saying = (text: string) => `export const runCapstan = async () => (console.log("${text}"), 0);\n`;
  const [bundle, source, other] = ["processes/dist", "processes/capstan.ts", "packages/other.ts"];
  await mkdir(join(top, bundle), { recursive: true });
  await mkdir(join(top, "packages"));
  await cp(program, join(top, "bin", "capstan.js"));
  await writeFile(join(top, "package.json"), '{"type":"module"}');
  await writeFile(join(top, source), saying("sources"));
  await writeFile(join(top, other), "export {};\n");
  await writeFile(join(top, bundle, "capstan.js"), saying("bundle"));
  const date = async (file: string) => {
    const { mtimeMs, size } = await stat(join(top, file));
    return [file, [mtimeMs, size]];
  };
  const dates = join(top, bundle, "sources.json");
  const made = JSON.stringify(Object.fromEntries([await date(source), await date(other)]));
  await writeFile(dates, made);
  const runs = async () =>
    (await promisify(execFile)(process.execPath, [join(top, "bin", "capstan.js"), "x"])).stdout.trim();
  return { other: join(top, other), dates, made, runs };
}

test("the bundle runs as long as it is made of the sources that are there", async (t) => {
  const { other, dates, made, runs } = await bundledProgram(t);
  assert.equal(await runs(), "bundle");
  await utimes(other, new Date(), new Date(2001, 1, 1));
  assert.equal(await runs(), "sources");
  await rm(other);
  assert.equal(await runs(), "sources");
  await writeFile(dates, made.slice(0, 10));
  assert.equal(await runs(), "sources");
  await rm(dates);
  assert.equal(await runs(), "sources");
});

test("what is installed comes without its sources' dates: its bundle always runs", async (t) => {
  const { other, dates, runs } = await bundledProgram(t);
  await writeFile(dates, "{}");
  await rm(other);
  assert.equal(await runs(), "bundle");
});
