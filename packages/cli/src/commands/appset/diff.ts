import { parseJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import type { ApplicationSetChange, ApplicationSetDiff } from "@capstan/wire";
import type { Api } from "../../api.ts";
import { defineCommand } from "../../command.ts";
import type { Io } from "../../io.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { readSetName, readSets } from "./read-sets.ts";

export default defineCommand({
  usage: "FILE|APPSETNAME...",
  help: "Show what sets would create, update and delete: those of files (*.yaml, *.yml, *.json, an address, or - for standard input) as they would be, those of names as they are. Exit code 0: nothing, 1: something, 2: it could not be found out.",
  examples: ["capstan appset diff set.yaml", "capstan appset diff argocd/teams -o json"],
  argument: "file",
  arity: [1, 1000],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
    "exit-code": {
      kind: "boolean",
      help: "Exit with --diff-exit-code when there are differences",
      byDefault: "true",
    },
    "diff-exit-code": { kind: "integer", help: "Exit code for differences", value: "N", byDefault: "1" },
  },
  async run({ args, flags, io, api }) {
    try {
      const client = await api();
      const found: NamedDiff[] = [];
      for (const arg of args) found.push(...(await diffsOf(client, arg, io)));
      if (isObjectFormat(flags.output)) await printObject(io, flags.output, found);
      else for (const one of found) printDiff(io, one);
      const isDifferent = found.some(({ changes, problems }) => changes.length + problems.length > 0);
      return isDifferent && (flags["exit-code"] ?? true) ? (flags["diff-exit-code"] ?? 1) : 0;
    } catch (error) {
      io.signal.throwIfAborted();
      io.err(`error: ${error instanceof Error ? error.message : error}\n`);
      return 2;
    }
  },
});

interface NamedDiff extends ApplicationSetDiff {
  applicationSet: string;
}

const file = /^-$|:\/\/|^\.{0,2}\/|\.(ya?ml|json)$/;

async function diffsOf(api: Api, arg: string, io: Io): Promise<NamedDiff[]> {
  if (!file.test(arg))
    return [{ applicationSet: arg, ...(await api.call("diffApplicationSet", readSetName(arg))) }];
  const found: NamedDiff[] = [];
  for (const applicationSet of await readSets(arg, io)) {
    const { namespace, name } = applicationSet.metadata;
    const diff = await api.call("diffApplicationSet", { applicationSet });
    found.push({ applicationSet: namespace ? `${namespace}/${name}` : name, ...diff });
  }
  return found;
}

function printDiff(io: Io, { applicationSet, changes, problems, heldDeletions }: NamedDiff): void {
  for (const change of changes) io.out(changeText(io, change));
  const counts = (["create", "update", "delete", "hold"] as const)
    .map((act) => ({ act, count: changes.filter((change) => change.act === act).length }))
    .filter(({ count }) => count > 0)
    .map(({ act, count }) => `${act} ${count}`);
  // Beside the differences: what reads those goes on reading nothing else.
  io.err(`ApplicationSet '${applicationSet}': ${counts.join(", ") || "nothing to change"}\n`);
  if (heldDeletions) io.err(`held: ${heldDeletions.message}\n`);
  for (const { message } of problems) io.err(`not written: ${message}\n`);
}

const titles = {
  create: "created",
  update: "updated",
  delete: "deleted",
  hold: "deleted once that is allowed",
} as const;

function changeText(io: Io, { act, namespace, name, liveState, targetState }: ApplicationSetChange): string {
  const paint = painter(io);
  const title = paint("bold", `===== Application ${namespace}/${name}: ${titles[act]} ======`);
  const isHidden = liveState === undefined && targetState === undefined;
  if (isHidden) return `\n${title}\n(what it holds is not shown to you)\n`;
  const names = ["live", "set"] as const;
  return `\n${title}\n${unifiedDiff(yamlOf(liveState), yamlOf(targetState), { names, paint })}`;
}

function yamlOf(text: string | undefined): string {
  return text === undefined ? "" : dumpYaml(parseJson(text));
}
