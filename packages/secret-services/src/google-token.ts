import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import { callJson, type JsonAnswer } from "./call-json.ts";
import type { Settings } from "./settings.ts";
import { shortToken, type Token, type TokenCache } from "./token-cache.ts";

interface Needs {
  clock: Clock;
  signal: AbortSignal;
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const metadataToken = "/computeMetadata/v1/instance/service-accounts/default/token";

/** A key file named by GOOGLE_APPLICATION_CREDENTIALS, else the machine's own account. */
export async function readGoogleToken(
  settings: Settings,
  { tokens, ...needs }: Needs & { tokens: TokenCache },
): Promise<Token> {
  const file = settings.get("GOOGLE_APPLICATION_CREDENTIALS");
  if (file !== undefined) {
    const key = await readKeyFile(file);
    return tokens.get(["google", JSON.stringify(key)], { login: () => exchangeKey(key, needs) });
  }
  settings.refuseForeign("the machine's account");
  const host = settings.get("GCE_METADATA_HOST") ?? "metadata.google.internal";
  const headers = { "metadata-flavor": "Google" };
  return tokens.get(["google", host], {
    login: async () =>
      readAccessToken(await callJson(`http://${host}${metadataToken}`, { headers, ...needs }), needs.clock),
  });
}

async function readKeyFile(file: string): Promise<Record<string, string>> {
  const key: unknown = parseJson(await readFile(file, "utf8"));
  if (isRecord(key) && key.type === "service_account")
    return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, String(value)]));
  throw new Error("GOOGLE_APPLICATION_CREDENTIALS names no key of a service account");
}

/** RFC 7523: a signed statement for a token. */
async function exchangeKey(
  { client_email = "", private_key = "", private_key_id = "", token_uri = "" }: Record<string, string>,
  { clock, signal }: Needs,
): Promise<Token> {
  const { importPKCS8, SignJWT } = await import("jose");
  const now = Math.floor(clock.now() / 1000);
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: private_key_id })
    .setIssuer(client_email)
    .setAudience(token_uri)
    .setIssuedAt(now)
    .setExpirationTime(now + 3600)
    .sign(await importPKCS8(private_key, "RS256"));
  const body = { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion };
  return readAccessToken(await callJson(token_uri, { method: "POST", body, clock, signal }), clock);
}

function readAccessToken({ status, body }: JsonAnswer, clock: Clock): Token {
  const answer = isRecord(body) ? body : {};
  if (status === 200 && typeof answer.access_token === "string")
    return shortToken(answer.access_token, answer.expires_in, clock);
  throw new Error(`Google answers ${status} to the request for a token`);
}
