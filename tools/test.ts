/**
 * `npm test [-- path…]`: the test files below the given paths, three at a time: on two cores one waits. Without a path
 * all but those named `….long.test.ts`, which take many programs' starts or a minute of their own; `--long` plays these
 * alone (.ci/run does, after the others).
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { sourceFiles } from "./source-files.ts";

const paths = process.argv.slice(2).filter((one) => !one.startsWith("-"));
const given = process.argv.slice(2).filter((one) => one.startsWith("-"));
const isLongWanted = given.includes("--long");
const flags = given.filter((one) => one !== "--long");
const isWanted = (file: string): boolean => {
  if (paths.length > 0) return paths.some((path) => file.startsWith(path));
  return file.endsWith(".long.test.ts") === isLongWanted;
};
const files = sourceFiles().filter((file) => file.endsWith(".test.ts") && isWanted(file));
if (files.length === 0) {
  console.error(`no test file below ${paths.join(", ")}`);
  process.exit(1);
}
// Each file is a process of its own: what many of them load is compiled once. The launcher has the same cache.
const compiled = fileURLToPath(new URL("../node_modules/.cache/capstan-compile", import.meta.url));
// Where a run decides over a landing, steadiness is worth more than the half minute; and only what hangs takes longer
// than the limit, also where others slow the machine down.
const { filesAtOnce, limitMs } = process.env.CI
  ? { filesAtOnce: 2, limitMs: 300_000 }
  : { filesAtOnce: 3, limitMs: 120_000 };
const { status } = spawnSync(
  process.execPath,
  ["--test", `--test-concurrency=${filesAtOnce}`, `--test-timeout=${limitMs}`, ...flags, ...files],
  { stdio: "inherit", env: { NODE_COMPILE_CACHE: compiled, ...process.env } },
);
process.exitCode = status ?? 1;
