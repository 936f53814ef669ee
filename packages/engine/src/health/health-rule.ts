import { isRecord } from "@capstan/formats";
import type { HealthStatus, HealthStatusCode, Manifest } from "@capstan/model";

export interface HealthRule {
  readonly group: string;
  readonly kind: string;
  /** Versions that the rule understands; another one is Unknown. Empty: all. */
  readonly versions: readonly string[];
  assess(live: Manifest): HealthStatus;
}

export type Fields = { readonly [name: string]: unknown };

export const health = (status: HealthStatusCode, message?: string): HealthStatus =>
  message === undefined || message === "" ? { status } : { status, message };

export function fieldsAt(value: unknown, ...path: string[]): Fields {
  let at: unknown = value;
  for (const name of path) at = isRecord(at) ? at[name] : undefined;
  return isRecord(at) ? at : {};
}

export function listAt(value: unknown, ...path: string[]): Fields[] {
  const name = path.at(-1);
  if (name === undefined) return [];
  const list = fieldsAt(value, ...path.slice(0, -1))[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function countOf(value: unknown, otherwise = 0): number {
  return typeof value === "number" ? value : otherwise;
}

export interface StatusCondition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

export function conditionsOf(live: Manifest): StatusCondition[] {
  return listAt(live, "status", "conditions").map(({ type, status, reason, message }) => ({
    type: textOf(type),
    status: textOf(status),
    reason: textOf(reason),
    message: textOf(message),
  }));
}
