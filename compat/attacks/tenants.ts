/**
 * Generated tenants: thousands of random manifests, hooks, options, Applications with forged status and operations, and
 * API calls of an account confined to one project. Afterwards the audit log of the embedded cluster and its state
 * say whether anything outside the project was read or changed: `npm run test:real -- tenants`, --short for 600,
 * --seed N to repeat a run.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually, sketchApplication, untilApplication } from "@capstan/testkit";
import { programFlags, wholeNumber } from "@capstan/testkit/program-flags";
import { Dice } from "../dice.ts";
import type { AttackWorld } from "./attack.ts";
import { modes } from "./modes.ts";
import { randomApplication } from "./tenants/applications.ts";
import { randomCall } from "./tenants/calls.ts";
import { judgeAudit } from "./tenants/judge.ts";
import { randomManifest } from "./tenants/manifests.ts";
import { compareStates, foreignState } from "./tenants/state.ts";
import { startAttackWorld } from "./world.ts";

const { values: flags } = programFlags({
  options: { short: { type: "boolean" }, seed: { type: "string" }, count: { type: "string" } },
});
const seed = wholeNumber("seed", flags.seed ?? String(flags.short ? 1 : 1 + (Date.now() % 1_000_000)));
/** Manifests and API calls together; half each. */
const count = wholeNumber("count", flags.count ?? (flags.short ? "600" : "10000"));
const manifestsEach = 2;
const batchSize = 40;

/** How often each status was answered, and each end of an application came: where nothing is ever permitted nothing is shown. */
const answers = new Map<string, number>();
const ends = new Map<string, number>();
const countOne = (tally: Map<string, number>, what: string) => tally.set(what, (tally.get(what) ?? 0) + 1);
const told = (tally: ReadonlyMap<string, number>): string =>
  [...tally]
    .toSorted(([, one], [, other]) => other - one)
    .map(([what, times]) => `${times}× ${what}`)
    .join(", ");

const signal = (): AbortSignal => AbortSignal.timeout(600_000);
const apiVersion = "argoproj.io/v1alpha1";

