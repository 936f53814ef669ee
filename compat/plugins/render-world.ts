import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApplicationSource } from "@capstan/model";
import { createRepoServer, type RepoServerOptions } from "@capstan/render";
import { type CmpServer, createGitRepository, realClock, startCmpServer } from "@capstan/testkit";
import { builtInPlugins } from "@capstan/testkit/worlds";
import type { ManifestRequest } from "@capstan/wire";
import { servePluginsHere, startOurPluginServer } from "./our-plugin-server.ts";

/** The programs, and Capstan's server in the process of the test. */
export type ServerKind = "argocd-cmp-server" | "capstan plugin-server" | "Capstan's plugin server";

export interface SidecarSketch {
  readonly name: string;
  readonly version?: string;
  /** The fields below spec, as YAML or JSON. */
  readonly spec?: string;
  /** The whole file instead. */
  readonly yaml?: string;
  readonly env?: Record<string, string>;
}

export interface Logged {
  readonly level: string;
  readonly message: string;
  readonly fields: object;
}

const indent = (text: string): string => text.trim().replaceAll("\n", "\n  ");

function pluginYaml({ name, version, spec = "", yaml }: SidecarSketch): string {
  if (yaml !== undefined) return yaml;
  const own = version === undefined ? "" : `\n  version: ${version}`;
  return `apiVersion: argoproj.io/v1alpha1\nkind: ConfigManagementPlugin\nmetadata:\n  name: ${name}\nspec:${own}\n  ${indent(spec)}\n`;
}

/** A repo server with sidecars of one kind and a git repository of its own. */
export async function openRenderWorld(
  kind: ServerKind,
  sidecars: readonly SidecarSketch[],
  options: Partial<RepoServerOptions> = {},
) {
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-sidecars-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const pluginSockets = join(dir, "sockets");
  const start = async (sidecar: SidecarSketch): Promise<CmpServer> => {
    const { name, version, env = {} } = sidecar;
    const yaml = pluginYaml(sidecar);
    if (kind === "argocd-cmp-server") return startCmpServer(yaml, { pluginSockets, env });
    const socketName = version === undefined ? `${name}.sock` : `${name}-${version}.sock`;
    const startOurs = kind === "capstan plugin-server" ? startOurPluginServer : servePluginsHere;
    return startOurs(yaml, { socketName, pluginSockets, env });
  };
  const servers: CmpServer[] = [];
  for (const sidecar of sidecars) servers.push(opened.use(await start(sidecar)));
  const repository = opened.use(await createGitRepository());
  const logged: Logged[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void logged.push({ level, fields, message });
  const log = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: "1" };
  const dataDir = join(dir, "data");
  const server = opened.use(
    await createRepoServer({
      ...{ dataDir, clock: realClock, log, env, plugins: builtInPlugins },
      pluginSockets: [pluginSockets],
      ...options,
    }),
  );
  const request = (source: Partial<ApplicationSource>, more: Partial<ManifestRequest> = {}) => ({
    repository: { url: repository.url },
    source: { repoURL: repository.url, targetRevision: "main", path: "app", ...source },
    appName: "web",
    namespace: "shop",
    project: "default",
    kubeVersion: "v1.34.2-gke.100",
    apiVersions: ["v1", "apps/v1", "apps/v1/Deployment"],
    noRevisionCache: true,
    ...more,
  });
  const closing = opened.move();
  return {
    server,
    servers,
    repository,
    logged,
    render: (
      source: Partial<ApplicationSource>,
      more: Partial<ManifestRequest> = {},
      signal = AbortSignal.timeout(100_000),
    ) => server.generateManifests(request(source, more), signal),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
