import type { Clock } from "@capstan/flow";
import { isRecord, parseJson } from "@capstan/formats";
import {
  type AwsCredentials,
  awsErrorType,
  awsProblem,
  callAws,
  type JsonAnswer,
  readAwsCredentials,
} from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, SecretAddress } from "./backend.ts";

/** AWS Secrets Manager's GetSecretValue; a secret is a JSON object, or `SecretBinary` (pkg/backends/awssecretsmanager.go). */
export async function awsBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  const endpoint = settings.get("AWS_ENDPOINT_URL_SECRETS_MANAGER") ?? settings.get("AWS_ENDPOINT_URL");
  let credentials: Promise<AwsCredentials> | undefined;
  return {
    async read(address, signal) {
      credentials ??= readAwsCredentials(settings, { clock, signal });
      const call = {
        service: "secretsmanager",
        region: regionOf(address.path) ?? settings.get("AWS_REGION") ?? "us-east-2",
        endpoint,
        target: "secretsmanager.GetSecretValue",
        body: { SecretId: address.path, ...versionOf(address) },
      };
      return readSecret(await callAws(call, await credentials, { clock, signal }));
    },
  };
}

function regionOf(path: string): string | undefined {
  return /^arn:aws[\w-]*:secretsmanager:([a-z0-9-]+):/.exec(path)?.[1];
}

function versionOf({ version }: SecretAddress): Record<string, string> {
  if (version === undefined) return {};
  return version === "AWSCURRENT" || version === "AWSPREVIOUS"
    ? { VersionStage: version }
    : { VersionId: version };
}

function readSecret(answer: JsonAnswer) {
  const facts = isRecord(answer.body) ? answer.body : {};
  if (awsErrorType(answer.body) === "ResourceNotFoundException") return undefined;
  if (answer.status !== 200) throw new Error(awsProblem(answer));
  if (typeof facts.SecretString === "string") return readObject(facts.SecretString);
  if (typeof facts.SecretBinary === "string")
    return { SecretBinary: Buffer.from(facts.SecretBinary, "base64") };
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
