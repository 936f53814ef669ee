import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const program = `const { preparedSettings } = await import(${JSON.stringify(join(import.meta.dirname, "system-settings.ts"))});
console.log(preparedSettings(["/etc/hosts"]).folder);
if (process.argv[1]) process.kill(process.pid, process.argv[1]);`;

test("the folder of a process that was killed is removed an hour later by the next one, and nothing else is", (t) => {
  const temporary = mkdtempSync(join(tmpdir(), "capstan-settings-"));
  t.after(() => rmSync(temporary, { recursive: true }));
  const run = (...signals: string[]): string => {
    const env = { ...process.env, TMPDIR: temporary };
    return spawnSync(process.execPath, ["--input-type=module", "-e", program, ...signals], {
      env,
      encoding: "utf8",
    }).stdout.trim();
  };
  const make = (name: string): string => {
    mkdirSync(join(temporary, name));
    return join(temporary, name);
  };
  const left = run("SIGKILL");
  assert.ok(existsSync(left));
  const running = make(`capstan-etc-${process.pid}-abc`);
  const formerly = make("capstan-etc-Xy12ab");
  const kept = make("kept");
  symlinkSync(kept, join(temporary, "capstan-etc-999999999-link"));
  run();
  assert.ok(existsSync(left), "what was made just now may be another's");
  const hours = new Date(Date.now() - 2 * 3_600_000);
  for (const path of [left, running, formerly, kept]) utimesSync(path, hours, hours);
  const ended = run();
  assert.ok(ended.startsWith(join(temporary, "capstan-etc-")));
  assert.deepEqual(
    readdirSync(temporary)
      .filter((name) => !name.endsWith("-link"))
      .sort(),
    [`capstan-etc-${process.pid}-abc`, "kept"],
  );
});
