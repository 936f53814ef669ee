import { basename, join } from "node:path";
import { ManifestReader } from "@capstan/model";
import { displayCommand, type Generated, type RenderContext, type Stage } from "@capstan/plugin-kit";
import {
  chartsBelow,
  confinedStage,
  helmForKustomize,
  toolFolder,
  toolPath,
  unconfinedVariable,
} from "@capstan/programs";
import { bringRemotes } from "./bring-remotes.ts";
import type { KustomizationFile } from "./kustomization-file.ts";

/** How a plugin around kustomize wants a build. */
export interface BuildOptions {
  kustomization: KustomizationFile;
  flags: readonly string[];
  program?: string;
  /** What the kustomization names beyond the one in the tree. */
  named?: readonly string[];
  env?: Readonly<Record<string, string>>;
}

/** `kustomize build` of what stands in the workspace. */
export async function runBuild(
  context: RenderContext,
  stage: Stage,
  { kustomization, flags: shownFlags, env = {}, ...options }: BuildOptions,
): Promise<Generated> {
  const [{ root }, program] = await Promise.all([
    stage.workspace(),
    options.program ?? toolPath("kustomize", stage.env),
  ]);
  const flags = [...shownFlags];
  const build = { tree: context.tree, root, directory: context.path, named: options.named ?? [] };
  const brought = await bringRemotes(build, stage, flags.includes("--enable-helm"));
  if (flags.includes("--enable-helm") && !flags.some((flag) => flag.startsWith("--helm-command")))
    flags.push(
      "--helm-command",
      await helmForKustomize(await toolPath("helm", stage.env), toolFolder(stage.env)),
    );
  const verb = basename(program) === "kubectl" ? "kustomize" : "build";
  const directory = join(root, context.path);
  const file = kustomization.path;
  const reader = new ManifestReader({ file: `output of kustomize for ${file}` });
  const command = {
    program,
    tool: "kustomize",
    args: [verb, directory, ...flags],
    shownArgs: ["build", directory, ...shownFlags],
    cwd: root,
    // A kustomization says where helm keeps its data (helmGlobals.configHome), and helm runs plugins that are there.
    env: {
      [chartsBelow]: root,
      HELM_PLUGINS: stage.env.HELM_PLUGINS ?? "/nonexistent",
      ...(runsPrograms(flags) ? {} : nothingElsewhere),
      ...env,
    },
  };
  const apart = reaches(flags) || brought.isRemote || brought.isConfigured ? confine(flags, stage) : stage;
  await apart.run({ ...command, onStdout: (chunk) => reader.add(chunk) });
  const shown = displayCommand({ ...command, hide: [root] });
  return {
    manifests: reader.end().map(({ manifest, document }) => ({ manifest, origin: { file, document } })),
    commands: [shown],
  };
}

/** Where there is no sandbox: git uses no transport, and nobody listens at the proxy. */
const nothingElsewhere = {
  GIT_ALLOW_PROTOCOL: "",
  ...Object.fromEntries(
    ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, "http://127.0.0.1:1"]),
  ),
  ...{ no_proxy: "", NO_PROXY: "" },
};

/** Whether the flags let a kustomization lead beyond the files of its own repository. */
function reaches(flags: readonly string[]): boolean {
  return runsPrograms(flags) || flags.some((flag) => /LoadRestrictionsNone|^--enable-helm/.test(flag));
}

/** Whether they let it choose programs (kustomize docs: exec functions, plugins). */
function runsPrograms(flags: readonly string[]): boolean {
  return flags.some(
    (flag) => /^--(enable[-_]alpha[-_]plugins|enable-exec)(=|$)/.test(flag) && !flag.endsWith("=false"),
  );
}

/** What it names elsewhere has been brought: kustomize itself has nothing to ask for. */
function confine(flags: readonly string[], stage: Stage): Stage {
  const own = runsPrograms(flags);
  const mayRunOpenly = !own || stage.env[unconfinedVariable] === "true";
  return confinedStage(stage, { plugin: "kustomize", mayRunOpenly, network: own });
}
