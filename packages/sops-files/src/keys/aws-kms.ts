import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { assumeAwsRole, awsProblem, callAws, readAwsCredentials } from "@capstan/secret-services";
import { Settings } from "@capstan/secret-services/settings";
import type { Unwrap } from "../data-key.ts";
import { checkAllowed } from "./allowed-keys.ts";

type Env = Readonly<Record<string, string | undefined>>;

const arnShape = /^arn:aws[\w-]*:kms:([a-z0-9-]+):\d+:(?:key|alias)\/[\w/-]+$/;

/** AWS KMS in the region of the key's ARN, as its role where it names one (kms/keysource.go). */
export function awsKms(env: Env, clock: Clock): Unwrap {
  const settings = new Settings({}, env);
  return async ({ fields, context }, signal) => {
    const { arn = "", role, enc = "" } = fields;
    const region = arnShape.exec(arn)?.[1];
    if (region === undefined) throw new Error("its ARN is none of a key");
    if (fields.aws_profile)
      throw new Error("profiles of AWS are not read here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    checkAllowed(env, arn, ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE"]);
    const needs = { clock, signal };
    const own = await readAwsCredentials(settings, needs);
    const any = settings.get("AWS_ENDPOINT_URL");
    const sts = { region, endpoint: settings.get("AWS_ENDPOINT_URL_STS") ?? any };
    const credentials = role ? await assumeAwsRole(own, { role, ...sts }, needs) : own;
    const endpoint = settings.get("AWS_ENDPOINT_URL_KMS") ?? any;
    const body = {
      KeyId: arn,
      CiphertextBlob: enc,
      ...(Object.keys(context).length > 0 ? { EncryptionContext: context } : {}),
    };
    const call = { service: "kms", region, endpoint, target: "TrentService.Decrypt", body };
    const answer = await callAws(call, credentials, needs);
    const plain = isRecord(answer.body) ? answer.body.Plaintext : undefined;
    if (answer.status === 200 && typeof plain === "string") return Buffer.from(plain, "base64");
    throw new Error(awsProblem(answer));
  };
}
