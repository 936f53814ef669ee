/**
 * `node bench/rbac.ts [--lines 1000,10000] [--questions 2000]`: a policy of that many lines, of which a tenth are
 * memberships: how long it takes to read and compile, how much memory it keeps, and how many checks it answers in a
 * second: of users, who have some roles each, and of groups. Half of the answers are no. Beside it Argo CD's packages
 * as compat/rbac/run.ts asks them (testenv group argocd-rbac); they keep answers, so that the first time and the next
 * are told apart.
 */
import { spawnSync } from "node:child_process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createEnforcer, parsePolicy } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { lacking, realProgramPath } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { type Figures, printFigures } from "./report.ts";

const options = {
  lines: { type: "string" },
  questions: { type: "string" },
} as const;
const { values } = programFlags({ options });
const sizes = (values.lines ?? "1000,10000").split(",").map((text) => wholeNumber("lines", text));
const questionCount = wholeNumber("questions", values.questions ?? "2000");

const peer = "argocd-rbac";
/** A first check takes the peer some hundred times as long. */
const peerQuestions = 100;

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

/** Teams of nine rules and a membership; every tenth rule denies. */
function policyOf(lines: number): string {
  const text: string[] = [];
  const actions = ["get", "sync", "create", "update", "delete", "action/*", "override", "update/*"];
  for (let team = 0; text.length < lines; team++) {
    text.push(`g, team-${team}-people, role:team-${team}`);
    for (const action of actions)
      text.push(`p, role:team-${team}, applications, ${action}, team-${team}/*, allow`);
    text.push(`p, role:team-${team}, applications, delete, team-${team}/prod-*, deny`);
  }
  return text.slice(0, lines).join("\n");
}

function questionsOf(lines: number) {
  const teams = Math.floor(lines / 10);
  return Array.from({ length: questionCount }, (_, index) => {
    const team = (index * 7) % teams;
    const groups = [`team-${team}-people`, `team-${(team + 1) % teams}-people`, "nobody-knows"];
    const object = `team-${index % 2 ? team : (team + 2) % teams}/app-${index}`;
    return {
      subject: `user-${index}`,
      groups,
      claims: true,
      resource: "applications",
      action: "sync",
      object,
    };
  });
}

function measureOurs(lines: number): Figures {
  const csv = policyOf(lines);
  collect();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  const policy = parsePolicy([{ name: "policy.csv", text: csv }]);
  const enforcer = createEnforcer({ policy });
  const compileMs = performance.now() - started;
  collect();
  const keptMb = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  const questions = questionsOf(lines);
  const round = () => {
    const begun = performance.now();
    let allowed = 0;
    for (const question of questions) if (enforcer.allows({ ...question, isForeign: true })) allowed++;
    if (allowed !== questionCount / 2)
      throw new Error(`${allowed} of ${questionCount} are allowed, not half of them`);
    return (performance.now() - begun) / questionCount;
  };
  const first = round();
  for (let warm = 0; warm < 10; warm++) round();
  const rounds = 50;
  const mean = Array.from({ length: rounds }, round).reduce((sum, ms) => sum + ms, 0) / rounds;
  return figures({ compileMs, keptMb, firstMs: first, nextMs: mean });
}

function measurePeer(lines: number): Figures {
  const batch = { csv: policyOf(lines), questions: questionsOf(lines).slice(0, peerQuestions), repeat: 1 };
  const { stdout } = spawnSync(realProgramPath(peer), [], {
    input: `${JSON.stringify(batch)}\n`,
    maxBuffer: 2 ** 26,
  });
  const answer: unknown = JSON.parse(stdout.toString());
  const number = (field: string) => (isRecord(answer) ? Number(answer[field]) : Number.NaN);
  return figures({
    compileMs: number("compileUs") / 1000,
    keptMb: number("bytes") / 2 ** 20,
    firstMs: number("checkUs") / 1000,
    nextMs: number("cachedUs") / 1000,
  });
}

function figures(cost: { compileMs: number; keptMb: number; firstMs: number; nextMs: number }): Figures {
  return {
    "compile ms": cost.compileMs,
    "memory MB": cost.keptMb,
    "µs a check, first time": cost.firstMs * 1000,
    "µs a check, again": cost.nextMs * 1000,
    "checks a second": Math.round(1000 / cost.nextMs),
  };
}

const missing = lacking(peer);
if (missing !== false) console.log(`argocd: skipped: ${missing}`);
for (const lines of sizes) {
  const results = [{ peer: "capstan", figures: measureOurs(lines) }];
  if (missing === false) results.push({ peer: "argocd", figures: measurePeer(lines) });
  printFigures(`rbac, ${lines} policy lines`, results);
}
