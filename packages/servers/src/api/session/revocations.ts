import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { KubeClient } from "@capstan/kube";
import { KeptSecret } from "./kept-secret.ts";

/** What became of sessions, kept where a restart and other servers find it: Argo CD has it in Redis. */
export interface Revocations {
  /** Whether a token counts no more. Throws UNAVAILABLE while what was kept cannot be read. */
  isRevoked(token: RevocableToken): Promise<boolean>;
  /** Settles when it is kept: from then on no restart lets the token in again. */
  revoke(token: RevocableToken): Promise<void>;
}

export interface RevocableToken {
  readonly id: string;
  readonly account: string;
  readonly issuedAtMs: number;
  /** Milliseconds since 1970; undefined: it does not end by itself. */
  readonly endsAtMs: number | undefined;
}

interface Entry {
  readonly account: string;
  readonly endsAtMs: number | undefined;
}

interface Needs {
  kube: Pick<KubeClient, "get" | "create" | "patch">;
  clock: Clock;
  controlNamespace: string;
  /** How long a session is at most, as the settings have it now. */
  sessionMs(): number;
}

const name = "capstan-revoked-tokens";
/** Beyond it all sessions that an account had are ended instead: the Secret stays small whoever logs out. */
const maxOfAccount = 200;
/** The settings may have allowed longer sessions before. */
const longestSessionMs = 30 * 24 * 3_600_000;

export function createRevocations(needs: Needs): Revocations {
  return new RevokedTokens(needs);
}

/** Data of the Secret: `token.<id>` and `account.<base64url of the name>`, as JSON. */
class RevokedTokens implements Revocations {
  readonly #needs: Needs;
  readonly #tokens = new Map<string, Entry>();
  /** Sessions of an account from before this time are void. */
  readonly #endedMs = new Map<string, number>();
  readonly #kept: KeptSecret;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#kept = new KeptSecret({ ...needs, name });
  }

  async isRevoked({ id, account, issuedAtMs }: RevocableToken): Promise<boolean> {
    await this.#follow();
    const before = this.#endedMs.get(account);
    return this.#tokens.has(id) || (before !== undefined && issuedAtMs <= before);
  }

  async revoke({ id, account, endsAtMs }: RevocableToken): Promise<void> {
    await this.#follow();
    const entry = { account, endsAtMs };
    this.#tokens.set(id, entry);
    const own = [...this.#tokens].filter(([, one]) => one.account === account && one.endsAtMs !== undefined);
    if (own.length <= maxOfAccount) return this.#write({ [`token.${id}`]: entry }, this.#forgetEnded());
    const now = this.#needs.clock.now();
    this.#endedMs.set(account, now);
    for (const [one] of own) this.#tokens.delete(one);
    const removed = [...own.map(([one]) => `token.${one}`), ...this.#forgetEnded()];
    return this.#write({ [accountKey(account)]: { account, endsAtMs: now } }, removed);
  }

  #follow(): Promise<void> {
    return this.#kept.follow((kept) => {
      for (const [key, value] of kept) {
        const entry = readEntry(value);
        if (key.startsWith("token.")) this.#tokens.set(key.slice("token.".length), entry);
        else if (entry.endsAtMs !== undefined) this.#endedMs.set(entry.account, entry.endsAtMs);
      }
    });
  }

  /** Those that would not count anyway: their keys. */
  #forgetEnded(): string[] {
    const { clock, sessionMs } = this.#needs;
    const now = clock.now();
    const keys: string[] = [];
    for (const [id, { endsAtMs }] of this.#tokens) {
      if (endsAtMs === undefined || endsAtMs > now) continue;
      this.#tokens.delete(id);
      keys.push(`token.${id}`);
    }
    for (const [account, at] of this.#endedMs) {
      if (at + Math.max(sessionMs(), longestSessionMs) > now) continue;
      this.#endedMs.delete(account);
      keys.push(accountKey(account));
    }
    return keys;
  }

  #write(set: Readonly<Record<string, Entry>>, removed: readonly string[]): Promise<void> {
    return this.#kept.write({ ...Object.fromEntries(removed.map((key) => [key, null])), ...set });
  }
}

function accountKey(account: string): string {
  return `account.${Buffer.from(account).toString("base64url")}`;
}

/** What cannot be read still is an entry: it revokes for good. */
function readEntry(value: unknown): Entry {
  if (!isRecord(value)) return { account: "", endsAtMs: undefined };
  const { account, endsAtMs } = value;
  return {
    account: typeof account === "string" ? account : "",
    endsAtMs: typeof endsAtMs === "number" ? endsAtMs : undefined,
  };
}
