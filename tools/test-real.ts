/**
 * `npm run test:real [-- --short] [--no-skips] [--tested] [--groups] [suite…]`: the suites that need real programs.
 *
 * A suite whose programs are absent is skipped with its reason; with --no-skips (.ci/run, where they could be built)
 * that is a failure. --groups only prints the groups of `npm run testenv` that the suites need. --tested: npm test
 * has been played with the programs, so that what it plays is left out here.
 */
import { type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  lacking,
  lackingArgoCD,
  lackingOciRegistry,
  lackingRealCluster,
  lackingRealVault,
} from "@capstan/testkit";

interface Suite {
  readonly name: string;
  /** Of `npm run testenv`. */
  readonly groups: readonly string[];
  readonly lacking: () => string | false;
  readonly command: readonly string[];
  /** Arguments of the sample that CI runs; without them CI leaves the suite out. */
  readonly short?: readonly string[];
  /** The groups that the sample needs, where these are fewer: CI builds them anew for each landing. */
  readonly shortGroups?: readonly string[];
  /** Instead of the usual one. */
  readonly limitMs?: number;
  /** Files that `npm test` or the long suite plays as well, where the programs are there. */
  readonly isTested?: true;
  /** It mostly waits: its sample is played beside the others, and what it said is shown at its end. */
  readonly isIdle?: true;
}

/** A suite that has not ended by then hangs. */
const usualLimitMs = 3_600_000;

