import { dumpYaml } from "@capstan/formats/yaml";
import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { readPairs } from "../../read-pairs.ts";
import { kindOf, openGivenScripts, readOverridden } from "./resource-override.ts";
import { settingsFlags } from "./settings-source.ts";

export default defineCommand({
  usage: "RESOURCE_YAML_PATH ACTION",
  help: "Show what an action would change of an object and create, where argocd-cm has actions for its kind.",
  examples: [
    "capstan admin settings resource-overrides run-action deployment.yaml restart --argocd-cm-path argocd-cm.yaml",
  ],
  argument: "file",
  arity: [2, 2],
  flags: {
    ...settingsFlags,
    param: { kind: "strings", help: "Parameter of the action, name=value", value: "PARAMETER" },
  },
  async run({ args: [path = "", name = ""], flags, io }) {
    const parameters = readPairs("param", flags.param);
    const { object, settings } = await readOverridden({ path, flags, io });
    await using scripts = openGivenScripts(settings, io);
    if (!scripts.actions.areOwn(object)) {
      io.out(`Actions are not configured for ${kindOf(object)}\n`);
      return 0;
    }
    const call = { name, parameters, asker: "admin", signal: io.signal };
    for (const impacted of await scripts.actions.perform(object, call)) {
      const text = dumpYaml(impacted.object);
      if (impacted.operation === "create") io.out(`Following resource was created:\n${text}\n`);
      else {
        const names = ["object", "changed"] as const;
        const diff = unifiedDiff(dumpYaml(object), text, { names, paint: painter(io) });
        io.out(`Following fields have been changed:\n\n${diff}`);
      }
    }
    return 0;
  },
});
