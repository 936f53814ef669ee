import type { AppProject } from "@capstan/model";
import type { Command } from "../../command.ts";
import { type Changed, defineProjectChange, withSpec } from "./change-project.ts";

type Scope = "cluster" | "namespaced";
type KindList =
  | "clusterResourceWhitelist"
  | "clusterResourceBlacklist"
  | "namespaceResourceWhitelist"
  | "namespaceResourceBlacklist";

const lists: Readonly<Record<Scope, Readonly<Record<"allow" | "deny", KindList>>>> = {
  cluster: { allow: "clusterResourceWhitelist", deny: "clusterResourceBlacklist" },
  namespaced: { allow: "namespaceResourceWhitelist", deny: "namespaceResourceBlacklist" },
};

interface ResourceChange {
  readonly help: string;
  readonly scope: Scope;
  readonly allows: boolean;
  /** Which list is changed without --list. */
  readonly byDefault: "allow" | "deny";
}

/** Allowing adds to the one list or removes from the other, and denying the opposite (project.go modifyResourceListCmd). */
export function defineResourceChange({ help, scope, allows, byDefault }: ResourceChange): Command {
  return defineProjectChange({
    usage: "PROJECT GROUP KIND",
    help,
    arity: [2, 2],
    flags: {
      list: {
        kind: "string",
        short: "l",
        help: "Which list is changed",
        choices: ["allow", "deny", "white", "black"],
        byDefault,
      },
    },
    change(project, { args: [group = "", kind = ""], flags }) {
      const list = /^(allow|white)$/.test(flags.list ?? byDefault) ? "allow" : "deny";
      const adds = allows === (list === "allow");
      const where = `${list === "allow" ? "allowed" : "denied"} ${scope} resources`;
      return changeList(project, { field: lists[scope][list], adds, group, kind, where });
    },
  });
}

function changeList(
  project: AppProject,
  {
    field,
    adds,
    group,
    kind,
    where,
  }: { field: KindList; adds: boolean; group: string; kind: string; where: string },
): Changed {
  const old = project.spec[field] ?? [];
  const isThere = old.some((one) => one.group === group && one.kind === kind);
  const what = `Group '${group}' and kind '${kind}'`;
  if (adds && isThere) return { says: `${what} already present in ${where}` };
  if (!adds && !isThere) return { says: `${what} not in ${where}` };
  const next = adds
    ? [...old, { group, kind }]
    : old.filter((one) => one.group !== group || one.kind !== kind);
  const says = `${what} is ${adds ? "added to" : "removed from"} ${where}`;
  return { project: withSpec(project, { [field]: next }), says };
}
