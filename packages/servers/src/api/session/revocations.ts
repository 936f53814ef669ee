import { isNotFound, type KubeClient } from "@capstan/kube";
import { CapstanError, type Clock, isRecord } from "@capstan/model";

/** What became of sessions, kept where a restart finds it: Argo CD has it in Redis. */
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
const limitMs = 10_000;

export function createRevocations(needs: Needs): Revocations {
  return new RevokedTokens(needs);
}

type Data = Record<string, string | null>;

/** Data of the Secret: `token.<id>` and `account.<base64url of the name>`, as JSON. */
class RevokedTokens implements Revocations {
  readonly #needs: Needs;
  readonly #tokens = new Map<string, Entry>();
  /** Sessions of an account from before this time are void. */
  readonly #endedMs = new Map<string, number>();
  #loading: Promise<void> | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async isRevoked({ id, account, issuedAtMs }: RevocableToken): Promise<boolean> {
    await this.#load();
    const before = this.#endedMs.get(account);
    return this.#tokens.has(id) || (before !== undefined && issuedAtMs <= before);
  }

  async revoke({ id, account, endsAtMs }: RevocableToken): Promise<void> {
    await this.#load();
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

  #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined;
      throw new CapstanError(
        { code: "UNAVAILABLE", what: `Secret ${name}`, problem: "the ended sessions cannot be read" },
        error,
      );
    });
    return this.#loading;
  }

  get #ref() {
    return { apiVersion: "v1", kind: "Secret", namespace: this.#needs.controlNamespace, name };
  }

  async #read(): Promise<void> {
    const secret = await this.#needs.kube.get(this.#ref, AbortSignal.timeout(limitMs));
    for (const [key, value] of Object.entries(isRecord(secret?.data) ? secret.data : {})) {
      const entry = readEntry(String(value));
      if (key.startsWith("token.")) this.#tokens.set(key.slice("token.".length), entry);
      else if (entry.endsAtMs !== undefined) this.#endedMs.set(entry.account, entry.endsAtMs);
    }
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

  /** Whoever logs out may go away meanwhile: it is kept all the same. */
  async #write(set: Record<string, Entry>, removed: readonly string[]): Promise<void> {
    const signal = AbortSignal.timeout(limitMs);
    const data: Data = Object.fromEntries(removed.map((key) => [key, null]));
    for (const [key, entry] of Object.entries(set))
      data[key] = Buffer.from(JSON.stringify(entry)).toString("base64");
    try {
      await this.#needs.kube.patch(this.#ref, { type: "merge", body: { data } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(data, signal);
    }
  }

  async #create(data: Data, signal: AbortSignal): Promise<void> {
    const { apiVersion, kind, namespace } = this.#ref;
    const metadata = { name, namespace, labels: { "app.kubernetes.io/part-of": "argocd" } };
    const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
    await this.#needs.kube.create({ apiVersion, kind, metadata, type: "Opaque", data: kept }, { signal });
  }
}

function accountKey(account: string): string {
  return `account.${Buffer.from(account).toString("base64url")}`;
}

/** What cannot be read still is an entry: it revokes for good. */
function readEntry(base64: string): Entry {
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
    if (!isRecord(value)) return { account: "", endsAtMs: undefined };
    const { account, endsAtMs } = value;
    return {
      account: typeof account === "string" ? account : "",
      endsAtMs: typeof endsAtMs === "number" ? endsAtMs : undefined,
    };
  } catch {
    return { account: "", endsAtMs: undefined };
  }
}
