/** `capstan admin settings rbac` beside the real command: the same files, the same words, the same output and exit code. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { main } from "@capstan/cli";
import {
  type EmbeddedClusterProcess,
  lacking,
  realClock,
  realProgramPath,
  startEmbeddedCluster,
} from "@capstan/testkit";
import { sampleOf } from "@capstan/testkit/whole-suite";
import { Dice } from "../dice.ts";
import { generateBatch } from "./generate.ts";

const policy = `# people
p, role:dev, applications, *, team/*, allow
p, role:dev, applications, delete, */*, deny
p, "role:dev", exec, create, "{team,shared}/*", allow
p, org:team, extensions, invoke, *, allow

g, eve, role:dev
g, "cn=ops,dc=x", role:admin
g, bob, role:nothing
`;
const config = `apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-rbac-cm}
data:
  policy.default: role:reader
  policy.matchMode: regex
  policy.csv: "p, role:reader, applications, get, .*, allow"
  policy.more.csv: |
    p, eve, applications, sync, ^team-[0-9]+/, allow
`;
const files: Readonly<Record<string, string>> = {
  "policy.csv": policy,
  "short.csv": "p, eve, applications, get, */*, allow\np, eve, applications, sync\n",
  "quote.csv": 'g, "eve, role:admin\n',
  "bare.csv": 'p, e"ve, applications, get, */*, allow\n',
  "more.csv": "g, eve, role:admin, more\n",
  "unknown.csv": "x, eve, role:admin\n",
  "section.csv": "m, eve\np, eve, applications, get, */*, allow\n",
  "config.yaml": config,
  "empty.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-rbac-cm}\n",
};

/** Words behind `admin settings rbac`; a file behind `@`. */
const lines: readonly string[] = [
  "can eve get app --policy-file @policy.csv",
  "can eve get app * --policy-file @policy.csv",
  "can eve sync application team/web --policy-file @policy.csv",
  "can eve delete apps team/web --policy-file @policy.csv",
  "can eve action/apps/Deployment/restart app team/web --policy-file @policy.csv",
  "can eve create exec shared/web --policy-file @policy.csv",
  "can eve create exec other/web --policy-file @policy.csv",
  "can org:team invoke extension metrics --policy-file @policy.csv",
  "can cn=ops,dc=x update clusters https://kube --policy-file @policy.csv",
  "can cn=ops,dc=x update clusters https://kube --policy-file @policy.csv --use-builtin-policy=false",
  "can bob get proj x --policy-file @policy.csv --default-role role:readonly",
  "can bob get proj x --policy-file @policy.csv -q",
  "can admin get logs --policy-file @policy.csv",
  "can admin create cert --policy-file @policy.csv",
  "can eve frob app --policy-file @policy.csv",
  "can eve get frob --policy-file @policy.csv",
  "can eve get frob --policy-file @policy.csv --strict=false",
  "can eve sync/x app --policy-file @policy.csv",
  "can eve delete/x cluster --policy-file @policy.csv",
  "can eve update cert --policy-file @policy.csv",
  "can eve get app --policy-file @absent.csv",
  "can eve get app --policy-file @short.csv",
  "can eve get app --policy-file @section.csv",
  "can eve sync app team-12/web --policy-file @config.yaml",
  "can eve sync app team-x/web --policy-file @config.yaml",
  "can bob get app team-x/web --policy-file @config.yaml",
  "can bob get app team-x/web --policy-file @config.yaml --default-role role:none",
  "can eve get app",
  "can eve get app --policy-file @policy.csv --namespace argocd",
  "can eve get app --namespace argocd",
  "can eve delete app --namespace argocd",
  "can eve get app --namespace elsewhere",
  "validate --policy-file @policy.csv",
  "validate --policy-file @config.yaml",
  "validate --policy-file @section.csv",
  "validate --policy-file @short.csv",
  "validate --policy-file @quote.csv",
  "validate --policy-file @bare.csv",
  "validate --policy-file @more.csv",
  "validate --policy-file @unknown.csv",
  "validate --policy-file @empty.yaml",
  "validate --namespace argocd",
  "validate",
];

interface Outcome {
  readonly code: number;
  readonly out: string;
}

describe("admin settings rbac", { skip: lacking("argocd") }, () => {
  let folder: string;
  let cluster: EmbeddedClusterProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-rbac-"));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    cluster = await startEmbeddedCluster();
    const signal = AbortSignal.timeout(60_000);
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } };
    const metadata = { name: "argocd-rbac-cm", namespace: "argocd" };
    for (const object of [
      namespace,
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "policy.csv": policy } },
    ])
      await cluster.kube.create(object, { signal });
  });
  after(async () => {
    await cluster?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const ask = async (argv: readonly string[]): Promise<[ours: Outcome, real: Outcome]> => {
    const words = ["admin", "settings", "rbac", ...argv];
    return Promise.all([runOurs(words, { folder, cluster }), runReal(words, { folder, cluster })]);
  };

  for (const line of sampleOf(lines))
    test(line, async () => {
      const argv = line.split(" ").map((word) => word.replace(/^@/, `${folder}/`));
      const [ours, real] = await ask(argv);
      assert.deepEqual([ours.code, shownOf(ours)], [real.code, shownOf(real)]);
    });

  test("policies made at random", async () => {
    const random = new Dice(7);
    for (let asked = 0; asked < 25; ) {
      const { isOdd, matchMode, csv, questions } = generateBatch(random, 5);
      if (isOdd || matchMode === "regex") continue;
      await writeFile(join(folder, "generated.csv"), csv);
      for (const { subject, action, resource, object } of questions) {
        // pflag reads what begins with a dash as a flag, and the command knows no rollback.
        if (subject.startsWith("-") || action === "rollback") continue;
        const file = join(folder, "generated.csv");
        const [ours, real] = await ask([
          "can",
          subject,
          action,
          resource,
          object,
          "--policy-file",
          file,
          "--strict=false",
        ]);
        assert.deepEqual(ours, real, JSON.stringify({ csv, subject, action, resource, object }));
        asked++;
      }
    }
  });
});

/** The real command shows its help where words are wrong, and `<nil>` in place of what is wrong with a policy. */
function shownOf({ code, out }: Outcome): string {
  if (out.startsWith("Policy is invalid: ")) return "Policy is invalid";
  return code === 1 && out.includes("Usage:") ? "" : out;
}

interface World {
  readonly folder: string;
  readonly cluster: EmbeddedClusterProcess;
}

async function runOurs(argv: readonly string[], { folder, cluster }: World): Promise<Outcome> {
  let out = "";
  const code = await main(
    argv,
    {},
    {
      out: (text) => {
        out += text;
      },
      err: () => undefined,
      outIsTerminal: false,
      errIsTerminal: false,
      columns: 80,
      env: { KUBECONFIG: cluster.kubeconfig },
      home: folder,
      clock: realClock,
      signal: AbortSignal.timeout(60_000),
      readInput: async () => "",
      ask: async () => "",
    },
  );
  return { code, out };
}

async function runReal(argv: readonly string[], { folder, cluster }: World): Promise<Outcome> {
  const env = { KUBECONFIG: cluster.kubeconfig, HOME: folder, PATH: process.env.PATH };
  return new Promise((resolve) => {
    const run = execFile(realProgramPath("argocd"), argv, { env, timeout: 60_000 }, (_error, out) =>
      resolve({ code: run.exitCode ?? -1, out }),
    );
  });
}
