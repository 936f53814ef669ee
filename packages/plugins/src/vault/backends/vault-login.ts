import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Clock, isRecord } from "@capstan/model";
import type { Settings } from "../settings.ts";

export interface Token {
  token: string;
  /** Milliseconds since 1970 after which it is not used any more. */
  until: number;
}

type Post = (path: string, body: unknown, signal: AbortSignal) => Promise<unknown>;

const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";
const maxTokens = 1000;
/** A token that ends within this is not worth using. */
const marginMs = 10_000;

/** Tokens of Vault by whose they are: address, namespace, way in, role and credential. In memory alone. */
export class TokenCache {
  readonly #tokens = new Map<string, Promise<Token>>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(identity: readonly string[], login: () => Promise<Token>): Promise<string> {
    const key = createHash("sha256").update(JSON.stringify(identity)).digest("hex");
    const known = this.#tokens.get(key);
    if (known) {
      const { token, until } = await known;
      if (until - marginMs > this.#clock.now()) return token;
    }
    const fresh = login();
    this.#tokens.delete(key);
    this.#tokens.set(key, fresh);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > maxTokens && oldest !== undefined) this.#tokens.delete(oldest);
    try {
      return (await fresh).token;
    } catch (error) {
      if (this.#tokens.get(key) === fresh) this.#tokens.delete(key);
      throw error;
    }
  }

  /** After a 403: the token may have been revoked. */
  forget(identity: readonly string[]): void {
    this.#tokens.delete(createHash("sha256").update(JSON.stringify(identity)).digest("hex"));
  }
}

export interface Login {
  /** What tells this identity from another. */
  identity: readonly string[];
  run(post: Post, signal: AbortSignal): Promise<Token>;
}

/** By AVP_AUTH_TYPE (pkg/auth/vault); a token lives as long as Vault says. */
export async function readLogin(settings: Settings, clock: Clock): Promise<Login> {
  const type = settings.get("AVP_AUTH_TYPE") ?? "token";
  const place = [settings.need("VAULT_ADDR"), settings.get("VAULT_NAMESPACE") ?? "", type];
  if (type === "token") {
    const token = settings.need("VAULT_TOKEN");
    return { identity: [...place, token], run: async () => ({ token, until: Number.POSITIVE_INFINITY }) };
  }
  const { mount, path, body } = await bodyOf(type, settings);
  const full = `${mount.replace(/^\/|\/$/g, "")}/login${path}`;
  return {
    identity: [...place, full, JSON.stringify(body)],
    run: async (post, signal) => readToken(await post(full, body, signal), clock.now()),
  };
}

async function bodyOf(type: string, settings: Settings) {
  const mount = settings.get("AVP_MOUNT_PATH");
  switch (type) {
    case "approle": {
      const ids = { role_id: settings.need("AVP_ROLE_ID"), secret_id: settings.need("AVP_SECRET_ID") };
      return { mount: mount ?? "auth/approle", path: "", body: ids };
    }
    case "github":
      return { mount: mount ?? "auth/github", path: "", body: { token: settings.need("AVP_GITHUB_TOKEN") } };
    case "userpass": {
      const user = encodeURIComponent(settings.need("AVP_USERNAME"));
      const body = { password: settings.need("AVP_PASSWORD") };
      return { mount: mount ?? "auth/userpass", path: `/${user}`, body };
    }
    case "k8s": {
      settings.refuseForeign("the service account's token");
      const file = settings.get("AVP_K8S_TOKEN_PATH") ?? serviceAccountToken;
      const jwt = (await readFile(file, "utf8")).trim();
      const own = settings.get("AVP_K8S_MOUNT_PATH") ?? mount ?? "auth/kubernetes";
      return { mount: own, path: "", body: { role: settings.need("AVP_K8S_ROLE"), jwt } };
    }
    default:
      throw new Error(`AVP_AUTH_TYPE "${type}" is unknown: use token, approle, github, userpass or k8s`);
  }
}

function readToken(answer: unknown, now: number): Token {
  const auth = isRecord(answer) ? answer.auth : undefined;
  if (!isRecord(auth) || typeof auth.client_token !== "string")
    throw new Error("Vault's login gives no token");
  const seconds = Number(auth.lease_duration ?? 0);
  return {
    token: auth.client_token,
    until: seconds > 0 ? now + seconds * 1000 : Number.POSITIVE_INFINITY,
  };
}
