import type { LocalFolders } from "@capstan/model";
import { RepoKeeper, type RepoParent } from "@capstan/servers/repo";
import type { PluginServiceAccess, RepoServerState } from "@capstan/wire";
import type { Registry } from "prom-client";
import { localSocketFolders } from "./local-plugins.ts";
import { renderMetrics } from "./render-metrics.ts";
import { renderFolder } from "./repo-sandbox.ts";
import type { SystemInput } from "./system-input.ts";

/** What the cluster and the operator say, once they are asked. */
export interface RepoSources {
  readonly pipelines: { current(): RepoServerState["pipelines"] };
  readonly services: { current(): RepoServerState["pluginServices"] };
  pluginAccess(): PluginServiceAccess;
  readonly readSecret: RepoParent["readSecret"];
}

/** The repo server, in a process of its own: it starts while everything else does, and is asked later. */
export function openRepoServer(
  {
    options,
    clock,
    log,
    startRepoServer: start,
  }: Pick<SystemInput, "options" | "clock" | "log" | "startRepoServer">,
  registry: Registry,
  { folders, sources }: { folders: LocalFolders; sources: () => RepoSources | undefined },
): RepoKeeper {
  const parent: RepoParent = {
    setup: {
      dataDir: renderFolder(options, "main"),
      pluginSockets: [options.pluginSockets, ...localSocketFolders(options)],
      pluginTarExclude: options.pluginTarExclude,
      pluginUseManifestGeneratePaths: options.pluginUseManifestGeneratePaths,
      folders,
      secretStores: options.secretStores,
    },
    state: () => ({
      pipelines: sources()?.pipelines.current() ?? [],
      pluginServices: sources()?.services.current() ?? [],
      pluginAccess: sources()?.pluginAccess() ?? {},
    }),
    readSecret: async (ref, signal) => {
      const read = sources()?.readSecret;
      if (!read) throw new Error("the cluster is not there yet");
      return read(ref, signal);
    },
    log,
    metrics: renderMetrics(registry),
  };
  return new RepoKeeper({ start, parent, aloneDataDir: renderFolder(options, "alone"), clock });
}
