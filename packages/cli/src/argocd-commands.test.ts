/**
 * Every command and flag of `argocd` 3.2.11 (its own --help) is there, or stands in the ledger with a reason. Of what
 * says how kubectl would reach a cluster, only --kubeconfig, --context and --namespace count.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Flags, flagsOf, globalFlags } from "./command.ts";
import { commands } from "./commands.ts";
import gapList from "./testdata/argocd-command-gaps.json" with { type: "json" };
import commandList from "./testdata/argocd-commands.json" with { type: "json" };

interface ArgocdCommand {
  /** `boolean` or `value`, behind the short form: `-o value`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly aliases?: readonly string[];
}

const argocd: Readonly<Record<string, ArgocdCommand>> = commandList;
/** `app sync` or `app sync --flag`. */
const gaps = new Map(
  Object.entries(gapList).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
);

async function lackingOf(name: string, { flags, aliases = [] }: ArgocdCommand): Promise<string[]> {
  const ours: Flags | undefined = name === "" ? globalFlags : await flagsOfCommand(name);
  if (!ours) return [name];
  const group = name.slice(0, name.lastIndexOf(" ") + 1);
  const known = commands.flatMap((one) => one.aliases ?? []);
  return [
    ...Object.entries(flags).flatMap(([flag, kind]) =>
      fits(ours[flag], kind) ? [] : [`${name} --${flag}`.trim()],
    ),
    ...aliases.filter((alias) => !known.includes(group + alias)).map((alias) => group + alias),
  ];
}

async function flagsOfCommand(name: string): Promise<Flags | undefined> {
  const entry = commands.find((one) => one.name === name);
  return entry && flagsOf((await entry.load()).default);
}

function fits(flag: Flags[string] | undefined, kind: string): boolean {
  const short = /^-(\w) /.exec(kind)?.[1];
  if (!flag || (short !== undefined && flag.short !== short)) return false;
  return kind.endsWith("boolean") === (flag.kind === "boolean");
}

for (const [name, command] of Object.entries(argocd))
  test(`argocd ${name}`, async () => {
    const lacking = await lackingOf(name, command);
    const unknown = lacking.filter((one) => !gaps.has(one));
    assert.deepEqual(unknown, [], "not there, and not in testdata/argocd-command-gaps.json");
    const own = [...gaps.keys()].filter((one) => one === name || one.startsWith(`${name} --`));
    const closed = own.filter((one) => !lacking.includes(one) && !lacking.includes(name));
    assert.deepEqual(closed, [], "there now: strike it from testdata/argocd-command-gaps.json");
  });

test("the ledger names argocd's commands alone", () => {
  const names = [...gaps.keys()].map((gap) => gap.replace(/ ?--[\w-]+$/, ""));
  const known = Object.entries(argocd).flatMap(([name, { aliases = [] }]) => [
    name,
    ...aliases.map((alias) => name.slice(0, name.lastIndexOf(" ") + 1) + alias),
  ]);
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  );
});
