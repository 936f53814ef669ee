import { deadline } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { HeldEnd, RenderContext, Stage } from "@capstan/plugin-kit";
import { unconfinedVariable } from "@capstan/programs";
import { appEnv } from "./app-env.ts";
import { type AppFile, readPackages } from "./app-file.ts";
import { installPackages } from "./install-packages.ts";
import { layOutApp } from "./lay-out-app.ts";
import type { PackageStore } from "./package-store.ts";
import { type MadeFile, readOutput } from "./read-output.ts";
import type { WarmApps } from "./warm-apps.ts";

type Env = Readonly<Record<string, string | undefined>>;

const runMs = 90_000;

/** TypeScript and JavaScript, in a process that has loaded cdk8s already. */
export async function runWarm(
  context: RenderContext,
  stage: Stage,
  means: { app: AppFile; entry: string; apps: WarmApps; store: PackageStore; operator: Env },
): Promise<MadeFile[]> {
  const { app, entry, apps } = means;
  const packages = await readPackages(context);
  using installed = await installPackages(packages, stage, means);
  const modules = installed.folder;
  const { root } = await stage.workspace();
  using limited = deadline({
    ...{ clock: stage.clock, signal: stage.signal, ms: runMs },
    late: () => new CapstanError({ code: "TIMED_OUT", what: "the cdk8s application", afterMs: runMs }),
  });
  const options = {
    searchPath: stage.env.PATH ?? "",
    clock: stage.clock,
    mayRunOpenly: means.operator[unconfinedVariable] === "true",
    signal: limited.signal,
  };
  return await apps.run(modules, options, {
    lay: async (folder) => {
      await layOutApp(context, { root, folder, modules, packages: packages.directory });
      return { directory: context.path, entry, env: appEnv(context, folder) };
    },
    read: (folder, end) => {
      refuseFailure(end, app);
      return readOutput(folder, context, app);
    },
  });
}

function refuseFailure({ exitCode, stderr, message }: HeldEnd, { file: appFile }: AppFile): void {
  if (exitCode === 0 && message === undefined) return;
  const told = isRecord(message) ? message : {};
  const problem = typeof told.problem === "string" ? told.problem : lastLines(stderr, exitCode);
  const file = typeof told.file === "string" ? told.file : appFile;
  const place = typeof told.line === "number" ? { file, line: told.line } : { file };
  throw new CapstanError({ code: "PLUGIN_FAILED", plugin: "cdk8s", ...place, problem });
}

function lastLines(stderr: string, exitCode: number | null): string {
  const text = stderr.trim().split("\n").slice(-5).join("\n");
  return `it ended with exit code ${exitCode ?? "none"}${text === "" ? "" : `: ${text}`}`;
}
