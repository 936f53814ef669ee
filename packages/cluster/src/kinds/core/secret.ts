import { fieldsAt } from "../../registry/selectable-fields.ts";
import { type JsonObject, objectAt, valueAt } from "../../schema/json.ts";
import { length, text } from "../../schema/tables/cells.ts";
import type { Report } from "../../schema/validation/report.ts";
import type { KubeObject } from "../../types.ts";
import type { Kind } from "../kind.ts";
import { largest, validateImmutable, validateKeys } from "./data-keys.ts";

/** The keys that a Secret of a type must have; of some types one of them is enough. */
const neededKeys: Readonly<Record<string, { keys: readonly string[]; any?: boolean }>> = {
  "kubernetes.io/tls": { keys: ["tls.crt", "tls.key"] },
  "kubernetes.io/dockerconfigjson": { keys: [".dockerconfigjson"] },
  "kubernetes.io/dockercfg": { keys: [".dockercfg"] },
  "kubernetes.io/ssh-auth": { keys: ["ssh-privatekey"] },
  "kubernetes.io/basic-auth": { keys: ["username", "password"], any: true },
};

export const secret: Kind = {
  group: "",
  resource: "secrets",
  defaults: {
    "io.k8s.api.core.v1.Secret": defaultSecret,
  },
  validate: validateSecret,
  cells: { Type: text("type"), Data: length("data") },
  selectors: fieldsAt("type"),
};

/** stringData is write-only: pkg/apis/core/v1/conversion.go Convert_v1_Secret_To_core_Secret. */
function defaultSecret(fields: JsonObject): void {
  const texts = objectAt(fields, "stringData");
  delete fields.stringData;
  if (!texts) return;
  const data: JsonObject = { ...objectAt(fields, "data") };
  for (const [key, text] of Object.entries(texts)) data[key] = Buffer.from(String(text)).toString("base64");
  fields.data = data;
}

function validateSecret(report: Report, object: KubeObject, previous: KubeObject | undefined): void {
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
