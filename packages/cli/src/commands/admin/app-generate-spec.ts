import { defineCommand, UsageError } from "../../command.ts";
import { applicationFlags, describeApplication, readApplications } from "../app/described-application.ts";
import { warnBesideHydration } from "../app/source-flags.ts";
import { inlineFlags, writeSpec } from "./write-spec.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Print an Application as one keeps it in git. No server is asked.",
  examples: [
    "capstan admin app generate-spec guestbook --repo https://git.example/apps.git --path guestbook --dest-name in-cluster --dest-namespace default",
    "capstan admin app generate-spec --file application.yaml --revision v2 --inline",
  ],
  argument: "none",
  arity: [0, 1],
  flags: { ...applicationFlags, ...inlineFlags },
  async run({ args: [name], flags, io }) {
    warnBesideHydration(io, flags);
    const [first, second] = await readApplications(flags.file, io);
    if (!first || second)
      throw new UsageError(`${flags.file} holds several applications: there can be one alone`);
    await writeSpec(await describeApplication(first, { name: name ?? flags.name, flags }), flags, io);
    return 0;
  },
});
