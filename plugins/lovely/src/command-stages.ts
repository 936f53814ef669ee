import { join } from "node:path";
import { dumpYaml } from "@capstan/formats/yaml";
import { readKustomization } from "@capstan/kustomizations";
import { CapstanError, isCapstanError, parsePlacedManifests } from "@capstan/model";
import type { Generated, GeneratedManifest, Plugin, Stage } from "@capstan/plugin-kit";
import { withoutCredentials } from "@capstan/programs";
import { DirectoryStage } from "./directory-stage.ts";
import { isGenerated } from "./kustomize-stage.ts";
import { joinFiles, manifestsIn, readYamlFiles } from "./read-yaml-files.ts";
import type { Env } from "./settings.ts";

/** Programs that put secrets into manifests. */
const unlocking = /\b(argocd-vault-plugin|argocd-vault-replacer|vals|sops|vault|bao|op|gopass)\b/;

/** Commands that change files before anything else reads them. */
export function preprocessStage(operator: Env, directory: string): Plugin {
  const commandsOf = ({ settings }: DirectoryStage) => settings.commands("LOVELY_PREPROCESSORS", directory);
  return {
    name: "lovely-preprocess",
    inputs: async (context) => {
      const own = new DirectoryStage(context, operator);
      return own.everything(commandsOf(own));
    },
    prepare: async (context, stage) => {
      const own = new DirectoryStage(context, operator);
      for (const command of commandsOf(own)) await runShell(command, own, { stage: own.confine(stage) });
    },
  };
}

/** Plain YAML files, where no chart, helmfile or kustomization made anything. */
export function yamlStage(): Plugin {
  return {
    name: "lovely-yaml",
    inputs: async ({ path }) => ({ paths: [path], refs: {}, facts: path }),
    transform: async (manifests, context) => {
      const isPlain = !(await isGenerated(context)) && !(await readKustomization(context.tree, context.path));
      return { manifests: isPlain ? manifestsIn(await readYamlFiles(context)) : manifests, commands: [] };
    },
  };
}

/**
 * Commands that get all manifests of the directory and print what they shall be. Between commands, and of plain
 * files, the text goes through as it is: it need not be YAML before the last has run.
 */
export function pluginsStage(
  operator: Env,
  { directory, commands }: { directory: string; commands: readonly string[] },
): Plugin {
  return {
    name: "lovely-plugins",
    sensitive: commands.some((command) => unlocking.test(command)),
    inputs: async (context) => new DirectoryStage(context, operator).everything([directory, commands]),
    transform: async (manifests, context, stage) => {
      const own = new DirectoryStage(context, operator);
      return transform(manifests, own, { commands, stage: own.confine(stage) });
    },
  };
}

async function transform(
  manifests: readonly GeneratedManifest[],
  own: DirectoryStage,
  { commands, stage }: { commands: readonly string[]; stage: Stage },
): Promise<Generated> {
  const { context } = own;
  const isPlain = !(await isGenerated(context)) && !(await readKustomization(context.tree, context.path));
  const dumped = () => manifests.map(({ manifest }) => `---\n${dumpYaml(manifest)}`).join("") || "---\n";
  let text = isPlain ? joinFiles(await readYamlFiles(context)) : dumped();
  for (const command of commands) text = await runShell(command, own, { stage, stdin: text });
  const file = `output of plugin ${commands.at(-1)}`;
  const made = parsePlacedManifests(text, { file }).map(({ manifest }) => ({ manifest }));
  return { manifests: made, commands: [...commands] };
}

async function runShell(
  command: string,
  own: DirectoryStage,
  { stage, stdin }: { stage: Stage; stdin?: string },
): Promise<string> {
  const { root } = await stage.workspace();
  const ran = {
    program: "bash",
    args: ["-c", command],
    cwd: join(root, own.context.path),
    env: { ...withoutCredentials(stage.env), ...own.env(false) },
    ...(stdin === undefined ? {} : { stdin }),
  };
  try {
    const { stdout } = await stage.run({ ...ran, tool: `command of ${own.context.path || "."}` });
    return stdout.toString();
  } catch (error) {
    // What it printed may hold what it was to put in.
    if (!unlocking.test(command) || !isCapstanError(error) || error.failure.code !== "TOOL_FAILED")
      throw error;
    const stderr = "(what it printed is not shown, since it handles secrets)";
    throw new CapstanError({ ...error.failure, stderr });
  }
}
