/** `capstan repo-server`: what renders, for callers on other machines. */
import { type Followed, followFiles, readToken } from "@capstan/plugin-kit";
import { argocdRepoConnections } from "@capstan/servers/argocd-repo";
import { checkRepoCallers, listenForRepoCalls } from "@capstan/servers/repo";
import { maxMessageBytes } from "../parts/max-message-bytes.ts";
import { openOwnRepo } from "../parts/open-own-repo.ts";
import { type Begun, runProgram } from "../parts/run-program.ts";
import { openPluginSources } from "../surroundings/open-plugin-sources.ts";
import { shutdownDelayMs } from "../surroundings/shutdown-delay.ts";
import { openTls } from "../surroundings/tls.ts";
import { type RepoServerFlags, repoServerPart, tlsFilesOf } from "./options.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function runRepoServer(flags: RepoServerFlags, env: Env): Promise<void> {
  return runProgram(repoServerPart, { flags, env }, async (begun) => {
    const { options, kube, clock, log, signal } = begun;
    await using opened = new AsyncDisposableStack();
    const tls = await openTls(tlsFilesOf(flags), begun);
    const token = await followToken(flags, begun);
    const callers = {
      tls,
      ...(token ? { token } : {}),
      anyoneMayCall: flags["anyone-may-call"] === true,
    };
    checkRepoCallers(callers);
    const { namespace } = options;
    const plugins = opened.use(await openPluginSources({ kube, namespace, clock, log }, signal));
    const own = opened.use(await openOwnRepo({ ...begun, plugins, readsByItself: begun.isPod }));
    // Secrets are not its to read: what it shows to plugins' Services it has as files.
    await own.useSettings({ current: { pluginTls: {} } });
    const address = { host: flags.address ?? "0.0.0.0", port: flags.port ?? 8081 };
    const { repo } = own;
    const argocd = opened.use(
      argocdRepoConnections({ ...callers, repo, log, maxMessageBytes: maxMessageBytes(env) }),
    );
    const listening = opened.use(
      await listenForRepoCalls({ ...callers, repo, clock, log, otherwise: argocd.take }, address),
    );
    log.info({ host: address.host, port: listening.port }, "repo server is serving");
    const closing = opened.move();
    return {
      async leave() {
        await clock.sleep(shutdownDelayMs(flags), signal);
        await Promise.all([listening.drain(), argocd.drain()]);
      },
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    };
  });
}

async function followToken(flags: RepoServerFlags, means: Begun): Promise<Followed<string> | undefined> {
  const { "token-file": file } = flags;
  if (file === undefined) return undefined;
  return followFiles([file], ([text = ""]) => readToken(text, file), means);
}
