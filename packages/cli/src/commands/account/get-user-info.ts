import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";

export default defineCommand({
  usage: "",
  help: "Say who you are to the server.",
  argument: "none",
  arity: [0, 0],
  flags: { output: outputFlag(["json", "yaml"]) },
  async run({ flags, io, api }) {
    const info = await (await api()).call("getUserInfo", {});
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, info);
    else if (!info.loggedIn) io.out("Logged In: false\n");
    else
      io.out(
        `Logged In: true\nUsername: ${info.username ?? ""}\nIssuer: ${info.iss ?? ""}\nGroups: ${(info.groups ?? []).join(",")}\n`,
      );
    return 0;
  },
});
