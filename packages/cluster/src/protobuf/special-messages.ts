import { parseBoundedJson } from "@capstan/formats";
import type { Fields } from "./decode-message.ts";

/** Messages that have a JSON form of their own: what they hold, to what JSON shows. */
export const specialMessages: Readonly<Record<string, (fields: Fields) => unknown>> = {
  "k8s.io.apimachinery.pkg.apis.meta.v1.Time": (fields) => timeText(fields, "Z"),
  "k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime": (fields) => timeText(fields, `.${micros(fields)}Z`),
  "k8s.io.apimachinery.pkg.apis.meta.v1.Duration": ({ duration }) => durationText(wholeOf(duration)),
  "k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1": rawJson,
  "k8s.io.apimachinery.pkg.api.resource.Quantity": ({ string }) => string ?? "0",
  "k8s.io.apimachinery.pkg.util.intstr.IntOrString": ({ type, intVal, strVal }) =>
    wholeOf(type) === 1 ? (strVal ?? "") : (intVal ?? 0),
  "k8s.io.apimachinery.pkg.runtime.RawExtension": rawJson,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON": rawJson,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool": ({ allows, schema }) =>
    schema ?? allows ?? false,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray": ({
    schema,
    jSONSchemas,
  }) => jSONSchemas ?? schema,
  "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray": ({
    schema,
    property,
  }) => property ?? schema,
  "k8s.io.apimachinery.pkg.apis.meta.v1.Verbs": ({ items }) => items ?? [],
  "k8s.io.api.authorization.v1.ExtraValue": ({ items }) => items ?? [],
  "k8s.io.api.authentication.v1.ExtraValue": ({ items }) => items ?? [],
  "k8s.io.api.certificates.v1.ExtraValue": ({ items }) => items ?? [],
};

function wholeOf(value: unknown): number {
  return typeof value === "number" || typeof value === "bigint" ? Number(value) : 0;
}

/** Their one field has no name in JSON. */
function rawJson({ "-": base64 }: Fields): unknown {
  const text = typeof base64 === "string" ? Buffer.from(base64, "base64").toString("utf8") : "";
  return text === "" ? undefined : parseBoundedJson(text);
}

/** An empty message is Go's zero time, which JSON writes as null. */
function timeText({ seconds }: Fields, end: string): string | null {
  if (seconds === undefined) return null;
  return new Date(wholeOf(seconds) * 1000).toISOString().slice(0, 19) + end;
}

function micros({ nanos }: Fields): string {
  return String(Math.floor(wholeOf(nanos) / 1000)).padStart(6, "0");
}

function durationText(nanoseconds: number): string {
  const seconds = nanoseconds / 1e9;
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const rest = `${Number((seconds % 60).toFixed(9))}s`;
  return (hours > 0 ? `${hours}h` : "") + (hours > 0 || minutes > 0 ? `${minutes}m` : "") + rest;
}
