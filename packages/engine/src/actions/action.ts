import { isRecord } from "@capstan/formats";
import { CapstanError, type Manifest } from "@capstan/model";

export interface ActionInput {
  nowMs: number;
  parameters: Readonly<Record<string, string>>;
}

/** What is to be done to the cluster: the object as it should become, or one that is to be made. */
export interface ImpactedObject {
  operation: "patch" | "create";
  object: Manifest;
}

/** Something that a person may have done to an object. */
export interface ObjectAction {
  readonly name: string;
  readonly displayName?: string;
  /** Of Font Awesome, as Argo CD's page has it. */
  readonly iconClass?: string;
  readonly params?: readonly string[];
  /** Without it the action is always offered. */
  stateOf?(live: Manifest): ActionState;
  /** Throws CapstanError INVALID_ARGUMENT for parameters that it does not understand. */
  perform(live: Manifest, input: ActionInput): readonly ImpactedObject[];
}

export type ActionState = "offered" | "disabled" | "absent";

export const unless = (isDisabled: boolean): ActionState => (isDisabled ? "disabled" : "offered");
export const onlyIf = (isThere: boolean): ActionState => (isThere ? "offered" : "absent");

export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let at = value;
  for (const name of path) at = isRecord(at) ? at[name] : undefined;
  return at;
}

/** The object with this value at that place; undefined takes the field away. */
export function withValue(live: Manifest, path: readonly string[], value: unknown): Manifest {
  return { ...live, ...setAt(live, path, value) };
}

function setAt(value: unknown, [name, ...rest]: readonly string[], to: unknown): Record<string, unknown> {
  const fields: Record<string, unknown> = isRecord(value) ? { ...value } : {};
  if (name === undefined) return fields;
  if (rest.length > 0) {
    // What is not there needs no taking away.
    if (to !== undefined || isRecord(fields[name])) fields[name] = setAt(fields[name], rest, to);
  } else if (to === undefined) delete fields[name];
  else fields[name] = to;
  return fields;
}

export const patched = (object: Manifest): readonly ImpactedObject[] => [{ operation: "patch", object }];

/** Sets one field to what does not depend on anything. */
export function setting(path: readonly string[], value: unknown): ObjectAction["perform"] {
  return (live) => patched(withValue(live, path, value));
}

export function readReplicas(parameters: ActionInput["parameters"]): number {
  const text = parameters.replicas ?? "";
  if (!/^\d{1,6}$/.test(text) || Number(text) > 100_000)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "replicas",
      problem: `invalid number: ${text}`,
    });
  return Number(text);
}

/** RFC 3339 without fractions, or parts of it. */
export function timeParts(nowMs: number): {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
} {
  const [year = "", month = "", day = "", hour = "", minute = ""] = new Date(nowMs)
    .toISOString()
    .split(/[-T:.]/);
  return { year, month, day, hour, minute };
}

/** How objects that are made from another say whose they are. */
export function ownerOf({ apiVersion, kind, metadata }: Manifest) {
  return { apiVersion, kind, name: metadata.name ?? "", uid: metadata.uid ?? "" };
}
