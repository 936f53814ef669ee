import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { stringifyJson } from "@capstan/formats";
import { ApiError } from "../types.ts";
import { decodeMessage, type MessageTable } from "./decode-message.ts";

/** apimachinery runtime/serializer/protobuf: what every body starts with. */
const magic = Buffer.from("k8s\0");

let loaded: MessageTable | undefined;

/** Read at the first protobuf body: most clients never send one. */
function messages(): MessageTable {
  loaded ??= JSON.parse(readFileSync(join(import.meta.dirname, "data", "messages.json"), "utf8"));
  return loaded ?? {};
}

/** Packages whose name is not their group's first word. */
const packages: Readonly<Record<string, string>> = {
  "": "k8s.io.api.core",
  "rbac.authorization.k8s.io": "k8s.io.api.rbac",
  "events.k8s.io": "k8s.io.api.events",
  "apiextensions.k8s.io": "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions",
  "apiregistration.k8s.io": "k8s.io.kube_aggregator.pkg.apis.apiregistration",
};
const metaPackage = "k8s.io.apimachinery.pkg.apis.meta.v1";

function messageName(apiVersion: string, kind: string): string {
  const [version = "", group = ""] = apiVersion.split("/").toReversed();
  const named = `${packages[group] ?? `k8s.io.api.${group.split(".")[0]}`}.${version}.${kind}`;
  return named in messages() ? named : `${metaPackage}.${kind}`;
}

/** runtime.Unknown: type meta in 1, the object in 2. */
function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  const envelope = { apiVersion: "", kind: "", raw: new Uint8Array() };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 2 && type === WireType.LengthDelimited) envelope.raw = Uint8Array.from(reader.bytes());
    else if (field === 1 && type === WireType.LengthDelimited) {
      const meta = new BinaryReader(reader.bytes());
      while (meta.pos < meta.len) {
        const [which] = meta.tag();
        const text = meta.string();
        if (which === 1) envelope.apiVersion = text;
        else if (which === 2) envelope.kind = text;
      }
    } else reader.skip(type, field);
  }
  return envelope;
}

/**
 * The JSON text of a protobuf body. client-go of Kubernetes 1.34 on sends built-in kinds so, without falling
 * back to JSON, while its Accept header takes JSON answers (client-go rest/request.go UseProtobufAsDefault).
 * Throws ApiError 400 for anything else.
 */
export function decodeBody(body: Uint8Array): string {
  if (!magic.equals(body.subarray(0, magic.length)))
    throw new ApiError(
      400,
      "BadRequest",
      "the body is not a Kubernetes protobuf message: its prefix is missing",
    );
  try {
    const { apiVersion, kind, raw } = readEnvelope(body.subarray(magic.length));
    const fields = decodeMessage(messages(), messageName(apiVersion, kind), raw);
    return stringifyJson({ apiVersion, kind, ...(typeof fields === "object" ? fields : {}) });
  } catch (error) {
    // BinaryReader throws plain Errors and RangeErrors.
    if (!(error instanceof RangeError || (error instanceof Error && error.name === "Error"))) throw error;
    throw new ApiError(400, "BadRequest", `the protobuf body cannot be read: ${error.message}`);
  }
}
