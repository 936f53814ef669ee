import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { type Token, usedUntil } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";

/** One request with a body, whose answer must be good. */
export type Post = (path: string, body: unknown, signal: AbortSignal) => Promise<unknown>;

const serviceAccountToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

export interface Login {
  /** What tells this identity from another. */
  identity: readonly string[];
  /** Given by the operator: no other one can be got. */
  isFixed: boolean;
  run(post: Post, signal: AbortSignal): Promise<Token>;
}

/** By AVP_AUTH_TYPE (pkg/auth/vault); a token lives as long as Vault says. */
export async function readLogin(settings: Settings, clock: Clock): Promise<Login> {
  const type = settings.get("AVP_AUTH_TYPE")?.trim() ?? "token";
  const place = [settings.need("VAULT_ADDR"), settings.get("VAULT_NAMESPACE") ?? "", type];
  if (type === "token") {
    // Out of a file it has a line's end, which no header may hold.
    const token = settings.need("VAULT_TOKEN").trim();
    const fixed: Token = { token, until: Number.POSITIVE_INFINITY, isRenewable: false };
    return { identity: [...place, token], isFixed: true, run: async () => fixed };
  }
  const { mount, path, body } = await bodyOf(type, settings);
  const full = `${mount.replace(/^\/|\/$/g, "")}/login${path}`;
  return {
    identity: [...place, full, JSON.stringify(body)],
    isFixed: false,
    run: async (post, signal) => readVaultToken(await post(full, body, signal), clock),
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

/** Of a login or a renewal. */
export function readVaultToken(answer: unknown, clock: Clock): Token {
  const auth = isRecord(answer) ? answer.auth : undefined;
  if (!isRecord(auth) || typeof auth.client_token !== "string")
    throw new Error("Vault's login gives no token");
  const seconds = Number(auth.lease_duration ?? 0);
  return {
    token: auth.client_token,
    until: seconds > 0 ? usedUntil(seconds * 1000, clock) : Number.POSITIVE_INFINITY,
    isRenewable: auth.renewable === true,
  };
}
