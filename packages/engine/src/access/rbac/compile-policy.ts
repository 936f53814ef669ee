import { compileGlob } from "@capstan/formats";
import { tryRegexp } from "@capstan/formats/re2";
import type { MatchMode, Policy, PolicyRule } from "./policy.ts";

export type Matches = (text: string) => boolean;

export interface CompiledRule {
  readonly resource: Matches;
  readonly action: Matches;
  readonly object: Matches;
  readonly isAllow: boolean;
}

/** The rules of one subject. Most objects begin with a project's name and a slash: by it rules are found. */
export interface RuleTable {
  readonly byHead: ReadonlyMap<string, readonly CompiledRule[]>;
  readonly anywhere: readonly CompiledRule[];
}

export interface CompiledPolicy {
  readonly rules: ReadonlyMap<string, RuleTable>;
  /** The roles that a member has by itself. */
  readonly roles: ReadonlyMap<string, readonly string[]>;
}

interface Table {
  byHead: Map<string, CompiledRule[]>;
  anywhere: CompiledRule[];
}

export function compilePolicy({ rules, grants }: Policy, matchMode: MatchMode): CompiledPolicy {
  const matchers = new Map<string, Matches>();
  const matcherOf = (pattern: string): Matches => {
    const known = matchers.get(pattern);
    if (known !== undefined) return known;
    const made = matchMode === "regex" ? expressionMatcher(pattern) : globMatcher(pattern);
    matchers.set(pattern, made);
    return made;
  };
  const tables = new Map<string, Table>();
  for (const rule of rules) {
    const compiled = {
      resource: matcherOf(rule.resource),
      action: matcherOf(rule.action),
      object: matcherOf(rule.object),
      isAllow: rule.isAllow,
    };
    const table = tableOf(tables, rule);
    const head = matchMode === "glob" ? headOfPattern(rule.object) : undefined;
    if (head === undefined) table.anywhere.push(compiled);
    else append(table.byHead, head, compiled);
  }
  const roles = new Map<string, string[]>();
  for (const { member, role } of grants) append(roles, member, role);
  return { rules: tables, roles };
}

function tableOf(tables: Map<string, Table>, { subject }: PolicyRule): Table {
  const found = tables.get(subject) ?? { byHead: new Map(), anywhere: [] };
  tables.set(subject, found);
  return found;
}

function append<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** What stands before the first slash of whatever the pattern matches; nothing where that may be several texts. */
function headOfPattern(pattern: string): string | undefined {
  return /^([^*?[\]{}\\/]*)\//.exec(pattern)?.[1];
}

export function headOf(object: string): string | undefined {
  const slash = object.indexOf("/");
  return slash < 0 ? undefined : object.slice(0, slash);
}

function globMatcher(pattern: string): Matches {
  if (pattern === "*") return () => true;
  if (!/[*?[\]{}\\]/.test(pattern)) return (text) => text === pattern;
  const [, start] = /^([^*?[\]{}\\]+)\*$/.exec(pattern) ?? [];
  if (start !== undefined) return (text) => text.startsWith(start);
  return compileGlob(pattern) ?? (() => false);
}

/** Go's expressions, which match any part of the text. */
function expressionMatcher(pattern: string): Matches {
  if (!/[\\.+*?()|[\]{}^$]/.test(pattern)) return (text) => text.includes(pattern);
  const expression = tryRegexp(pattern);
  return expression ? (text) => expression.test(text) : () => false;
}
