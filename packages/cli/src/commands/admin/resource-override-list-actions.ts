import { defineCommand } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { kindOf, openGivenScripts, readOverridden } from "./resource-override.ts";
import { settingsFlags } from "./settings-source.ts";

export default defineCommand({
  usage: "RESOURCE_YAML_PATH",
  help: "List the actions that an object offers, where argocd-cm has actions for its kind.",
  examples: [
    "capstan admin settings resource-overrides list-actions deployment.yaml --argocd-cm-path argocd-cm.yaml",
  ],
  argument: "file",
  arity: [1, 1],
  flags: settingsFlags,
  async run({ args: [path = ""], flags, io }) {
    const { object, settings } = await readOverridden({ path, flags, io });
    await using scripts = openGivenScripts(settings, io);
    if (!scripts.actions.areOwn(object)) {
      io.out(`Actions are not configured for ${kindOf(object)}\n`);
      return 0;
    }
    const offered = await scripts.actions.offered(object, { asker: "admin", signal: io.signal });
    const rows = offered.map(({ name, disabled }) => [name, String(disabled ?? false)]);
    io.out(
      formatTable([
        ["NAME", "DISABLED"],
        ...rows.sort(([left = ""], [right = ""]) => (left < right ? -1 : 1)),
      ]),
    );
    return 0;
  },
});
