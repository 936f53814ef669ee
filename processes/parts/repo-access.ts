import { readFile } from "node:fs/promises";
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
import { maxMessageBytes } from "./max-message-bytes.ts";
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
  if (flags["repo-server-protocol"] === "argocd") return openArgocdRepo(flags, places, means);
  if (flags["repo-server-plaintext"])
    throw new UsageError(
      "--repo-server-plaintext is for --repo-server-protocol argocd: ours are known by TLS",
    );
  const identity = await followIdentity(flags, means);
  return new RepoPool({
    endpoints: () => findEndpoints(places),
    dial: (endpoint, signal) => dialRepo(endpoint, identity, signal),
    ...means,
  });
}

/** Its callers are asked nothing, and by default its certificate is one that it has made itself. */
async function openArgocdRepo(
  flags: RepoFlagValues,
  places: readonly Place[],
  { clock, log }: Means,
): Promise<RepoServer & AsyncDisposable> {
  const [place, ...others] = places;
  if (!place || others.length > 0)
    throw new UsageError("--repo-server: of Argo CD's own one name is given, which may stand for several");
  const ours = ["repo-server-token-file", "repo-server-client-cert", "repo-server-client-key"] as const;
  const [unknown] = ours.filter((name) => flags[name] !== undefined);
  if (unknown) throw new UsageError(`--${unknown}: Argo CD's repo server asks its callers for nothing`);
  const { "repo-server-ca": authority, "repo-server-plaintext": isPlain } = flags;
  if (isPlain && authority !== undefined)
    throw new UsageError("--repo-server-plaintext has no certificate that --repo-server-ca could prove");
  const security = isPlain
    ? "plaintext"
    : authority === undefined
      ? "unproved"
      : { authority: readAuthority(await readFile(authority, "utf8"), authority) };
  if (typeof security === "string") log.warn({ ...place, security }, unprovedRepo);
  // Loaded only now: gRPC takes time that others need not wait for.
  const { dialArgocdRepo } = await import("@capstan/servers/argocd-repo");
  const timeoutMs = (flags["repo-server-timeout-seconds"] ?? 60) * 1_000;
  return dialArgocdRepo(
    { ...place, security, timeoutMs, maxMessageBytes: maxMessageBytes(process.env) },
    clock,
  );
}

const unprovedRepo =
  "nothing says that the repo server is no other one, and repositories' credentials are sent to it, as Argo CD's programs do: --repo-server-ca FILE names its authority";

interface Place {
  host: string;
  port: number;
}

function readPlace(text: string): Place {
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
