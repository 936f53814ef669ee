import type { KubeClient } from "@capstan/kube";
import type { RepoServer } from "@capstan/wire";
import type { Registry } from "prom-client";
import type { PluginSources } from "../surroundings/open-plugin-sources.ts";
import { accountSecrets } from "../up/account-secrets.ts";
import { localFolders } from "../up/local-folders.ts";
import { openRepoServer, type RepoSources } from "../up/open-repo-server.ts";
import { openPluginAccess } from "../up/plugin-access.ts";
import { type PluginAccount, pluginAccount } from "../up/plugin-account.ts";
import { repoStarter } from "../up/start-repo-process.ts";
import type { SystemInput } from "../up/system-input.ts";

type Input = Omit<SystemInput, "startRepoServer" | "adminPassword"> & {
  readonly metrics: Registry;
  readonly kube: KubeClient;
  /** Path of a file that reaches the cluster. */
  readonly kubeconfig: string;
  /** Secrets that renders ask for are read by the right of this program itself; default: of the plugins' account. */
  readonly readsByItself?: boolean;
  readonly plugins: PluginSources;
};

export interface OwnRepo extends AsyncDisposable {
  readonly repo: RepoServer;
  /** To be called before the first render: plugins that run as Services are known by settings too. */
  useSettings(settings: Parameters<typeof openPluginAccess>[1]): Promise<void>;
}

/** A repo server that this program starts for itself, as `up` does. */
export async function openOwnRepo(input: Input): Promise<OwnRepo> {
  const { options, metrics, plugins } = input;
  await using opened = new AsyncDisposableStack();
  const folders = await localFolders(options);
  let sources: RepoSources | undefined;
  const starting = { ...input, startRepoServer: repoStarter(input) };
  const repo = opened.use(openRepoServer(starting, metrics, { folders, sources: () => sources }));
  const account = opened.use(input.readsByItself ? ownAccount(input) : pluginAccount(input, input));
  const closing = opened.move();
  return {
    repo,
    async useSettings(settings) {
      const pluginAccess = await openPluginAccess(options, settings, input);
      sources = { ...plugins, pluginAccess, readSecret: accountSecrets(input, account) };
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function ownAccount({ kubeconfig }: Pick<Input, "kubeconfig">): PluginAccount {
  return { kubeconfig: async () => kubeconfig, [Symbol.asyncDispose]: async () => undefined };
}
