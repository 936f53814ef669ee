/** `npm run check`: every check, each with its time; all run even when one fails. */
import { spawnSync } from "node:child_process";

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["types", ["tsc", "-p", "."]],
  ["types of the page", ["tsc", "-p", "packages/ui"]],
  ["lint and format", ["biome", "check", "--error-on-warnings", "."]],
  ["imports", ["node", "tools/check-imports.ts"]],
  ["links", ["node", "tools/check-links.ts"]],
  ["sizes", ["node", "tools/check-sizes.ts"]],
  ["dead code", ["knip", "--no-progress"]],
  ["lock file", ["node", "tools/complete-lockfile.ts", "--check"]],
  ["generated files", ["npm", "run", "--silent", "check-generate"]],
];

let failed = 0;
for (const [name, [command = "", ...args]] of steps) {
  const started = performance.now();
  const { status } = spawnSync(command, args, { stdio: "inherit" });
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${name} (${took})`);
  if (status !== 0) failed += 1;
}
console.log(`check: ${steps.length - failed} of ${steps.length} passed`);
process.exitCode = failed > 0 ? 1 : 0;
