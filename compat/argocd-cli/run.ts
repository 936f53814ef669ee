/**
 * `npm run argocd-cli [-- --short] [--only TEXT] [--mode plain|grpc-web|tls] [--verbose]`: the real `argocd` command
 * plays the same scripts against the real argocd-server and against Capstan; exit codes and what it prints are
 * compared. --short plays one script in each mode. Writes nothing.
 */
import { lackingArgoCD, lackingRealCluster } from "@capstan/testkit";
import { programFlags } from "@capstan/testkit/program-flags";
import { argocdCliGaps } from "../known-gaps.ts";
import { compareScene, Ledger, type Verdict } from "../verdicts.ts";
import { play, type Turn } from "./play.ts";
import { readStep, type Said, type Script } from "./script.ts";
import { lanes } from "./scripts/scripts.ts";
import { type Mode, modes, startWorlds, type Worlds } from "./worlds.ts";

const { values: flags } = programFlags({
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

const ledger = new Ledger(argocdCliGaps, "compat/argocd-cli/known-gaps.json");

/** An error of Argo CD's without a code of its own says nothing of which code is right. */
function withoutCode(real: Said | undefined, ours: Said): Said {
  if (!ours.stderr || !real?.stderr?.some((line) => line.includes("code = Unknown "))) return ours;
  return { ...ours, stderr: ours.stderr.map((line) => line.replace(/code = \w+ /, "code = Unknown ")) };
}

async function judge(worlds: Worlds, turn: Turn): Promise<Verdict> {
  const { script, mode } = turn;
  const [real, ours] = await Promise.all([play(worlds.real, turn), play(worlds.ours, turn)]);
  return compareScene({
    name: `${mode}/${script.name}`,
    script: script.name,
    runs: script.steps.map((step) => readStep(step).run),
    real,
    ours: { ...ours, said: ours.said.map((said, index) => withoutCode(real.said[index], said)) },
    isVerbose: flags.verbose,
  });
}

/** Once more where something unlisted differs: the real controllers take their time on a busy machine. */
async function judgeFairly(worlds: Worlds, turn: Turn): Promise<Verdict> {
  const { script } = turn;
  const first = await judge(worlds, turn);
  const isFine = ledger.unlisted(first).length === 0;
  const verdict = isFine || flags.verbose ? first : await judge(worlds, { ...turn, attempt: 2 });
  console.log(
    `${verdict.name}: ${verdict.steps - verdict.failures.size} of ${verdict.steps} calls agree${isFine ? "" : " (played twice)"}`,
  );
  for (const command of ledger.listedAndAgreeing(verdict, script.name))
    console.log(
      `${verdict.name} $ ${command.slice(script.name.length + 2)}\n    is in the ledger, and agrees`,
    );
  ledger.print(verdict);
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
const isWhole = !flags.short && flags.only === "" && flags.mode === undefined;
process.exitCode = ledger.conclude(verdicts, {
  suite: `compat/argocd-cli in ${wantedModes.join(", ")}`,
  isWhole,
});
