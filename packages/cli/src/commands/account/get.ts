import { formatTime } from "@capstan/formats";
import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { accountFlag, accountOf } from "./account-flag.ts";

export default defineCommand({
  usage: "",
  help: "Show one account, with its tokens.",
  examples: ["capstan account get", "capstan account get --account ci"],
  argument: "none",
  arity: [0, 0],
  flags: {
    ...accountFlag,
    output: outputFlag(["json", "yaml", "wide", "name"], "wide"),
  },
  async run({ flags, io, api }) {
    const client = await api();
    const account = await client.call("getAccount", { name: await accountOf(client, flags.account) });
    const { name, enabled, capabilities } = account;
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, account);
    else if (flags.output === "name") io.out(`${name}\n`);
    else {
      const facts = { "Name:": name, "Enabled:": `${enabled}`, "Capabilities:": capabilities.join(", ") };
      io.out(
        Object.entries(facts)
          .map(([label, text]) => `${label.padEnd(20)}${text}\n`)
          .join(""),
      );
      io.out(`\nTokens:\n${tokenTable(account.tokens ?? [], io.clock.now())}`);
    }
    return 0;
  },
});

interface ShownToken {
  readonly id: string;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

function tokenTable(tokens: readonly ShownToken[], nowMs: number): string {
  if (tokens.length === 0) return "NONE\n";
  const rows = tokens.map(({ id, issuedAt, expiresAt = 0 }) => {
    const isOver = expiresAt * 1000 < nowMs ? " (expired)" : "";
    const ends = expiresAt > 0 ? `${formatTime(expiresAt * 1000)}${isOver}` : "never";
    return [id, formatTime(issuedAt * 1000), ends];
  });
  return formatTable([["ID", "ISSUED AT", "EXPIRING AT"], ...rows]);
}
