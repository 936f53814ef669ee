import { UsageError } from "@capstan/cli/record";
import type { Clock } from "@capstan/flow";
import {
  type Followed,
  followFiles,
  type Log,
  readAuthority,
  readPair,
  readToken,
} from "@capstan/plugin-kit";
import { dialRepo, findEndpoints, type RepoIdentity, RepoPool } from "@capstan/servers/repo";
import type { RepoServer } from "@capstan/wire";
import type { RepoFlagValues } from "./repo-flags.ts";

interface Means {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Those that the flags name; undefined where they name none. */
export async function openRemoteRepo(
  flags: RepoFlagValues,
  means: Means,
): Promise<(RepoServer & AsyncDisposable) | undefined> {
  const names = flags["repo-server"] ?? [];
  if (names.length === 0) return undefined;
  const places = names.map(readPlace);
  const identity = await followIdentity(flags, means);
  return new RepoPool({
    endpoints: () => findEndpoints(places),
    dial: (endpoint, signal) => dialRepo(endpoint, identity, signal),
    ...means,
  });
}

function readPlace(text: string): { host: string; port: number } {
  const [, host = "", port = "8081"] =
    /^(?:dns:\/\/\/)?(\[[^\]]+\]|[^:/[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === "" || Number(port) > 65_535)
    throw new UsageError(`--repo-server: "${text}" is no address; write HOST:PORT`);
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

async function followIdentity(
  flags: RepoFlagValues,
  means: Means,
): Promise<Pick<Followed<RepoIdentity>, "current">> {
  const { "repo-server-token-file": token, "repo-server-ca": authority } = flags;
  const { "repo-server-client-cert": certificate, "repo-server-client-key": key } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError("--repo-server-client-cert and --repo-server-client-key belong together");
  if (token === undefined && authority === undefined)
    throw new UsageError(
      "--repo-server: nothing says that it is no other one. Give --repo-server-token-file FILE, or --repo-server-ca FILE with --repo-server-client-cert and its key",
    );
  if (token === undefined && certificate === undefined)
    throw new UsageError(
      "--repo-server: give --repo-server-token-file FILE, or --repo-server-client-cert FILE and its key",
    );
  const pair = certificate === undefined || key === undefined ? undefined : { certificate, key };
  const files = [token, authority, pair?.certificate, pair?.key];
  const read = (texts: readonly string[]): RepoIdentity => {
    const rest = [...texts];
    const next = (file: string | undefined): string => (file === undefined ? "" : (rest.shift() ?? ""));
    const [tokenText, authorityText, certificateText, keyText] = files.map(next);
    return {
      ...(token === undefined ? {} : { token: readToken(tokenText ?? "", token) }),
      ...(authority === undefined ? {} : { authority: readAuthority(authorityText ?? "", authority) }),
      ...(pair && {
        certificate: readPair({ certificate: certificateText ?? "", key: keyText ?? "" }, pair),
      }),
    };
  };
  return followFiles(
    files.filter((file) => file !== undefined),
    read,
    means,
  );
}
