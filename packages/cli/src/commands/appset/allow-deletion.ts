import { isRemovalCode } from "@capstan/engine";
import { deletionHeldCondition } from "@capstan/model";
import type { Api } from "../../api.ts";
import { defineCommand, UsageError } from "../../command.ts";
import { confirm } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { readSetName } from "./read-sets.ts";

export default defineCommand({
  usage: "APPSETNAME [CODE]",
  help: "Let a set delete once what its deletion budget holds. The code is in the set's condition; without it, what is held is shown and asked about.",
  examples: [
    "capstan appset allow-deletion teams",
    "capstan appset allow-deletion argocd/teams 18-0123456789abcdef0123",
  ],
  argument: "none",
  arity: [1, 2],
  flags: {},
  async run({ args: [name = "", given], io, api }) {
    if (given !== undefined && !isRemovalCode(given))
      throw new UsageError(`"${given}" is no such code; capstan appset get ${name} shows it`);
    const client = await api();
    const ref = readSetName(name);
    const code = given ?? (await askAbout(client, name, io));
    if (code === undefined) return 0;
    await client.call("allowApplicationSetDeletion", { ...ref, code });
    io.out(`ApplicationSet '${name}' may delete ${code.split("-")[0]} Applications once, within a day\n`);
    return 0;
  },
});

async function askAbout(api: Api, name: string, io: Io): Promise<string | undefined> {
  const { status } = await api.call("getApplicationSet", readSetName(name));
  const held = status?.conditions?.find(({ type }) => type === deletionHeldCondition);
  if (!held) {
    io.out(`ApplicationSet '${name}' holds no deletions\n`);
    return undefined;
  }
  io.err(`${held.message}\n`);
  // The command with its code ends the message.
  const code = held.message.split(" ").at(-1);
  return (await confirm(io, "Let the set delete these Applications?")) ? code : undefined;
}
