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

/** Data of the Secret: `token.<id>` and `account.<base64url of the name>`, as JSON. */
export function createRevocations(needs: Needs): Revocations {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: needs.controlNamespace, name };
  const tokens = new Map<string, Entry>();
  /** Sessions of an account from before this time are void. */
  const endedMs = new Map<string, number>();
  let loading: Promise<void> | undefined;

  const load = (): Promise<void> => {
    loading ??= read().catch((error: unknown) => {
      loading = undefined;
      throw new CapstanError(
        { code: "UNAVAILABLE", what: `Secret ${name}`, problem: "the ended sessions cannot be read" },
        error,
      );
    });
    return loading;
  };

  async function read(): Promise<void> {
    const secret = await needs.kube.get(ref, AbortSignal.timeout(limitMs));
    for (const [key, value] of Object.entries(isRecord(secret?.data) ? secret.data : {})) {
      const entry = readEntry(String(value));
      if (key.startsWith("token.")) tokens.set(key.slice("token.".length), entry);
      else if (entry.endsAtMs !== undefined) endedMs.set(entry.account, entry.endsAtMs);
    }
  }

  /** Those that would not count anyway are forgotten. */
  function ended(): string[] {
    const now = needs.clock.now();
    const keys: string[] = [];
    for (const [id, { endsAtMs }] of tokens) {
      if (endsAtMs === undefined || endsAtMs > now) continue;
      tokens.delete(id);
      keys.push(`token.${id}`);
    }
    for (const [account, at] of endedMs) {
      if (at + Math.max(needs.sessionMs(), longestSessionMs) > now) continue;
      endedMs.delete(account);
      keys.push(accountKey(account));
    }
    return keys;
  }

  /** Whoever logs out may go away meanwhile: it is kept all the same. */
  async function write(set: Record<string, Entry>, removed: readonly string[]): Promise<void> {
    const signal = AbortSignal.timeout(limitMs);
    const data: Record<string, string | null> = Object.fromEntries(removed.map((key) => [key, null]));
    for (const [key, entry] of Object.entries(set))
      data[key] = Buffer.from(JSON.stringify(entry)).toString("base64");
    try {
      await needs.kube.patch(ref, { type: "merge", body: { data } }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const { apiVersion, kind, namespace } = ref;
      const kept = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
      const labels = { "app.kubernetes.io/part-of": "argocd" };
      await needs.kube.create(
        { apiVersion, kind, metadata: { name, namespace, labels }, type: "Opaque", data: kept },
        { signal },
      );
    }
  }

  return {
    async isRevoked({ id, account, issuedAtMs }) {
      await load();
      const before = endedMs.get(account);
      return tokens.has(id) || (before !== undefined && issuedAtMs <= before);
    },
    async revoke({ id, account, endsAtMs }) {
      await load();
      const entry = { account, endsAtMs };
      tokens.set(id, entry);
      const own = [...tokens].filter(([, one]) => one.account === account && one.endsAtMs !== undefined);
      if (own.length <= maxOfAccount) return write({ [`token.${id}`]: entry }, ended());
      const now = needs.clock.now();
      endedMs.set(account, now);
      for (const [one] of own) tokens.delete(one);
      const removed = [...own.map(([one]) => `token.${one}`), ...ended()];
      return write({ [accountKey(account)]: { account, endsAtMs: now } }, removed);
    },
  };
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
