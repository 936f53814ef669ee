import { join } from "node:path";
import { CapstanError, parsePlacedManifests } from "@capstan/model";
import type { Generated, GeneratedManifest, RenderContext, Stage } from "@capstan/plugin-kit";
import { confinedStage, unconfinedVariable, withoutCredentials } from "@capstan/programs";
import { appEnv } from "./app-env.ts";
import { type AppFile, readAppFile } from "./app-file.ts";
import { PackageStore } from "./package-store.ts";
import { type MadeFile, readOutput } from "./read-output.ts";
import { runGo } from "./run-go.ts";
import { runPython } from "./run-python.ts";
import { runWarm } from "./run-warm.ts";
import { WarmApps } from "./warm-apps.ts";

type Env = Readonly<Record<string, string | undefined>>;

interface Means {
  apps: WarmApps;
  store: PackageStore;
  operator: Env;
}

/** What the plugin generates with; `operator` as in cdk8s.ts. */
export function appGenerator(operator: Env): (context: RenderContext, stage: Stage) => Promise<Generated> {
  const means = { apps: new WarmApps(), store: new PackageStore(), operator };
  return (context, stage) => generate(context, stage, means);
}

async function generate(context: RenderContext, stage: Stage, means: Means): Promise<Generated> {
  const app = await readAppFile(context);
  const { command } = app;
  const made =
    command.kind === "node"
      ? await runWarm(context, stage, { app, entry: command.entry, ...means })
      : await runCommand(context, stage, { app, ...means });
  const manifests = made.flatMap(readManifests);
  if (manifests.length > 0) return { manifests, commands: [app.text] };
  const problem = "the application made no manifests. Does it call app.synth()?";
  throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", file: app.file, problem });
}

function readManifests({ name, text }: MadeFile): GeneratedManifest[] {
  return parsePlacedManifests(text, { file: name }).map(({ manifest, document, line }) => ({
    manifest,
    origin: { file: name, document, line },
  }));
}

/** By the command in cdk8s.yaml. */
async function runCommand(
  context: RenderContext,
  stage: Stage,
  { app, store, operator }: { app: AppFile; store: PackageStore; operator: Env },
): Promise<MadeFile[]> {
  const { command } = app;
  const means = { store, operator, mayRunOpenly: operator[unconfinedVariable] === "true" };
  const { root } = await stage.workspace();
  if (command.kind === "go") await runGo(context, stage, { command, ...means });
  else if (command.kind === "python") await runPython(context, stage, { command, ...means });
  else if (command.kind === "command") {
    const { program, args } = command;
    const { mayRunOpenly } = means;
    const confined = confinedStage(stage, { plugin: "cdk8s", mayRunOpenly });
    const env = { ...withoutCredentials(stage.env), ...appEnv(context, root) };
    await confined.run({ program, args, cwd: join(root, context.path), env, tool: program });
  }
  return readOutput(root, context, app);
}
