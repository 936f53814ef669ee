import type { KubeObject } from "../../types.ts";
import { isObject, objectAt, sameJson, valueAt } from "../json.ts";
import { configKey } from "./names.ts";
import type { Report } from "./report.ts";

const largest = 1024 * 1024;

function validateImmutable(
  report: Report,
  object: KubeObject,
  { previous, fields }: { previous: KubeObject | undefined; fields: readonly string[] },
): void {
  if (previous?.immutable !== true) return;
  const detail = "field is immutable when `immutable` is set";
  if (object.immutable !== true) report.forbidden("immutable", detail);
  for (const field of fields)
    if (!sameJson(object[field], storedMap(previous[field]))) report.forbidden(field, detail);
}

/** An empty map is none in the store, and another one than none in a request. */
function storedMap(value: unknown): unknown {
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
}

function validateKeys(report: Report, values: unknown, field: string): number {
  let size = 0;
  for (const [key, value] of Object.entries(isObject(values) ? values : {})) {
    report.syntax(`${field}[${key}]`, key, configKey(key));
    const text = `${value}`;
    size += field === "data" ? Buffer.byteLength(text) : Buffer.byteLength(text, "base64");
  }
  return size;
}

export function validateConfigMap(
  report: Report,
  object: KubeObject,
  previous: KubeObject | undefined,
): void {
  const binary = objectAt(object, "binaryData") ?? {};
  validateImmutable(report, object, { previous, fields: ["data", "binaryData"] });
  let size = validateKeys(report, object.data, "data");
  for (const key of Object.keys(isObject(object.data) ? object.data : {}))
    if (Object.hasOwn(binary, key))
      report.invalid(`data[${key}]`, key, "duplicate of key present in binaryData");
  size += validateKeys(report, binary, "binaryData");
  if (size > largest) report.tooLong("", `may not be more than ${largest} bytes`);
}

/** The keys that a Secret of a type must have; of some types one of them is enough. */
const neededKeys: Readonly<Record<string, { keys: readonly string[]; any?: boolean }>> = {
  "kubernetes.io/tls": { keys: ["tls.crt", "tls.key"] },
  "kubernetes.io/dockerconfigjson": { keys: [".dockerconfigjson"] },
  "kubernetes.io/dockercfg": { keys: [".dockercfg"] },
  "kubernetes.io/ssh-auth": { keys: ["ssh-privatekey"] },
  "kubernetes.io/basic-auth": { keys: ["username", "password"], any: true },
};

export function validateSecret(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
  const data = objectAt(object, "data") ?? {};
  const type = `${object.type ?? ""}`;
  if (previous && object.type !== previous.type) report.invalid("type", type, "field is immutable");
  validateImmutable(report, object, { previous, fields: ["data"] });
  const size = validateKeys(report, data, "data");
  if (size > largest) report.tooLong("data", `may not be more than ${largest} bytes`);
  const needed = neededKeys[type];
  const missing = needed?.keys.filter((key) => !Object.hasOwn(data, key)) ?? [];
  if (!needed?.any || missing.length === needed.keys.length)
    for (const key of missing) report.required(`data[${key}]`);
  if (type.startsWith("kubernetes.io/docker")) validateDockerConfig(report, data, needed?.keys[0] ?? "");
  const account = "kubernetes.io/service-account.name";
  if (type === "kubernetes.io/service-account-token" && !object.metadata.annotations?.[account])
    report.required(`metadata.annotations[${account}]`);
}

function validateDockerConfig(report: Report, data: Record<string, unknown>, key: string): void {
  const written = valueAt(data, key);
  if (typeof written !== "string") return;
  const text = Buffer.from(written, "base64").toString("utf8");
  try {
    JSON.parse(text);
  } catch {
    const first = text.trimStart().slice(0, 1);
    const detail = first
      ? `invalid character '${first}' looking for beginning of value`
      : "unexpected end of JSON input";
    report.invalid(`data[${key}]`, "<secret contents redacted>", detail);
  }
}
