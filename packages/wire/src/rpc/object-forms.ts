import type { DescMessage } from "@bufbuild/protobuf";
import { isRecord, parseBoundedJson, stringifyJson } from "@capstan/formats";

/** Under this key, JSON of a message keeps the fields that its type does not know. */
export const unknownFields: unique symbol = Symbol("unknown fields of a message");

/** A message whose JSON is no object of its fields. */
interface OwnForm {
  read(values: Readonly<Record<string, unknown>>): unknown;
  write(json: unknown): object;
}

const meta = "k8s.io.apimachinery.pkg.apis.meta.v1";
const argocd = "github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1";

/** Text → bytes of JSON, in the one field `name`. */
const jsonBytes = (name: string): OwnForm => ({
  read: (values) => {
    const bytes = values[name];
    if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined;
    return parseBoundedJson(new TextDecoder().decode(bytes));
  },
  write: (json) => ({ [name]: new TextEncoder().encode(stringifyJson(json)) }),
});

/** RFC 3339; Kubernetes' zero time is no time. */
const time = (digits: 0 | 6): OwnForm => ({
  read: ({ seconds, nanos }) => {
    const [whole, rest] = [Number(seconds ?? 0), Number(nanos ?? 0)];
    const ms = whole * 1000;
    if ((whole === 0 && rest === 0) || Math.abs(ms) > 8.64e15) return undefined;
    const text = new Date(ms).toISOString().slice(0, 19);
    const fraction = digits === 0 ? "" : `.${String(Math.trunc(rest / 1000)).padStart(6, "0")}`;
    return `${text}${fraction}Z`;
  },
  write: (json) => {
    const ms = Date.parse(String(json));
    if (Number.isNaN(ms)) return {};
    const seconds = Math.floor(ms / 1000);
    const fraction = /\.(\d{1,9})/.exec(String(json))?.[1] ?? "";
    return { seconds: BigInt(seconds), nanos: Number(fraction.padEnd(9, "0")) };
  },
});

/** A field whose own field of the same kind stands for it: Go needs the wrapper to tell empty from absent. */
const wrapped = (name: string): OwnForm => ({
  read: (values) => values[name],
  write: (json) => ({ [name]: json }),
});

export const ownForms: ReadonlyMap<string, OwnForm> = new Map([
  [`${meta}.Time`, time(0)],
  [`${meta}.MicroTime`, time(6)],
  [`${meta}.FieldsV1`, jsonBytes("Raw")],
  ["k8s.io.apimachinery.pkg.runtime.RawExtension", jsonBytes("raw")],
  ["k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON", jsonBytes("raw")],
  [
    "k8s.io.apimachinery.pkg.util.intstr.IntOrString",
    {
      read: ({ type, intVal, strVal }) => (Number(type ?? 0) === 1 ? (strVal ?? "") : (intVal ?? 0)),
      write: (json) =>
        typeof json === "number"
          ? { type: 0n, intVal: Math.trunc(json) }
          : { type: 1n, strVal: String(json) },
    },
  ],
  [`${argocd}.OptionalArray`, wrapped("array")],
  [
    `${argocd}.OptionalMap`,
    { read: ({ map }) => map, write: (json) => (isRecord(json) ? { map: json } : {}) },
  ],
  // A text of YAML in JSON (v1alpha1 ResourceOverride.MarshalJSON).
  [
    `${argocd}.OverrideIgnoreDiff`,
    {
      read: ({ jSONPointers, jqPathExpressions, managedFieldsManagers }) =>
        stringifyJson({ jsonPointers: jSONPointers, jqPathExpressions, managedFieldsManagers }),
      write: (json) => {
        const rule = typeof json === "string" ? parseBoundedJson(json) : undefined;
        const { jsonPointers = [], ...rest } = isRecord(rule) ? rule : {};
        return { jSONPointers: jsonPointers, ...rest };
      },
    },
  ],
]);

/** Embedded in Go: their fields stand with those of the message around (`json:",inline"`). */
export const inlined: ReadonlySet<string> = new Set([
  "ResourceNode.resourceRef",
  "SyncStrategyHook.syncStrategyApply",
]);

/**
 * Of types that go-to-protobuf generates code for: pointers, whose zero somebody wrote, and what Go's JSON writes even
 * if it is empty, where a list's items are told apart by it or what is empty is refused as such.
 */
export const keptZeros: ReadonlySet<string> = new Set([
  "ApplicationDestinationServiceAccount.defaultServiceAccount",
  "ApplicationDestinationServiceAccount.server",
  "ApplicationSetSpec.templatePatch",
  "ApplicationSourcePluginParameter.string",
  "ApplicationSpec.revisionHistoryLimit",
  "Backoff.factor",
  "Cluster.shard",
  "EnvEntry.name",
  "EnvEntry.value",
  "GroupKind.group",
  "GroupKind.kind",
  "Info.name",
  "Info.value",
  "JsonnetVar.name",
  "JsonnetVar.value",
  "ObjectMeta.deletionGracePeriodSeconds",
  "OrphanedResourcesMonitorSettings.warn",
  "OwnerReference.blockOwnerDeletion",
  "OwnerReference.controller",
  "PluginGenerator.requeueAfterSeconds",
  "SyncPolicyAutomated.enabled",
]);

export function writesZeros({ typeName }: DescMessage): boolean {
  return typeName.startsWith("k8s.io.") || typeName.startsWith(`${argocd}.`);
}
