import { badRequest } from "../objects/failures.ts";
import type { Served } from "../registry/served.ts";
import { isRecord, type KubeObject } from "../types.ts";

export type FieldSelector = (object: KubeObject) => boolean;

type Values = (object: KubeObject) => string;

const eventFields =
  "involvedObject.kind involvedObject.namespace involvedObject.name involvedObject.uid involvedObject.apiVersion involvedObject.resourceVersion involvedObject.fieldPath reason reportingComponent source type";
const newEventFields =
  "regarding.kind regarding.namespace regarding.name regarding.uid regarding.apiVersion regarding.resourceVersion regarding.fieldPath reason reportingController type";

/** The labels that each kind's conversion functions accept besides metadata.name and metadata.namespace. */
const selectable: Record<string, string> = {
  "/pods":
    "spec.nodeName spec.restartPolicy spec.schedulerName spec.serviceAccountName spec.hostNetwork status.phase status.podIP status.podIPs status.nominatedNodeName",
  "/events": eventFields,
  "events.k8s.io/events": newEventFields,
  "/secrets": "type",
  "/nodes": "spec.unschedulable",
  "/namespaces": "status.phase",
  "/services": "spec.clusterIP spec.type",
  "/replicationcontrollers": "status.replicas",
  "batch/jobs": "status.successful",
  "certificates.k8s.io/certificatesigningrequests": "spec.signerName",
};

const special: Record<string, Values> = {
  source: (object) => {
    const named = isRecord(object.source) ? object.source.component : undefined;
    return asText(named) || asText(object.reportingComponent);
  },
  "status.successful": (object) => asText(valueAt(object, ["status", "succeeded"])) || "0",
  "status.replicas": (object) => asText(valueAt(object, ["status", "replicas"])) || "0",
  "spec.unschedulable": (object) => asText(valueAt(object, ["spec", "unschedulable"])) || "false",
  "spec.hostNetwork": (object) => asText(valueAt(object, ["spec", "hostNetwork"])) || "false",
};

/** apimachinery pkg/fields: `a=b`, `a==b`, `a!=b`, joined by commas; `\` escapes. */
export function parseFieldSelector(served: Served, text: string): FieldSelector {
  const requirements = splitTerms(text).map((part) => {
    const term = readTerm(part);
    if (term === undefined) throw badRequest(`invalid selector: '${part}'; can't understand '${part}'`);
    const read = fieldReader(served, term.key);
    return (object: KubeObject) => (read(object) === term.value) === term.isEqual;
  });
  return (object) => requirements.every((requirement) => requirement(object));
}

/**
 * The one name that can match: what RBAC is asked about (apiserver RequestInfoFactory, RequiresExactMatch) and what a
 * list or watch looks up. Undefined too where it could be no part of a path, and where the selector is none.
 */
export function selectedName(text: string): string | undefined {
  const terms = splitTerms(text).map(readTerm);
  if (terms.includes(undefined)) return undefined;
  const name = terms.find((term) => term?.key === "metadata.name" && term.isEqual)?.value ?? "";
  return /^(?!\.\.?$)[^/%]+$/.test(name) ? name : undefined;
}

interface Term {
  key: string;
  isEqual: boolean;
  value: string;
}

function readTerm(text: string): Term | undefined {
  const match = /^((?:[^\\=!]|\\.)*)(==|!=|=)(.*)$/s.exec(text);
  if (match === null) return undefined;
  const [, key = "", operator, value = ""] = match;
  return { key: key.trim(), isEqual: operator !== "!=", value: value.replaceAll(/\\(.)/g, "$1") };
}

function splitTerms(text: string): string[] {
  return (text.match(/(?:[^\\,]|\\.)+/gs) ?? []).filter((term) => term.trim() !== "");
}

function fieldReader(served: Served, key: string): Values {
  const { group, resource } = served.info;
  const extra =
    served.crd === undefined ? selectable[`${group}/${resource}`]?.split(" ") : selectableOfCrd(served);
  if (key !== "metadata.name" && key !== "metadata.namespace" && !extra?.includes(key))
    throw badRequest(unknownField(served, key, extra !== undefined));
  return special[key] ?? ((object) => asText(valueAt(object, key.split("."))));
}

function unknownField({ info, crd }: Served, key: string, hasOwn: boolean): string {
  if (info.group === "batch" && info.kind === "Job") return `field label "${key}" not supported for Job`;
  return crd === undefined && !hasOwn
    ? `"${key}" is not a known field selector: only "metadata.name", "metadata.namespace"`
    : `field label not supported: ${key}`;
}

function selectableOfCrd({ crd, info }: Served): string[] {
  const versions =
    isRecord(crd?.spec) && Array.isArray(crd.spec.versions) ? crd.spec.versions.filter(isRecord) : [];
  const fields = versions.find(({ name }) => name === info.version)?.selectableFields;
  if (!Array.isArray(fields)) return [];
  return fields.filter(isRecord).map(({ jsonPath }) => asText(jsonPath).replace(/^\./, ""));
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
}

function asText(value: unknown): string {
  return typeof value === "string"
    ? value
    : typeof value === "number" || typeof value === "boolean"
      ? String(value)
      : "";
}