test(`${count} random acts of a tenant change and show nothing outside his project (seed ${seed})`, async (context) => {
  const dir = await mkdtemp(join(tmpdir(), "capstan-tenants-"));
  const auditLog = join(dir, "audit.log");
  try {
    const [mode] = modes;
    assert.ok(mode);
    await using world = await startAttackWorld(mode, ["--audit-log", auditLog, "--pod-ready-delay", "20"]);
    await deployRival(world);
    const before = await foreignState(world.capstan, isOwn);
    const since = Date.now();
    const dice = new Dice(seed);
    const applications = Math.ceil(count / 2 / manifestsEach);
    await fillRepository(world, dice, applications);
    let calls = 0;
    for (let done = 0; done < applications; done += batchSize) {
      const names = await createBatch(world, dice, {
        from: done,
        to: Math.min(applications, done + batchSize),
      });
      const share = Math.round(((done + names.length) / applications) * (count / 2));
      for (; calls < share; calls += 1) await callOnce(world, dice, names);
      await untilLookedAt(world, names);
      await deleteBatch(world, names);
    }
    context.diagnostic(`answers: ${told(answers)}`);
    context.diagnostic(`applications: ${told(ends)}`);
    const { trespasses, judged, floods } = await judgeAudit(auditLog, since);
    context.diagnostic(
      `requests judged: ${judged.tenant} for tenants, ${judged.own} writes of Capstan's own`,
    );
    assert.deepEqual(floods, []);
    const shown = trespasses
      .slice(0, 20)
      .map(({ why, event }) => `${why} (${event.verb} ${event.requestURI})`);
    assert.deepEqual(shown, [], `${trespasses.length} requests outside the project`);
    assert.deepEqual(compareStates(before, await foreignState(world.capstan, isOwn)), []);
    await world.assertUnharmed([]);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
});

/** Objects of team, and state that Capstan keeps of itself. */
function isOwn(kind: string, namespace: string, name: string): boolean {
  if (kind === "Application") return name.startsWith("random-") || name.startsWith("called-");
  return kind === "Secret" && namespace === "argocd" && /^(repo|creds|cluster|argocd-sessions)/.test(name);
}

async function deployRival({ at, capstan }: AttackWorld): Promise<void> {
  const application = sketchApplication({
    name: "rival-own",
    repoURL: `${at.gitUrl}/rival-app.git`,
    project: "rival",
    destination: { server: "https://kubernetes.default.svc", namespace: "rival-a" },
  });
  await capstan.kube.create(application, { signal: signal() });
  await untilApplication(capstan.kube, "rival-own", ({ sync }) => sync === "Synced");
}

async function fillRepository({ git }: AttackWorld, dice: Dice, directories: number): Promise<void> {
  const files = Array.from({ length: directories }, (_, index) => {
    const isModest = dice.chance(0.5);
    const documents = Array.from({ length: manifestsEach }, () =>
      JSON.stringify(randomManifest(dice, { isModest })),
    );
    return [`d${index}/all.yaml`, `${documents.join("\n---\n")}\n`] as const;
  });
  await git.createRepository("team-random", Object.fromEntries(files));
}

async function createBatch(
  world: AttackWorld,
  dice: Dice,
  { from, to }: { from: number; to: number },
): Promise<string[]> {
  const { at, capstan } = world;
  const names: string[] = [];
  for (let index = from; index < to; index += 1) {
    const name = `random-${index}`;
    const application = randomApplication(dice, { name, path: `d${index}`, gitUrl: at.gitUrl });
    // By the API, or as one who may write Applications in the cluster: then nobody checks it before the controller.
    if (dice.chance(0.3)) await answerTo(world, "POST /api/v1/applications", application);
    else await capstan.kube.create(asManifest(application), { signal: signal() });
    names.push(name);
  }
  return names;
}

function asManifest(application: object) {
  return application as Parameters<AttackWorld["capstan"]["kube"]["create"]>[0];
}

/** Of alice. One that never comes is said with the request. */
async function answerTo({ ask, capstan }: AttackWorld, line: string, body: unknown) {
  try {
    return await ask("alice", line, body === undefined ? {} : { body });
  } catch (cause) {
    throw new Error(`${line} ${JSON.stringify(body)} got no answer\n${capstan.output().slice(-3000)}`, {
      cause,
    });
  }
}

async function callOnce(world: AttackWorld, dice: Dice, applications: string[]): Promise<void> {
  const { at, capstan, assertUnharmed } = world;
  const { line, body } = randomCall(dice, { applications, gitUrl: at.gitUrl });
  const answer = await answerTo(world, line, body);
  countOne(answers, `${answer.status}`);
  if (answer.status === 500 || answer.status === 401)
    throw new Error(
      `${line} ${JSON.stringify(body)} answered ${answer.status}: ${JSON.stringify(answer.body)}\n${capstan.output().slice(-3000)}`,
    );
  try {
    await assertUnharmed([JSON.stringify(answer.body)]);
  } catch (error) {
    throw new Error(`${line} ${JSON.stringify(body)}`, { cause: error });
  }
}

/** Until each has been compared, or refused, and nothing runs. */
async function untilLookedAt({ capstan }: AttackWorld, names: readonly string[]): Promise<void> {
  let open: readonly string[] = names;
  await eventually(
    async () => {
      const { items } = await capstan.kube.list(
        { apiVersion, kind: "Application", namespace: "argocd" },
        signal(),
      );
      const own = items.filter((item) => names.includes(item.metadata.name ?? ""));
      open = own
        .filter((item) => !isDone({ ...item }))
        .map((item) => `${item.metadata.name} ${JSON.stringify(statusOf({ ...item }).operationState)}`);
      if (open.length > 0) return undefined;
      for (const item of own) countOne(ends, endOf({ ...item }));
      return true;
    },
    {
      signal: AbortSignal.timeout(120_000),
      describe: () => `${open.length} applications were never looked at: ${open.slice(0, 10).join(", ")}`,
    },
  );
}

interface LookedAt {
  sync?: object;
  conditions?: { type?: string }[];
  operationState?: { phase?: string; message?: string };
}

const statusOf = ({ status }: Record<string, unknown>): LookedAt => (status ?? {}) as LookedAt;

function endOf(application: Record<string, unknown>): string {
  const { conditions, operationState } = statusOf(application);
  return operationState?.phase ?? conditions?.[0]?.type ?? "compared";
}

function isDone(application: Record<string, unknown>): boolean {
  const { sync, conditions, operationState } = statusOf(application);
  const isLookedAt = sync !== undefined || (conditions?.length ?? 0) > 0;
  // A finalizer of the tenant's holds an object, or nobody confirms: such an operation waits for good, as it should.
  const waits = /^waiting for (deletion|pruning confirmation)/.test(operationState?.message ?? "");
  return isLookedAt && (operationState?.phase !== "Running" || waits);
}

/** Deletion runs the hooks of deletion, and prunes. A finalizer of the tenant may hold an object: nothing waits for it. */
async function deleteBatch({ capstan }: AttackWorld, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const ref = { apiVersion, kind: "Application", namespace: "argocd", name };
    const found = await capstan.kube.get(ref, signal());
    if (found) await capstan.kube.delete(ref, { signal: signal() });
  }
}
