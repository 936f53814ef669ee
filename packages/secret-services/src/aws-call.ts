import { readFile } from "node:fs/promises";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import aws4 from "aws4";
import { callJson, type JsonAnswer, type JsonCall } from "./call-json.ts";
import type { Settings } from "./settings.ts";

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

export interface AwsCall {
  service: string;
  region: string;
  /** Instead of the service's own address. */
  endpoint?: string | undefined;
  /** `X-Amz-Target`, where the service takes JSON. */
  target?: string;
  /** Of the service's JSON protocol. Default 1.1. */
  version?: "1.0" | "1.1";
  body: unknown;
}

interface Needs extends Pick<JsonCall, "guarded" | "proxy"> {
  clock: Clock;
  signal: AbortSignal;
}

/** One request, signed with version 4 of AWS's signatures. */
export async function callAws(
  { service, region, endpoint, target, version = "1.1", body }: AwsCall,
  credentials: AwsCredentials,
  needs: Needs,
): Promise<JsonAnswer> {
  const address = endpoint ?? addressOf(service, region);
  const form = body instanceof URLSearchParams ? body : undefined;
  const signed = aws4.sign(
    {
      host: new URL(address).host,
      path: "/",
      method: "POST",
      service,
      region,
      body: form ? form.toString() : JSON.stringify(body),
      headers: {
        "content-type": form ? "application/x-www-form-urlencoded" : `application/x-amz-json-${version}`,
        ...(target && { "x-amz-target": target }),
        "x-amz-date": new Date(needs.clock.now()).toISOString().replace(/[-:]|\.\d+/g, ""),
      },
    },
    credentials,
  );
  const headers = Object.fromEntries(
    Object.entries(signed.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const content = form ? { form } : { body };
  return callJson(`${address.replace(/\/$/, "")}/`, { method: "POST", headers, ...content, ...needs });
}

/** What AWS calls the failure. */
export function awsProblem({ status, body }: JsonAnswer): string {
  return `AWS answers ${status} ${awsErrorType(body)}`.trim();
}

export function awsErrorType(body: unknown): string {
  return isRecord(body) ? String(body.__type ?? "").replace(/^.*#/, "") : "";
}

/** From the environment, or a service account's token that AWS takes for a role. */
export async function readAwsCredentials(settings: Settings, needs: Needs): Promise<AwsCredentials> {
  const tokenFile = settings.get("AWS_WEB_IDENTITY_TOKEN_FILE");
  if (settings.get("AWS_ACCESS_KEY_ID") === undefined && tokenFile !== undefined)
    return exchangeToken(settings, tokenFile, needs);
  const sessionToken = settings.get("AWS_SESSION_TOKEN");
  return {
    accessKeyId: settings.need("AWS_ACCESS_KEY_ID"),
    secretAccessKey: settings.need("AWS_SECRET_ACCESS_KEY"),
    ...(sessionToken === undefined ? {} : { sessionToken }),
  };
}

/** STS AssumeRole. */
export async function assumeAwsRole(
  credentials: AwsCredentials,
  of: { role: string; region: string; endpoint?: string | undefined },
  needs: Needs,
): Promise<AwsCredentials> {
  const { role, region, endpoint } = of;
  const body = new URLSearchParams({
    Action: "AssumeRole",
    Version: "2011-06-15",
    RoleArn: role,
    RoleSessionName: "capstan",
  });
  const answer = await callAws({ service: "sts", region, endpoint, body }, credentials, needs);
  return readCredentials(answer, "AssumeRole");
}

function addressOf(service: string, region: string): string {
  if (!/^[a-z0-9-]+$/.test(region)) throw new Error(`AWS_REGION "${region}" is no region`);
  return `https://${service}.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
}

/** STS AssumeRoleWithWebIdentity, which answers in JSON when asked to. */
async function exchangeToken(settings: Settings, tokenFile: string, needs: Needs): Promise<AwsCredentials> {
  const region = settings.get("AWS_REGION") ?? "us-east-2";
  const endpoint = settings.get("AWS_ENDPOINT_URL_STS") ?? addressOf("sts", region);
  const query = new URLSearchParams({
    Action: "AssumeRoleWithWebIdentity",
    Version: "2011-06-15",
    RoleArn: settings.need("AWS_ROLE_ARN"),
    RoleSessionName: settings.get("AWS_ROLE_SESSION_NAME") ?? "capstan",
    WebIdentityToken: (await readFile(tokenFile, "utf8")).trim(),
  });
  const answer = await callJson(`${endpoint}/?${query}`, { method: "POST", ...needs });
  return readCredentials(answer, "AssumeRoleWithWebIdentity");
}

function readCredentials({ status, body }: JsonAnswer, action: string): AwsCredentials {
  const outer = isRecord(body) ? body[`${action}Response`] : undefined;
  const result = isRecord(outer) ? outer[`${action}Result`] : undefined;
  const found = isRecord(result) && isRecord(result.Credentials) ? result.Credentials : undefined;
  if (status !== 200 || !found) throw new Error(`AWS answers ${status} to ${action}`);
  const { AccessKeyId, SecretAccessKey, SessionToken } = found;
  return {
    accessKeyId: String(AccessKeyId),
    secretAccessKey: String(SecretAccessKey),
    sessionToken: String(SessionToken),
  };
}
