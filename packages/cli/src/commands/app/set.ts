import { defineCommand, UsageError } from "../../command.ts";
import { checkChoices, readPluginParameters, unannounced } from "../../plugin-parameters.ts";
import { fetchApp, readAppName } from "./app-name.ts";
import { applyAppFlags } from "./apply-app-flags.ts";
import { describedSources } from "./described-sources.ts";
import { appFlags, saysSomething, warnBesideHydration } from "./source-flags.ts";
import { sourcePosition } from "./source-position.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Change parameters of an application; what no flag names stays as it is.",
  examples: [
    "capstan app set guestbook --revision v2",
    "capstan app set guestbook --helm-set replicas=3 --sync-policy automated",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    ...appFlags,
    "source-position": { kind: "integer", help: "Position of the source, from 1", value: "N" },
  },
  async run({ args: [name = ""], flags, api, io }) {
    const changes = Object.keys(flags).filter(saysSomething);
    if (changes.length === 0)
      throw new UsageError("name what to change, --revision for one; see capstan app set --help");
    warnBesideHydration(io, flags);
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const app = await fetchApp(client, ref);
    const position = sourcePosition(app.spec, flags);
    const changed = await applyAppFlags(app.spec, flags, position);
    const parameters = readPluginParameters(flags["plugin-parameter"] ?? []);
    if (parameters.length > 0 && flags["config-management-plugin"] === undefined) {
      const { description } = (await describedSources(client, ref, app))[position] ?? {};
      if (description) {
        checkChoices(parameters, description);
        for (const line of unannounced(parameters, description)) io.err(`warning: ${line}\n`);
      }
    }
    await client.call("updateApplicationSpec", { ...ref, spec: changed, validate: flags.validate });
    return 0;
  },
});
