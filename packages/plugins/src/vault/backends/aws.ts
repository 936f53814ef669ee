import { readFile } from "node:fs/promises";
import { type Clock, isRecord, parseJson } from "@capstan/model";
import aws4 from "aws4";
import type { Settings } from "../settings.ts";
import type { Backend, SecretAddress } from "./backend.ts";
import { callJson } from "./call-json.ts";

interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

/** AWS Secrets Manager's GetSecretValue; a secret is a JSON object, or `SecretBinary` (pkg/backends/awssecretsmanager.go). */
export async function awsBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  let credentials: Promise<Credentials> | undefined;
  return {
    async read(address, signal) {
      const region = regionOf(address.path) ?? settings.get("AWS_REGION") ?? "us-east-2";
      const endpoint =
        settings.get("AWS_ENDPOINT_URL_SECRETS_MANAGER") ??
        settings.get("AWS_ENDPOINT_URL") ??
        `https://secretsmanager.${region}.amazonaws.com`;
      credentials ??= readCredentials(settings, { clock, signal });
      const body = { SecretId: address.path, ...versionOf(address) };
      const signed = aws4.sign(
        {
          host: new URL(endpoint).host,
          path: "/",
          method: "POST",
          service: "secretsmanager",
          region,
          body: JSON.stringify(body),
          headers: {
            "content-type": "application/x-amz-json-1.1",
            "x-amz-target": "secretsmanager.GetSecretValue",
            "x-amz-date": new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, ""),
          },
        },
        await credentials,
      );
      const headers = Object.fromEntries(
        Object.entries(signed.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
      );
      const answer = await callJson(`${endpoint.replace(/\/$/, "")}/`, {
        method: "POST",
        headers,
        body,
        clock,
        signal,
      });
      return readSecret(answer);
    },
  };
}

function regionOf(path: string): string | undefined {
  return /^arn:aws[\w-]*:secretsmanager:([^:]+):/.exec(path)?.[1];
}

function versionOf({ version }: SecretAddress): Record<string, string> {
  if (version === undefined) return {};
  return version === "AWSCURRENT" || version === "AWSPREVIOUS"
    ? { VersionStage: version }
    : { VersionId: version };
}

function readSecret({ status, body }: { status: number; body: unknown }) {
  const facts = isRecord(body) ? body : {};
  const type = String(facts.__type ?? "").replace(/^.*#/, "");
  if (type === "ResourceNotFoundException") return undefined;
  if (status !== 200) throw new Error(`AWS answers ${status} ${type}`.trim());
  if (typeof facts.SecretString === "string") return readObject(facts.SecretString);
  if (typeof facts.SecretBinary === "string")
    return { SecretBinary: Buffer.from(facts.SecretBinary, "base64").toString() };
  return undefined;
}

function readObject(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    value = undefined;
  }
  if (isRecord(value)) return value;
  throw new Error("the secret is no JSON object, so it has no keys");
}

/** From the environment, or a service account's token that AWS takes for a role. */
async function readCredentials(
  settings: Settings,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Credentials> {
  const tokenFile = settings.get("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (settings.get("AWS_ACCESS_KEY_ID") === undefined && tokenFile !== undefined)
    return assumeRole(settings, { tokenFile, clock, signal });
  const sessionToken = settings.get("AWS_SESSION_TOKEN");
  return {
    accessKeyId: settings.need("AWS_ACCESS_KEY_ID"),
    secretAccessKey: settings.need("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}

/** STS AssumeRoleWithWebIdentity, which answers in JSON when asked to. */
async function assumeRole(
  settings: Settings,
  { tokenFile, clock, signal }: { tokenFile: string; clock: Clock; signal: AbortSignal },
): Promise<Credentials> {
  const region = settings.get("AWS_REGION") ?? "us-east-2";
  const endpoint = settings.get("AWS_ENDPOINT_URL_STS") ?? `https://sts.${region}.amazonaws.com`;
  const query = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: settings.need("AWS_ROLE_ARN"),
    RoleSessionName: settings.get("AWS_ROLE_SESSION_NAME") ?? "capstan",
    WebIdentityToken: (await readFile(tokenFile, "utf8")).trim(),
  });
  const { status, body } = await callJson(`${endpoint}/?${query}`, { method: "POST", clock, signal });
  const outer = isRecord(body) ? body.AssumeRoleWithWebIdentityResponse : undefined;
  const result = isRecord(outer) ? outer.AssumeRoleWithWebIdentityResult : undefined;
  const found = isRecord(result) && isRecord(result.Credentials) ? result.Credentials : undefined;
  if (status !== 200 || !found)
    throw new Error(`AWS answers ${status} to the exchange of the service account's token`);
  const { AccessKeyId, SecretAccessKey, SessionToken } = found;
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(SessionToken),
  };
}
