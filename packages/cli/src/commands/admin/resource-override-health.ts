import { defineCommand, ExitError } from "../../command.ts";
import { kindOf, openGivenScripts, readOverridden } from "./resource-override.ts";
import { settingsFlags } from "./settings-source.ts";

export default defineCommand({
  usage: "RESOURCE_YAML_PATH",
  help: "Say how healthy an object is held to be, by the scripts of argocd-cm and the rules that are built in.",
  examples: [
    "capstan admin settings resource-overrides health deployment.yaml --argocd-cm-path argocd-cm.yaml",
  ],
  argument: "file",
  arity: [1, 1],
  flags: settingsFlags,
  async run({ args: [path = ""], flags, io }) {
    const { object, settings } = await readOverridden({ path, flags, io });
    await using scripts = openGivenScripts(settings, io);
    const judged = await scripts.health.judged("admin", (healthOf) => healthOf(object), io.signal);
    // argocd's exit code for a script that fails.
    const problem = scripts.health.problemOf(object);
    if (problem !== undefined) throw new ExitError(problem, 20);
    io.out(
      judged
        ? `STATUS: ${judged.status}\nMESSAGE: ${judged.message ?? ""}\n`
        : `Health script is not configured for ${kindOf(object)}\n`,
    );
    return 0;
  },
});
