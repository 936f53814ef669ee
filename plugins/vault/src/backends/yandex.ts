import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { callJson, shortToken, type Token, type TokenCache } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backend.ts";

const audience = "https://iam.api.cloud.yandex.net/iam/v1/tokens";

/** Yandex Lockbox: the path is a secret's id, its keys those of its entries (pkg/backends/yandexcloudlockbox.go). */
export async function yandexBackend(settings: Settings, { clock, tokens }: BackendNeeds): Promise<Backend> {
  const endpoint = settings.get("YC_LOCKBOX_ENDPOINT") ?? "https://payload.lockbox.api.cloud.yandex.net";
  return {
    async read({ path, version }, signal) {
      if (!/^[\w-]+$/.test(path)) throw new Error("the path is no id of a secret");
      const { token } = await readToken(settings, { clock, signal, tokens });
      const query = version === undefined ? "" : `?${new URLSearchParams({ versionId: version })}`;
      const headers = { authorization: `Bearer ${token}` };
      const url = `${endpoint}/lockbox/v1/secrets/${path}/payload${query}`;
      const { status, body } = await callJson(url, { headers, clock, signal });
      if (status === 404) return undefined;
      if (status !== 200 || !isRecord(body)) throw new Error(`Yandex Lockbox answers ${status}`);
      const entries = Array.isArray(body.entries) ? body.entries.filter(isRecord) : [];
      return Object.fromEntries(
        entries.flatMap(({ key, textValue }) =>
          typeof textValue === "string" ? [[String(key), textValue]] : [],
        ),
      );
    },
  };
}

/** An authorised key's signed statement for a token (Yandex Identity and Access Management, IamToken.Create). */
function readToken(
  settings: Settings,
  { tokens, ...needs }: { clock: Clock; signal: AbortSignal; tokens: TokenCache },
): Promise<Token> {
  const names = ["SERVICE_ACCOUNT_ID", "KEY_ID", "PRIVATE_KEY"];
  const key = names.map((name) => settings.need(`AVP_YCL_${name}`));
  const endpoint = settings.get("YC_IAM_ENDPOINT") ?? "https://iam.api.cloud.yandex.net";
  return tokens.get(["yandex", endpoint, ...key], { login: () => exchangeKey(endpoint, key, needs) });
}

async function exchangeKey(
  endpoint: string,
  [account, key, text]: readonly string[],
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Token> {
  const { importPKCS8, SignJWT } = await import("jose");
  const now = Math.floor(clock.now() / 1000);
  // What Yandex hands out has a line before the key.
  const pem = (text ?? "").replace(/^[^-]*(?=-----BEGIN)/s, "");
  const jwt = await new SignJWT()
    .setProtectedHeader({ alg: "PS256", typ: "JWT", kid: key ?? "" })
    .setIssuer(account ?? "")
    .setAudience(audience)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(await importKey(pem, importPKCS8));
  const call = { method: "POST" as const, body: { jwt }, clock, signal };
  const { status, body } = await callJson(`${endpoint}/iam/v1/tokens`, call);
  const answer = isRecord(body) ? body : {};
  const seconds = (Date.parse(String(answer.expiresAt)) - clock.now()) / 1000;
  if (status === 200 && typeof answer.iamToken === "string")
    return shortToken(answer.iamToken, Number.isNaN(seconds) ? undefined : seconds, clock);
  throw new Error(`Yandex answers ${status} to the request for a token`);
}

async function importKey(pem: string, read: typeof import("jose").importPKCS8) {
  try {
    return await read(pem, "PS256");
  } catch {
    // What the parser says may quote the key.
    throw new Error("AVP_YCL_PRIVATE_KEY is no private key in PEM");
  }
}
