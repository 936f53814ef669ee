/** `npm run check`: every check, each with its time, two at once; all run even when one fails. */
import { spawn } from "node:child_process";
import { once } from "node:events";

/** The longest first. */
const steps: readonly (readonly [string, readonly string[]])[] = [
  ["types", ["tsc", "-p", "."]],
  ["generated files", ["npm", "run", "--silent", "check-generate"]],
  ["dead code", ["knip", "--no-progress"]],
  ["types of the page", ["tsc", "-p", "packages/ui"]],
  ["lint and format", ["biome", "check", "--error-on-warnings", "."]],
  ["imports", ["node", "tools/check-imports.ts"]],
  ["links", ["node", "tools/check-links.ts"]],
  ["sizes", ["node", "tools/check-sizes.ts"]],
  ["lock file", ["node", "tools/complete-lockfile.ts", "--check"]],
];
const stepsAtOnce = 2;

/** What it says comes at its end, not between what another one says. */
async function isPassed([name, [command = "", ...args]]: (typeof steps)[number]): Promise<boolean> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  const [status] = await once(child, "close");
  const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`${said}${status === 0 ? "ok    " : "FAILED"} ${name} (${took})`);
  return status === 0;
}

const waiting = steps.values();
let failed = 0;
async function work(): Promise<void> {
  for (const step of waiting) if (!(await isPassed(step))) failed += 1;
}
await Promise.all(Array.from({ length: stepsAtOnce }, work));
console.log(`check: ${steps.length - failed} of ${steps.length} passed`);
process.exitCode = failed > 0 ? 1 : 0;
