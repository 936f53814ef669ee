import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { allSecretStores, type Manifest, type Pipeline } from "@capstan/model";
import { createRepoServer, loadRpc, type RepoServerOptions } from "@capstan/render";
import type { ManifestRequest, PluginService, PluginSummary, RenderExplanation } from "@capstan/wire";
import type { ShippedPlugins } from "../../command.ts";
import type { Io } from "../../io.ts";
import { checkChoices, unannounced } from "../../plugin-parameters.ts";
import type { LocalApp } from "./local-app.ts";
import { standInPipeline } from "./stand-in-pipeline.ts";

export interface LocalRender extends AsyncDisposable {
  /** Runs the plugin: nothing of an earlier run is used. What is sensitive is masked. */
  render(app: LocalApp, signal: AbortSignal): Promise<RenderExplanation>;
  /** The manifests as they are, also of a sensitive plugin. */
  manifests(app: LocalApp): Promise<Manifest[]>;
  plugins(): Promise<readonly PluginSummary[]>;
}

export type PluginAccess = ReturnType<NonNullable<RepoServerOptions["pluginAccess"]>>;

export interface LocalRenderOptions {
  io: Io;
  shipped: ShippedPlugins;
  /** Stands for the repository of the URL. */
  folder: string;
  url: string;
  /** Folder of plugins' sockets. */
  sockets: string | undefined;
  /** One that is served elsewhere, and what it asks for. */
  service?: { service: PluginService; access: PluginAccess };
  /** Hears what plugins write to standard error. */
  onStderr?: (text: string) => void;
}

/** Before a plugin that is served can be asked. */
export async function loadCalls(): Promise<void> {
  await loadRpc();
}

/** Capstan's own render side in this process, over a folder; without a cluster, a repository or a server. */
export async function openLocalRender({
  io,
  shipped,
  folder,
  url,
  sockets,
  service,
  onStderr,
}: LocalRenderOptions): Promise<LocalRender> {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-render-local-"));
  const quiet = () => undefined;
  const info = (fields: object) => {
    if ("text" in fields && typeof fields.text === "string") onStderr?.(fields.text);
  };
  const log = { debug: quiet, info, warn: quiet, error: quiet };
  let pipelines: readonly Pipeline[] = [];
  const repo = await createRepoServer({
    dataDir,
    clock: io.clock,
    log,
    env: io.env,
    plugins: shipped,
    localFolder: { url, path: folder },
    secretStores: allSecretStores,
    pipelines: () => pipelines,
    ...(sockets === undefined ? {} : { pluginSockets: [sockets] }),
    ...(service ? { pluginServices: () => [service.service], pluginAccess: () => service.access } : {}),
  });
  const requestOf = async (app: LocalApp, signal: AbortSignal): Promise<ManifestRequest> => {
    const standIn = await standInPipeline(app, await repo.listPlugins());
    pipelines = standIn.pipeline ? [standIn.pipeline] : [];
    const { folder: _folder, ...rest } = standIn.app;
    const request = { ...rest, repository: { url }, noCache: true };
    const { parameters = [] } = request.source.plugin ?? {};
    if (parameters.length > 0) {
      const description = await repo.describeSource(request, signal);
      checkChoices(parameters, description);
      for (const line of unannounced(parameters, description)) io.err(`warning: ${line}\n`);
    }
    return request;
  };
  return {
    render: async (app, signal) => repo.explainRender(await requestOf(app, signal), signal),
    manifests: async (app) => {
      const { manifests } = await repo.generateManifests(await requestOf(app, io.signal), io.signal);
      return manifests.map(({ manifest }) => manifest);
    },
    plugins: () => repo.listPlugins(),
    [Symbol.asyncDispose]: async () => {
      await repo[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
