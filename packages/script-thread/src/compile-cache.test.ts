import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const asked = `
import module from "node:module";
import { ScriptThread } from ${JSON.stringify(new URL("./script-thread.ts", import.meta.url).href)};
import { systemClock } from "@capstan/flow";
const worker = new URL("data:text/javascript," + encodeURIComponent(\`
  import module from "node:module";
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", () => parentPort.postMessage({ answer: { value: [module.getCompileCacheDir(), process.env] }, spentMs: 0 }));
  parentPort.postMessage({ task: undefined, spentMs: 0 });
\`));
await using thread = new ScriptThread({ clock: systemClock, worker, what: "it", workerData: {}, timeMs: 10_000 });
const { value } = await thread.run({ run: 1, asker: "me" }, new AbortController().signal);
console.log(JSON.stringify({ same: value[0] === module.getCompileCacheDir(), variables: value[1] }));
`;

test("a thread of scripts has the compiled code of its process, and no other variable of it", () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-compiled-"));
  try {
    const env = { ...process.env, NODE_COMPILE_CACHE: folder };
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", asked], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      env,
    });
    assert.deepEqual(JSON.parse(said), { same: true, variables: { NODE_COMPILE_CACHE: folder } });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
