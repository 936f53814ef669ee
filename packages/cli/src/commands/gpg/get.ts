import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";

export default defineCommand({
  usage: "KEYID",
  help: "Show a GnuPG key.",
  argument: "none",
  arity: [1, 1],
  flags: {
    output: outputFlag(["wide", "json", "yaml"], "wide"),
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
