import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import { matchesFiles } from "@capstan/formats";
import { CapstanError, parsePlacedManifests } from "@capstan/model";
import { readParametersVariable } from "../parameters-variable.ts";
import { joinWithin, relativeTo } from "../paths.ts";
import { listBelow, readBelow } from "../rooted/rooted-files.ts";
import { runCommand } from "../run-command.ts";
import type { SourceRun } from "../served-plugin.ts";
import type { Output, PluginDefinition, PluginRun, RunOptions } from "./define-plugin.ts";
import { type Parameters, readValues } from "./parameters.ts";

export interface RunSettings {
  readonly clock: Clock;
  /** Of the server: what programs get beside what the protocol gives. */
  readonly env: Readonly<Record<string, string>>;
  /** Hears of every program that is run. */
  readonly onCommand?: (shown: string) => void;
}

const ownVariable = "ARGOCD_ENV_";

/** What a plugin's functions are called with. */
export function openRun<P extends Parameters>(
  { parameters, name }: PluginDefinition<P>,
  source: Omit<SourceRun, "keepUntil">,
  settings: RunSettings,
): PluginRun<P> {
  const { root, path, refs, scratch, env, signal, log } = source;
  const directory = join(root, path);
  const known: Parameters = parameters ?? {};
  const values = readValues(known, readParametersVariable(env.ARGOCD_APP_PARAMETERS));
  const read = async (file: string) => readText(root, within(path, file));
  return {
    parameters: values as PluginRun<P>["parameters"],
    directory,
    root,
    path,
    refs,
    scratch,
    env,
    variables: Object.fromEntries(
      Object.entries(env).flatMap(([variable, value]) =>
        variable.startsWith(ownVariable) ? [[variable.slice(ownVariable.length), value]] : [],
      ),
    ),
    app: {
      name: env.ARGOCD_APP_NAME ?? "",
      namespace: env.ARGOCD_APP_NAMESPACE ?? "",
      project: env.ARGOCD_APP_PROJECT_NAME ?? "",
    },
    revision: env.ARGOCD_APP_REVISION ?? "",
    signal,
    log,
    clock: settings.clock,
    read,
    glob: async (pattern) => findFiles(root, path, pattern),
    readManifests: async (file) => placed(await read(file), within(path, file)),
    run: (program, args = [], options = {}) =>
      runProgram({ program, args, name, source, settings }, { cwd: directory, ...options }),
  };
}

function within(path: string, file: string): string {
  const found = joinWithin(path, file);
  if (found === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path: file });
  return found;
}

function placed(text: string, file: string): Output[] {
  return parsePlacedManifests(text, { file }).map(({ manifest, document, line }) => ({
    object: manifest,
    file,
    document,
    line,
  }));
}

function readText(root: string, file: string): string {
  const content = readBelow(root, file);
  if (content) return content.toString();
  throw new CapstanError({ code: "FILE_MISSING", file, neededBy: "the plugin" });
}

function findFiles(root: string, path: string, pattern: string): string[] {
  const found: string[] = [];
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const item of listBelow(root, next) ?? []) {
      const below = next === "" ? item.name : `${next}/${item.name}`;
      if (item.isDirectory()) waiting.push(below);
      else if (matchesFiles(pattern, relativeTo(path, below))) found.push(relativeTo(path, below));
    }
  return found.sort();
}

interface Program {
  program: string;
  args: readonly string[];
  name: string;
  source: Omit<SourceRun, "keepUntil">;
  settings: RunSettings;
}

async function runProgram(
  { program, args, source, settings }: Program,
  { stdin, env, cwd = source.root }: RunOptions,
) {
  const { root, refs, scratch, signal } = source;
  settings.onCommand?.([program, ...args].join(" "));
  const output = await runCommand(
    {
      program,
      args,
      cwd,
      env: { ...settings.env, ...source.env, ...env },
      hide: [root, scratch, ...Object.values(refs)],
      ...(stdin === undefined ? {} : { stdin }),
    },
    { clock: settings.clock, signal },
  );
  if (output.stderr !== "") source.onStderr(output.stderr);
  return output;
}
