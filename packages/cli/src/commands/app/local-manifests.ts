import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { stringifyJson } from "@capstan/formats";
import { type Application, messageOf, sourcesOf } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ExitError, type FlagValues, type ShippedPlugins, UsageError } from "../../command.ts";
import type { Io } from "../../io.ts";
import { type LocalApp, usualKubeVersion } from "../plugin/local-app.ts";
import { openLocalRender } from "../plugin/local-render.ts";
import { type AppRef, fetchApp } from "./app-name.ts";
import type { localFlags } from "./source-flags.ts";

interface LocalInput {
  readonly io: Io;
  readonly api: Api;
  shippedPlugins(): Promise<ShippedPlugins>;
  readonly folder: string;
  readonly flags: FlagValues<typeof localFlags>;
}

/**
 * What an application's folder on this machine makes, by the plugins that the server has too: JSON texts.
 * Kubernetes' version and kinds are those of the application's cluster (cmd/argocd/commands/app.go getLocalObjectsString).
 */
export async function localManifests(ref: AppRef, input: LocalInput): Promise<string[]> {
  const { io } = input;
  const local = await localApp(await fetchApp(input.api, ref), input);
  await using renderer = await openLocalRender({
    io,
    shipped: await input.shippedPlugins(),
    folder: local.folder,
    url: local.source.repoURL,
    sockets: io.env.ARGOCD_PLUGINSOCKFILEPATH,
    onStderr: io.err,
  });
  const manifests = await renderer.manifests(local);
  if (manifests.length === 0) io.err(`${input.folder} holds no manifests\n`);
  return manifests.map((manifest) => stringifyJson(manifest));
}

async function localApp(
  app: Application,
  { io, api, folder: given, flags: { "local-repo-root": repoRoot } }: LocalInput,
): Promise<LocalApp> {
  const [source, ...more] = sourcesOf(app);
  if (!source || more.length > 0)
    throw new UsageError(
      `--local is for applications of one source; "${app.metadata.name}" has ${more.length + 1}`,
    );
  if (source.chart)
    throw new UsageError("--local is for applications whose manifests are in a git repository");
  const folder = await realpath(given).catch(() => {
    throw new ExitError(`${resolve(given)} is not there: --local names a folder of this machine`, 20);
  });
  const root = repoRoot === undefined ? repositoryOf(folder) : await realpath(repoRoot);
  if (folder !== root && !folder.startsWith(root + sep))
    throw new UsageError(`--local: ${folder} is not in --local-repo-root ${root}`);
  return {
    folder: root,
    appName: app.metadata.name,
    namespace: app.spec.destination.namespace ?? "",
    project: app.spec.project ?? "default",
    source: { ...source, path: relative(root, folder) || "." },
    ...(await clusterFacts(app, { io, api })),
  };
}

/** The nearest folder above that is a checkout; without one the folder stands for itself. */
function repositoryOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return folder;
  }
}

async function clusterFacts(
  { spec }: Application,
  { io, api }: { io: Io; api: Api },
): Promise<Pick<LocalApp, "kubeVersion" | "apiVersions">> {
  const { server, name } = spec.destination;
  let reason: string;
  try {
    const found = await api.call("getCluster", {
      id: server || name || "",
      "id.type": server ? "url" : "name",
    });
    const version = found.serverVersion ?? found.info?.serverVersion ?? "";
    const kubeVersion = /^v?(\d+\.\d+(\.\d+)?)/.exec(version)?.[1];
    if (kubeVersion) return { kubeVersion, apiVersions: found.info?.apiVersions ?? [] };
    reason = "the server has not reached it yet";
  } catch (error) {
    io.signal.throwIfAborted();
    reason = messageOf(error);
  }
  io.err(`warning: the cluster's version is not known, ${usualKubeVersion} is taken: ${reason}\n`);
  return { kubeVersion: usualKubeVersion, apiVersions: [] };
}
