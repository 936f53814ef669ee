import { defineCommand } from "../../command.ts";
import { describedFlags, describeProject } from "../proj/described-project.ts";
import { inlineFlags, writeSpec } from "./write-spec.ts";

export default defineCommand({
  usage: "PROJECT",
  help: "Print an AppProject as one keeps it in git. No server is asked.",
  examples: [
    "capstan admin proj generate-spec team --src 'https://git.example/team/*' --dest https://kubernetes.default.svc,team",
    "capstan admin proj generate-spec --file project.yaml --description 'The team' --inline",
  ],
  argument: "none",
  arity: [0, 1],
  flags: { ...describedFlags, ...inlineFlags },
  async run({ args: [name], flags, io }) {
    await writeSpec(await describeProject({ name, flags }, io), flags, io);
    return 0;
  },
});
