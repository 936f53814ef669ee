/**
 * `npm run argocd-cli [-- --short] [--only TEXT] [--mode plain|grpc-web|tls] [--verbose]`: the real `argocd` command
 * plays the same scripts against the real argocd-server and against Capstan; exit codes and what it prints are
 * compared. --short plays one script in each mode. Writes nothing.
 */
import { parseArgs } from "node:util";
import { lackingArgoCD, lackingRealCluster } from "@capstan/testkit";
import { argocdCliGaps, unsteady } from "../known-gaps.ts";
import { differences } from "../kube-api/difference.ts";
import { play, type Turn } from "./play.ts";
import { readStep, type Said, type Script } from "./script.ts";
import { lanes } from "./scripts/scripts.ts";
import { type Mode, modes, startWorlds, type Worlds } from "./worlds.ts";

const { values: flags } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
    only: { type: "string", default: "" },
    mode: { type: "string" },
  },
});

/** What waits for nothing in the clusters: calls, and refusals, of one group each. */
const shortScripts: Readonly<Record<Mode, string>> = {
  plain: "roles",
  "grpc-web": "accounts",
  tls: "sessions",
};

interface Verdict {
  readonly name: string;
  readonly calls: number;
  /** What differs, by the command as the ledger names it. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
}

/** An error of Argo CD's without a code of its own says nothing of which code is right. */
function withoutCode(real: Said | undefined, ours: Said | undefined): Said | undefined {
  if (!ours?.stderr || !real?.stderr?.some((line) => line.includes("code = Unknown "))) return ours;
  return { ...ours, stderr: ours.stderr.map((line) => line.replace(/code = \w+ /, "code = Unknown ")) };
}

async function judge(worlds: Worlds, turn: Turn): Promise<Verdict> {
  const { script, mode } = turn;
  const name = `${mode}/${script.name}`;
  const [real, ours] = await Promise.all([play(worlds.real, turn), play(worlds.ours, turn)]);
  const failures = new Map<string, readonly string[]>();
  for (const [index, step] of script.steps.entries()) {
    const { run } = readStep(step);
    const found = differences(real.said[index], withoutCode(real.said[index], ours.said[index]));
    if (found.length > 0) failures.set(`${script.name}: ${run}`, found);
    if (flags.verbose) console.log(`${name} $ ${run}\nreal: ${real.raw[index]}\nours: ${ours.raw[index]}`);
  }
  return { name, calls: script.steps.length, failures };
}

const isUnlisted = (command: string): boolean => !(command in argocdCliGaps);

/** Once more where something unlisted differs: the real controllers take their time on a busy machine. */
async function judgeFairly(worlds: Worlds, turn: Turn): Promise<Verdict> {
  const { script } = turn;
  const first = await judge(worlds, turn);
  const isFine = ![...first.failures.keys()].some(isUnlisted);
  const verdict = isFine || flags.verbose ? first : await judge(worlds, { ...turn, attempt: 2 });
  console.log(
    `${verdict.name}: ${verdict.calls - verdict.failures.size} of ${verdict.calls} calls agree${isFine ? "" : " (played twice)"}`,
  );
  for (const command of Object.keys(argocdCliGaps))
    if (command.startsWith(`${script.name}: `) && !verdict.failures.has(command))
      console.log(
        `${verdict.name} $ ${command.slice(script.name.length + 2)}\n    is in the ledger, and agrees`,
      );
  for (const [command, found] of verdict.failures) {
    if (!isUnlisted(command)) continue;
    console.log([`FAILED ${verdict.name} $ ${command}`, ...found.slice(0, 12)].join("\n    "));
  }
  return verdict;
}

const lacking = lackingRealCluster({ nodes: true }) || lackingArgoCD();
if (lacking !== false) {
  console.error(`compat/argocd-cli: ${lacking}`);
  process.exit(1);
}
const isMode = (text: string): text is Mode => text in modes;
const wantedModes = Object.keys(modes)
  .filter(isMode)
  .filter((mode) => (flags.mode ?? mode) === mode);
const isChosen = ({ name }: Script, mode: Mode): boolean =>
  name.includes(flags.only) && (!flags.short || name === shortScripts[mode]);
if (!wantedModes.some((mode) => lanes.flat().some((script) => isChosen(script, mode)))) {
  console.error(
    `compat/argocd-cli: nothing to play: --mode is one of ${Object.keys(modes).join(", ")}, --only a part of a script's name`,
  );
  process.exit(1);
}
await using worlds = await startWorlds();
const verdicts: Verdict[] = [];
for (const mode of wantedModes) {
  const playLane = async (lane: readonly Script[]) => {
    for (const script of lane.filter((one) => isChosen(one, mode)))
      verdicts.push(await judgeFairly(worlds, { script, mode, attempt: 1 }));
  };
  await Promise.all(lanes.map(playLane));
}
let failed = verdicts.flatMap(({ failures }) => [...failures.keys()].filter(isUnlisted)).length;
const differing = new Set(verdicts.flatMap(({ failures }) => [...failures.keys()]));
const isWhole = !flags.short && flags.only === "" && flags.mode === undefined;
for (const [command, reason] of Object.entries(argocdCliGaps)) {
  if (!isWhole || differing.has(command) || reason.startsWith(unsteady)) continue;
  failed += 1;
  console.log(`FAILED ${command} agrees now: strike it from compat/argocd-cli/known-gaps.json`);
}
const calls = verdicts.reduce((sum, one) => sum + one.calls, 0);
const apart = verdicts.reduce((sum, one) => sum + one.failures.size, 0);
console.log(
  `compat/argocd-cli: ${calls} calls in ${wantedModes.join(", ")}, ${calls - apart} agree, ${differing.size} differ, ${failed} not in compat/argocd-cli/known-gaps.json`,
);
process.exitCode = failed > 0 ? 1 : 0;
