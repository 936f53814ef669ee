import { defineCommand } from "../../command.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";

export default defineCommand({
  usage: "KEYID",
  help: "Show a GnuPG key.",
  argument: "none",
  arity: [1, 1],
  flags: {
    output: {
      kind: "string",
      short: "o",
      help: "Output format",
      choices: ["wide", "json", "yaml"],
      byDefault: "wide",
    },
  },
  async run({ args: [keyID = ""], flags, io, api }) {
    const key = await (await api()).call("getGpgKey", { keyID });
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, key);
    else
      io.out(
        [
          `Key ID:          ${key.keyID ?? ""}`,
          `Key fingerprint: ${key.fingerprint ?? ""}`,
          `Key subtype:     ${(key.subType ?? "").toUpperCase()}`,
          `Key owner:       ${key.owner ?? ""}`,
          `Key data follows until EOF:\n${key.keyData ?? ""}\n`,
        ].join("\n"),
      );
    return 0;
  },
});
