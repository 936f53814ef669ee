import { assessHealth } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import { groupOf, type Manifest, parseYaml } from "@capstan/model";
import { defineCommand } from "../../command.ts";
import { kindOf, readResource } from "./resource-override.ts";
import { type GivenSettings, readGivenSettings, settingsFlags } from "./settings-source.ts";

export default defineCommand({
  usage: "RESOURCE_YAML_PATH",
  help: "Say how healthy an object is held to be, by the rules that are built in.",
  examples: [
    "capstan admin settings resource-overrides health deployment.yaml --argocd-cm-path argocd-cm.yaml",
  ],
  argument: "file",
  arity: [1, 1],
  flags: settingsFlags,
  async run({ args: [path = ""], flags, io }) {
    const object = await readResource(path);
    const { general } = await readGivenSettings(flags, io);
    if (hasScript(general.raw, object))
      io.err(`warning: the health script of ${kindOf(object)} is not honoured: built-in rules alone count\n`);
    const health = assessHealth(object);
    io.out(
      health
        ? `STATUS: ${health.status}\nMESSAGE: ${health.message ?? ""}\n`
        : `Health script is not configured for ${kindOf(object)}\n`,
    );
    return 0;
  },
});

function hasScript(raw: GivenSettings["general"]["raw"], { apiVersion, kind }: Manifest): boolean {
  const group = groupOf(apiVersion);
  if (raw[`resource.customizations.health.${group ? `${group}_` : ""}${kind}`]) return true;
  const whole = raw["resource.customizations"];
  const kinds = whole === undefined ? undefined : parseYaml(whole, { file: "resource.customizations" });
  const own = isRecord(kinds) ? kinds[group ? `${group}/${kind}` : kind] : undefined;
  return isRecord(own) && Boolean(own["health.lua"]);
}