const suites: readonly Suite[] = [
  {
    name: "long",
    groups: [],
    lacking: () => false,
    command: ["tools/test.ts", "--long"],
    short: [],
  },
  {
    name: "attacks",
    groups: [],
    lacking: () => false,
    command: ["compat/attacks/run.ts"],
    short: ["--short"],
  },
  {
    name: "tenants",
    groups: [],
    lacking: () => false,
    command: ["compat/attacks/tenants.ts"],
    short: ["--short"],
  },
  {
    name: "soak",
    groups: [],
    lacking: () => process.platform !== "linux" && "it reads /proc",
    command: ["compat/soak/run.ts"],
    short: ["--short"],
    limitMs: 2 * 3_600_000,
    isIdle: true,
  },
  { name: "kills", groups: [], lacking: () => false, command: ["compat/kills/run.ts"], short: ["--short"] },
  {
    name: "kube-api",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["compat/kube-api/run.ts"],
    short: ["--short"],
  },
  {
    name: "operators",
    groups: ["kube", "helm3"],
    lacking: lackingRealCluster,
    command: ["compat/operators/run.ts"],
  },
  {
    name: "kube-random",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["compat/kube-api/random.ts"],
    short: ["--short"],
  },
  {
    name: "kubeconfigs",
    groups: ["kube"],
    lacking: lackingRealCluster,
    command: ["--test", "processes/up/kubeconfig.test.ts"],
    short: [],
    isTested: true,
  },
  {
    name: "test-servers",
    groups: ["helm3", "helm4", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helm4"),
    command: ["--test", "packages/testkit/src/servers/chart-servers.test.ts"],
    short: [],
    isTested: true,
    shortGroups: ["helm4", "registry"],
  },
  {
    name: "renderers",
    groups: ["helm3", "helm4", "kustomize", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helm3", "helm4", "kustomize"),
    command: ["--test", "compat/renderers/*.test.ts"],
  },
  {
    name: "helmfile",
    groups: ["helmfile", "helm3", "helm4", "registry"],
    lacking: () => lackingOciRegistry() || lacking("helmfile", "helm3", "helm4"),
    command: ["--test", "compat/renderers/helmfile*.test.ts"],
  },
  {
    name: "go-template",
    groups: ["go-template"],
    lacking: () => lacking("go-template"),
    command: ["compat/go-template/run.ts"],
    short: ["--short"],
  },
  {
    name: "expr",
    groups: ["expr"],
    lacking: () => lacking("expr"),
    command: ["compat/expr/run.ts"],
    short: ["--short"],
  },
  {
    name: "notification-services",
    groups: ["notifications"],
    lacking: () => lacking("notifications"),
    command: ["compat/notification-services/run.ts"],
    short: [],
  },
  {
    name: "nats",
    groups: ["notifications"],
    lacking: () => lacking("notifications", "nats-server"),
    command: ["--test", "compat/notification-services/nats.test.ts"],
    short: [],
    isTested: true,
  },
  {
    name: "cdk8s",
    groups: ["cdk8s"],
    lacking: () => lacking("cdk8s-app"),
    command: ["--test", "compat/cdk8s/go.long.test.ts"],
    short: [],
    isTested: true,
  },
  {
    name: "clients",
    groups: ["kube", "kwok", "helm3", "helm4"],
    lacking: () => lackingRealCluster({ nodes: true }) || lacking("kubectl", "helm4"),
    command: ["compat/clients/run.ts"],
    short: ["--short"],
    shortGroups: ["kube", "kwok", "helm4"],
  },
  {
    name: "argocd-cli",
    groups: ["argocd", "kube", "kwok"],
    lacking: () => lackingRealCluster({ nodes: true }) || lackingArgoCD(),
    command: ["compat/argocd-cli/run.ts"],
  },
  {
    name: "kpt",
    groups: ["kpt-functions", "opa", "registry", "crane"],
    lacking: () => lackingOciRegistry() || lacking("kpt-upsert-resource", "opa", "crane"),
    command: ["--test", "compat/kpt/*.test.ts"],
  },
  {
    name: "sops",
    groups: ["sops"],
    lacking: () => lacking("sops"),
    command: [
      "--test",
      "packages/sops-files/src/*.test.ts",
      "packages/sops-files/src/keys/*.test.ts",
      "plugins/sops/src/sops.test.ts",
      "processes/argocd-vault-plugin/generate.long.test.ts",
      "processes/up/secrets.test.ts",
    ],
    short: [],
    isTested: true,
  },
  {
    // Nothing builds OpenBao or Vault here: CAPSTAN_VAULT_PROGRAM names a program that is there,
    // CAPSTAN_AVP_PROGRAM an argocd-vault-plugin to compare with.
    name: "vault",
    groups: ["sops", "kube"],
    lacking: () => lackingRealVault() || lacking("sops") || lackingRealCluster(),
    command: [
      "--test",
      "compat/vault/*.test.ts",
      "packages/sops-files/src/keys/vault-transit.test.ts",
      "processes/up/pasted-plugin.long.test.ts",
      "processes/up/secrets.test.ts",
    ],
  },
  {
    name: "argocd",
    groups: ["argocd", "helm3", "kustomize"],
    lacking: () => lackingArgoCD() || lacking("helm3", "kustomize"),
    command: ["--test", "compat/argocd/*.test.ts", "packages/testkit/src/servers/cmp-server.test.ts"],
  },
  {
    name: "side-by-side",
    groups: ["argocd", "helm3", "kustomize"],
    lacking: () => lackingArgoCD() || lacking("helm3", "kustomize"),
    command: ["compat/argocd/side-by-side/run.ts"],
    limitMs: 2 * 3_600_000,
  },
  {
    name: "plugins",
    groups: ["argocd"],
    lacking: () => lacking("argocd-cmp-server"),
    command: ["--test", "compat/plugins/*.test.ts"],
  },
];

type Verdict = "ok" | "skipped" | "FAILED";

async function play(suite: Suite, isShort: boolean, stdio: StdioOptions = "inherit"): Promise<Verdict> {
  const { name, lacking: reasonToSkip, command, short = [], limitMs = usualLimitMs } = suite;
  const reason = reasonToSkip();
  if (reason !== false) {
    summary.push(`skipped ${name}: ${reason}`);
    return "skipped";
  }
  if (flags.tested && suite.isTested) {
    summary.push(`ok      ${name} (in npm test)`);
    return "ok";
  }
  const started = performance.now();
  const args = [...command, ...(isShort ? short : [])];
  const [status] = await once(spawn(process.execPath, args, { stdio, timeout: limitMs }), "exit");
  const verdict = status === 0 ? "ok" : "FAILED";
  summary.push(`${verdict.padEnd(7)} ${name} (${((performance.now() - started) / 1000).toFixed(0)} s)`);
  return verdict;
}

/** Beside others; what it says does not come between what they say. */
async function playBeside(suite: Suite): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-suite-"));
  try {
    await using said = await open(join(folder, "said"), "w");
    const verdict = await play(suite, true, ["ignore", said.fd, said.fd]);
    process.stdout.write(
      `\n${suite.name}, played beside the others:\n${await readFile(join(folder, "said"), "utf8")}`,
    );
    return verdict;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One after the other, but for those that mostly wait. */
async function playAll(all: readonly Suite[], isShort: boolean): Promise<Verdict[]> {
  const isBeside = ({ isIdle }: Suite) => isShort && isIdle === true;
  const beside = Promise.all(all.filter(isBeside).map(playBeside));
  const verdicts: Verdict[] = [];
  for (const suite of all.filter((one) => !isBeside(one))) verdicts.push(await play(suite, isShort));
  return [...verdicts, ...(await beside)];
}

const { values: flags, positionals: names } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    "no-skips": { type: "boolean", default: false },
    tested: { type: "boolean", default: false },
    groups: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(", ")}; there are ${suites.map(({ name }) => name).join(", ")}`);
  process.exit(2);
}
const summary: string[] = [];
const chosen = suites
  .filter(({ name }) => names.length === 0 || names.includes(name))
  .filter(({ short }) => !flags.short || short !== undefined);
const groupsOf = ({ groups, shortGroups = groups }: Suite) => (flags.short ? shortGroups : groups);
if (flags.groups) console.log([...new Set(chosen.flatMap(groupsOf))].join(" "));
else {
  const verdicts = await playAll(chosen, flags.short);
  for (const line of summary) console.log(line);
  if (verdicts.includes("skipped")) console.log("what is skipped for want of a program: npm run testenv");
  const bad: readonly Verdict[] = flags["no-skips"] ? ["FAILED", "skipped"] : ["FAILED"];
  process.exitCode = verdicts.some((verdict) => bad.includes(verdict)) ? 1 : 0;
}
