import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";

const program = join(import.meta.dirname, "..", "bin", "capstan.js");
/** Each Node that the start makes of itself tells how it was called. */
const telling = "--import=data:text/javascript,process.stderr.write(process.execArgv.join()+'|')";

async function calledWith(options: string): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: `${options} ${telling}`.trim() };
  return (await promisify(execFile)(process.execPath, [program, "up", "--help"], { env })).stderr;
}

test("up lets its memory grow slowly, unless whoever installs it has said how much", async () => {
  assert.equal(await calledWith(""), "|--max-semi-space-size=8,--heap-growing-percent=75|");
  assert.equal(await calledWith("--max-semi-space-size=8"), "|");
});
