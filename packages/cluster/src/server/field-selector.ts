import { badRequest } from "../objects/failures.ts";
import { type FieldReader, fieldsAt } from "../registry/selectable-fields.ts";
import type { Served } from "../registry/served.ts";
import { listAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";

export type FieldSelector = (object: KubeObject) => boolean;

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

const ofEverything = fieldsAt("metadata.name", "metadata.namespace");

function fieldReader(served: Served, key: string): FieldReader {
  const { rules, crd } = served;
  const own = crd === undefined ? rules.selectors : fieldsAt(...selectableOfCrd(served));
  const reader = ofEverything[key] ?? own?.[key];
  if (reader !== undefined) return reader;
  const usual =
    own === undefined
      ? `"${key}" is not a known field selector: only "metadata.name", "metadata.namespace"`
      : `field label not supported: ${key}`;
  throw badRequest(rules.unknownSelector?.(key) ?? usual);
}

function selectableOfCrd({ crd, info }: Served): string[] {
  const version = listAt(crd, "spec", "versions").find((one) => textAt(one, "name") === info.version);
  return listAt(version, "selectableFields").map((field) => textAt(field, "jsonPath").replace(/^\./, ""));
}
