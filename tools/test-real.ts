/**
 * `npm run test:real [-- --short] [suite…]`: the suites that need real programs (npm run testenv). A suite whose
 * programs are absent is skipped with its reason; with CI=true that fails where Go could have built them.
 */
import { spawnSync } from "node:child_process";
import { lackingRealCluster } from "@capstan/testkit";

interface Suite {
  readonly name: string;
  readonly lacking: () => string | false;
  readonly command: readonly string[];
  /** Arguments of the sample that CI runs. */
  readonly short: readonly string[];
}

const suites: readonly Suite[] = [
  {
    name: "kube-api",
    lacking: lackingRealCluster,
    command: ["compat/kube-api/run.ts"],
    short: ["--short"],
  },
];

const asked = process.argv.slice(2);
const isShort = asked.includes("--short");
const names = asked.filter((one) => one !== "--short");
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const hasGo = spawnSync("go", ["version"]).status === 0;
const isStrict = process.env.CI === "true" && hasGo;
const summary: string[] = [];
let failed = 0;
for (const { name, lacking, command, short } of suites) {
  if (names.length > 0 && !names.includes(name)) continue;
  const reason = lacking();
  if (reason !== false) {
    summary.push(`${isStrict ? "FAILED" : "skipped"} ${name}: ${reason}${hasGo ? "" : " (it needs Go)"}`);
    if (isStrict) failed += 1;
    continue;
  }
  const started = performance.now();
  const args = [...command, ...(isShort ? short : [])];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  const took = `${((performance.now() - started) / 1000).toFixed(0)} s`;
  summary.push(`${status === 0 ? "ok     " : "FAILED "} ${name} (${took})`);
  if (status !== 0) failed += 1;
}
for (const line of summary) console.log(line);
process.exitCode = failed > 0 ? 1 : 0;
