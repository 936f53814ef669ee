import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { callJson, type JsonAnswer } from "./call-json.ts";
import type { Settings } from "./settings.ts";
import { shortToken, type Token, type TokenCache } from "./token-cache.ts";

interface Needs {
  clock: Clock;
  signal: AbortSignal;
  tokens: TokenCache;
}

const resource = "https://vault.azure.net";
const machine = "http://169.254.169.254/metadata/identity/oauth2/token";

/** In the order of DefaultAzureCredential: a client's secret, a workload's token, the machine's identity. */
export async function readAzureToken(settings: Settings, needs: Needs): Promise<Token> {
  const secret = settings.get("AZURE_CLIENT_SECRET");
  const tokenFile = settings.get("AZURE_FEDERATED_TOKEN_FILE");
  if (secret !== undefined) return askAuthority(settings, { client_secret: secret }, needs);
  if (tokenFile === undefined) return askMachine(settings, needs);
  const assertion = (await readFile(tokenFile, "utf8")).trim();
  const type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
  return askAuthority(settings, { client_assertion: assertion, client_assertion_type: type }, needs);
}

async function askAuthority(
  settings: Settings,
  proof: Readonly<Record<string, string>>,
  { tokens, ...needs }: Needs,
): Promise<Token> {
  const host = settings.get("AZURE_AUTHORITY_HOST") ?? "https://login.microsoftonline.com/";
  const tenant = encodeURIComponent(settings.need("AZURE_TENANT_ID"));
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: settings.need("AZURE_CLIENT_ID"),
    scope: `${resource}/.default`,
    ...proof,
  });
  const url = `${host.replace(/\/$/, "")}/${tenant}/oauth2/v2.0/token`;
  return tokens.get(["azure", url, form.toString()], {
    login: async () => readToken(await callJson(url, { method: "POST", form, ...needs }), needs.clock),
  });
}

async function askMachine(settings: Settings, { tokens, ...needs }: Needs): Promise<Token> {
  settings.refuseForeign("the machine's identity");
  const client = settings.get("AZURE_CLIENT_ID");
  const query = new URLSearchParams({
    "api-version": "2018-02-01",
    resource,
    ...(client && { client_id: client }),
  });
  const url = `${settings.get("AZURE_POD_IDENTITY_AUTHORITY_HOST") ?? machine}?${query}`;
  return tokens.get(["azure", url], {
    login: async () =>
      readToken(await callJson(url, { headers: { metadata: "true" }, ...needs }), needs.clock),
  });
}

function readToken({ status, body }: JsonAnswer, clock: Clock): Token {
  const answer = isRecord(body) ? body : {};
  if (status === 200 && typeof answer.access_token === "string")
    return shortToken(answer.access_token, answer.expires_in, clock);
  throw new Error(`Azure answers ${status} to the request for a token`);
}
