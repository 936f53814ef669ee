import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemClock as clock } from "@capstan/flow";
import { isManifest, type Manifest, type PluginParameter } from "@capstan/model";
import type { GeneratedManifest, Log } from "../plugin.ts";
import type { SourceRun } from "../served-plugin.ts";
import type { DefinedPlugin, KubernetesObject } from "./define-plugin.ts";
import type { Parameters, ParameterValues } from "./parameters.ts";
import { servedPlugin } from "./served.ts";

export interface TestOptions<P extends Parameters> {
  /** The repository: paths from its root, and contents. */
  files?: Readonly<Record<string, string>>;
  /** The application's directory; default the root. */
  path?: string;
  /** Only these are set, as an application sets them. */
  parameters?: Partial<ParameterValues<P>>;
  /** The application's `plugin.env`. */
  variables?: Readonly<Record<string, string>>;
  /** Instead of what the protocol would give. */
  env?: Readonly<Record<string, string>>;
  /** What stages before have made. */
  manifests?: readonly KubernetesObject[];
  signal?: AbortSignal;
}

export interface TestResult {
  readonly manifests: readonly Manifest[];
  /** All files after the run. */
  readonly files: Readonly<Record<string, string>>;
  readonly commands: readonly string[];
  readonly stderr: string;
}

const quiet: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** Runs a plugin as a server would, on files of a test: prepares, generates, transforms, whichever it does. */
export async function testPlugin<P extends Parameters>(
  plugin: DefinedPlugin<P>,
  options: TestOptions<P> = {},
): Promise<TestResult> {
  const top = await mkdtemp(join(tmpdir(), "capstan-plugin-test-"));
  try {
    const [root, scratch] = [join(top, "repository"), join(top, "scratch")];
    await mkdir(join(root, options.path ?? ""), { recursive: true });
    await mkdir(scratch);
    for (const [name, content] of Object.entries(options.files ?? {})) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
    return await runAll(plugin, options, { root, scratch });
  } finally {
    await rm(top, { recursive: true, force: true });
  }
}

async function runAll<P extends Parameters>(
  plugin: DefinedPlugin<P>,
  options: TestOptions<P>,
  places: { root: string; scratch: string },
): Promise<TestResult> {
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const served = servedPlugin(plugin, { clock, env, program: "" });
  let stderr = "";
  const source: SourceRun = {
    ...places,
    path: options.path ?? "",
    refs: {},
    env: testEnv(options),
    signal: options.signal ?? new AbortController().signal,
    log: quiet,
    onStderr: (text) => {
      stderr += text;
    },
    keepUntil: () => undefined,
  };
  const prepared = await served.prepare?.(source);
  const generated = await served.generate?.(source);
  const made = generated && "manifests" in generated.output ? generated.output.manifests : [];
  const before = [...(options.manifests ?? []).flatMap(asGenerated), ...made];
  const transformed = await served.transform?.(before, source);
  const last = transformed && "manifests" in transformed.output ? transformed.output.manifests : before;
  return {
    manifests: last.map(({ manifest }) => manifest),
    files: await readFiles(places.root),
    commands: [prepared, generated, transformed].flatMap((run) => run?.commands ?? []),
    stderr,
  };
}

function asGenerated(object: KubernetesObject): GeneratedManifest[] {
  const manifest = { metadata: {}, ...object };
  return isManifest(manifest) ? [{ manifest }] : [];
}

function testEnv<P extends Parameters>({ parameters, variables = {}, env, path = "" }: TestOptions<P>) {
  const given = Object.entries(parameters ?? {}).map(([name, value]) => asParameter(name, value));
  const own = Object.entries(variables).map(([name, value]) => [`ARGOCD_ENV_${name}`, value]);
  return {
    ARGOCD_APP_NAME: "test",
    ARGOCD_APP_NAMESPACE: "test",
    ARGOCD_APP_PROJECT_NAME: "default",
    ARGOCD_APP_REVISION: "0".repeat(40),
    ARGOCD_APP_SOURCE_PATH: path,
    KUBE_VERSION: "1.34.0",
    KUBE_API_VERSIONS: "",
    ARGOCD_APP_PARAMETERS: given.length === 0 ? "null" : JSON.stringify(given),
    ...Object.fromEntries(own),
    ...env,
  };
}

function asParameter(name: string, value: unknown): PluginParameter {
  if (Array.isArray(value)) return { name, array: value.map(String) };
  if (typeof value !== "object" || value === null) return { name, string: String(value) };
  return { name, map: Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)])) };
}

async function readFiles(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const item of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(item.parentPath, item.name);
    if (item.isFile()) files[path.slice(root.length + 1)] = await readFile(path, "utf8");
  }
  return files;
}
