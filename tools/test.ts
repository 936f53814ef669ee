/** `npm test [-- path…]`: the test files below the given paths (default: all), two at a time. */
import { spawnSync } from "node:child_process";
import { sourceFiles } from "./source-files.ts";

const paths = process.argv.slice(2).filter((one) => !one.startsWith("-"));
const flags = process.argv.slice(2).filter((one) => one.startsWith("-"));
const files = sourceFiles().filter(
  (file) => file.endsWith(".test.ts") && (paths.length === 0 || paths.some((path) => file.startsWith(path))),
);
if (files.length === 0) {
  console.error(`no test file below ${paths.join(", ")}`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  ["--test", "--test-concurrency=2", "--test-timeout=120000", ...flags, ...files],
  { stdio: "inherit" },
);
process.exitCode = status ?? 1;
