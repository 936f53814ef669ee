import { createHash } from "node:crypto";
import { BoundedMap, type Clock, SharedCalls } from "@capstan/flow";
import { CapstanError, isCapstanError, messageOf, type Repository, withoutUserinfo } from "@capstan/model";
import { askAzure, azureOf } from "./azure-token.ts";
import { askGithub, githubAppOf } from "./github-token.ts";
import { askGoogle, googleKeyOf } from "./google-token.ts";

/** A token that somebody gave for a key, with the name that goes before it as a password. */
export interface IssuedToken {
  readonly username: string;
  readonly token: string;
  /** It goes in a header of its own, as no password. */
  readonly isBearer?: boolean;
  /** Milliseconds since 1970. */
  readonly until: number;
}

export interface TokenNeeds {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly known: KnownIssuers;
}

/** Where tokens are asked for, and whom they may be shown to, unless a repository's own host says it. */
export interface KnownIssuers {
  readonly github: string;
  readonly google: string;
  /** Hosts of Azure DevOps; of one that begins with a dot all below it. */
  readonly azureHosts: readonly string[];
}

export const publicIssuers: KnownIssuers = {
  github: "https://api.github.com",
  google: "https://oauth2.googleapis.com/token",
  azureHosts: ["dev.azure.com", ".visualstudio.com"],
};

/** Before its end a token is asked for anew: a fetch that begins with it goes on for a while. */
const spareMs = 5 * 60_000;

type Ask = (signal: AbortSignal) => Promise<IssuedToken>;

/** Tokens for repositories that have a key in place of a password. They are kept in memory alone. */
export class IssuedTokens {
  readonly #needs: TokenNeeds;
  readonly #kept = new BoundedMap<IssuedToken>(1_000);
  readonly #asking = new SharedCalls<IssuedToken>();

  constructor(needs: Omit<TokenNeeds, "known"> & { known?: KnownIssuers }) {
    this.#needs = { known: publicIssuers, ...needs };
  }

  /** The same repository where it has a password, or nothing at all. */
  async complete(repository: Repository, signal: AbortSignal): Promise<Repository> {
    const ask = this.#askFor(repository);
    if (!ask) return repository;
    try {
      const { username, token, isBearer } = await this.#token(repository, ask, signal);
      return { ...repository, ...(isBearer ? { bearerToken: token } : { username, password: token }) };
    } catch (error) {
      signal.throwIfAborted();
      if (isCapstanError(error)) throw error;
      const facts = { repository: withoutUserinfo(repository.url), problem: messageOf(error) };
      throw new CapstanError({ code: "REPOSITORY_AUTH", ...facts }, error);
    }
  }

  async #token(repository: Repository, ask: Ask, signal: AbortSignal): Promise<IssuedToken> {
    if (!/^https?:/i.test(repository.url.trim()))
      throw new Error(
        "tokens for a key are shown at http(s) addresses alone: with ssh it needs an sshPrivateKey",
      );
    const key = keyOf(repository);
    const kept = this.#kept.get(key);
    if (kept && kept.until - spareMs > this.#needs.clock.now()) return kept;
    const token = await this.#asking.join(key, ask, signal);
    this.#kept.set(key, token);
    return token;
  }

  /** In Argo CD's order (Repository.GetGitCreds). */
  #askFor(repository: Repository): Ask | undefined {
    const { password, sshPrivateKey, bearerToken } = repository;
    if (password !== undefined || sshPrivateKey !== undefined || bearerToken !== undefined) return undefined;
    const app = githubAppOf(repository);
    if (app) return (signal) => askGithub(app, { repository, ...this.#needs, signal });
    const key = googleKeyOf(repository);
    if (key) return (signal) => askGoogle(key, { repository, ...this.#needs, signal });
    const identity = azureOf(repository, this.#needs);
    return identity && ((signal) => askAzure(identity, { repository, ...this.#needs, signal }));
  }
}

/** All by which the answer could differ. */
function keyOf({ url, insecure, proxy, noProxy, tlsAuthorities, ...rest }: Repository): string {
  const { githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, githubAppPrivateKey } = rest;
  const { gcpServiceAccountKey, useAzureWorkloadIdentity, project } = rest;
  const all = [
    ...[githubAppID, githubAppInstallationID, githubAppEnterpriseBaseUrl, githubAppPrivateKey],
    ...[gcpServiceAccountKey, useAzureWorkloadIdentity, project],
    ...[insecure, proxy, noProxy, tlsAuthorities, new URL(url).host],
  ];
  return createHash("sha256").update(JSON.stringify(all)).digest("base64url");
}
