import { parseFieldSelector, SelectorError } from "@capstan/formats";
import { badRequest } from "../objects/failures.ts";
import { type FieldReader, fieldsAt } from "../registry/selectable-fields.ts";
import type { Served } from "../registry/served.ts";
import { listAt, textAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";

/** Throws SelectorError for what is none. */
export function fieldMatcher(served: Served, text: string): (object: KubeObject) => boolean {
  const requirements = parseFieldSelector(text).map(({ path, isEqual, value }) => {
    const read = fieldReader(served, path);
    return (object: KubeObject) => (read(object) === value) === isEqual;
  });
  return (object) => requirements.every((requirement) => requirement(object));
}

/**
 * The one name that can match: what RBAC is asked about (apiserver RequestInfoFactory, RequiresExactMatch) and what a
 * list or watch looks up. Undefined too where it could be no part of a path, and where the selector is none.
 */
export function selectedName(text: string): string | undefined {
  const name = termsOf(text).find(({ path, isEqual }) => path === "metadata.name" && isEqual)?.value ?? "";
  return /^(?!\.\.?$)[^/%]+$/.test(name) ? name : undefined;
}

function termsOf(text: string): ReturnType<typeof parseFieldSelector> {
  try {
    return parseFieldSelector(text);
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
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
