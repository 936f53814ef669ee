import { appliesTo, defaultDiffRules, normalize } from "@capstan/engine";
import { equalJson } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import { openScripts } from "@capstan/planning";
import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { unifiedDiff } from "../../output/unified-diff.ts";
import { kindOf, readOverridden } from "./resource-override.ts";
import { settingsFlags } from "./settings-source.ts";

export default defineCommand({
  usage: "RESOURCE_YAML_PATH",
  help: "Show which fields of an object do not count when it is compared, by ignoreDifferences of argocd-cm.",
  examples: [
    "capstan admin settings resource-overrides ignore-differences deployment.yaml --argocd-cm-path argocd-cm.yaml",
  ],
  argument: "file",
  arity: [1, 1],
  flags: settingsFlags,
  async run({ args: [path = ""], flags, io }) {
    const { object, settings } = await readOverridden({ path, flags, io });
    const rules = settings.general.ignoreDifferences.filter((rule) => appliesTo(rule, object));
    const without = { ...defaultDiffRules, ignoreStatus: "none" } as const;
    const whole = normalize(object, without);
    const log = { info: () => undefined, warn: () => undefined };
    await using scripts = openScripts({ settings: { current: settings }, clock: io.clock, log });
    const use = { asker: "admin", own: 0, rules: { ...without, ignoreDifferences: rules } };
    const rest = await scripts.jq.settled(use, (settled) => normalize(object, settled), io.signal);
    if (
      rules.every(
        ({ jsonPointers = [], jqPathExpressions = [] }) =>
          jsonPointers.length + jqPathExpressions.length === 0,
      )
    )
      io.out(`Ignore differences are not configured for ${kindOf(object)}\n`);
    else if (equalJson(whole, rest))
      io.out(`No fields are ignored by ignoreDifferences settings: \n${dumpYaml(rules)}`);
    else {
      const names = ["object", "compared"] as const;
      const diff = unifiedDiff(dumpYaml(whole), dumpYaml(rest), { names, paint: painter(io) });
      io.out(`Following fields are ignored:\n\n${diff}`);
    }
    return 0;
  },
});
