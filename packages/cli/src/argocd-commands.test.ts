/**
 * Every command and flag of `argocd` 3.2.11 (its own --help) is there, or stands in the ledger with a reason. Of what
 * says how kubectl would reach a cluster, only --kubeconfig, --context and --namespace count.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Flags, flagsOf, globalFlags } from "./command.ts";
import { commandGaps } from "./command-gaps.ts";
import { commands } from "./commands.ts";
import commandList from "./testdata/argocd-commands.json" with { type: "json" };

interface ArgocdCommand {
  /** `boolean` or `value`, behind the short form, before what it may be: `-o value of json|yaml`. */
  readonly flags: Readonly<Record<string, string>>;
  readonly aliases?: readonly string[];
}

const argocd: Readonly<Record<string, ArgocdCommand>> = commandList;
const gaps = new Map(
  commandGaps.flatMap(({ names, reason }) =>
    names.flatMap(namesBelow).map((name) => [name, reason] as const),
  ),
);

/** The flag, or the commands of argocd that are called so or begin so. */
function namesBelow(start: string): string[] {
  if (start.includes(" --")) return [start];
  return [...namesOf()].filter((name) => `${name} `.startsWith(`${start} `));
}

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

function fits(flag: Flags[string] | undefined, said: string): boolean {
  const [, short, kind, values] = /^(?:-(\w) )?(boolean|value)(?: of (.*))?$/.exec(said) ?? [];
  if (!flag || (short !== undefined && flag.short !== short)) return false;
  const wanted = values?.split("|") ?? [];
  if (flag.choices && !wanted.every((value) => flag.choices?.includes(value))) return false;
  return (kind === "boolean") === (flag.kind === "boolean");
}

for (const [name, command] of Object.entries(argocd))
  test(`argocd ${name}`, async () => {
    const lacking = await lackingOf(name, command);
    const unknown = lacking.filter((one) => !gaps.has(one));
    assert.deepEqual(unknown, [], "not there, and not in command-gaps.ts or the groups' advice");
    const own = [...gaps.keys()].filter((one) => one === name || one.startsWith(`${name} --`));
    const closed = own.filter((one) => !lacking.includes(one) && !lacking.includes(name));
    assert.deepEqual(closed, [], "there now: strike it from command-gaps.ts or the groups' advice");
  });

/** With their other names. */
function namesOf(): Set<string> {
  return new Set(
    Object.entries(argocd).flatMap(([name, { aliases = [] }]) => [
      name,
      ...aliases.map((alias) => name.slice(0, name.lastIndexOf(" ") + 1) + alias),
    ]),
  );
}

test("the ledger names argocd's commands alone", () => {
  const known = namesOf();
  const unknown = commandGaps
    .flatMap(({ names }) => names.map((name) => name.replace(/ ?--[\w-]+$/, "")))
    .filter((name) => !known.has(name) && namesBelow(name).length === 0);
  assert.deepEqual(unknown, []);
});
