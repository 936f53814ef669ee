import type { AppProject } from "@capstan/model";
import { type Flags, type FlagValues, UsageError } from "../../command.ts";
import { compact } from "../../compact.ts";

/** Flags of `proj create` and `proj set` (cmd/util/project.go AddProjFlags). */
export const projectFlags = {
  description: { kind: "string", help: "Description", value: "TEXT" },
  src: { kind: "strings", short: "s", help: "Permitted repository", value: "URL" },
  dest: {
    kind: "strings",
    short: "d",
    help: "Permitted destination, CLUSTER,NAMESPACE",
    value: "DESTINATION",
  },
  "dest-service-accounts": {
    kind: "strings",
    help: "Whom syncs are made as, CLUSTER,NAMESPACE,ACCOUNT",
    value: "ACCOUNT",
  },
  "allow-cluster-resource": {
    kind: "strings",
    help: "Permitted kind without namespace, GROUP/KIND",
    value: "KIND",
  },
  "deny-cluster-resource": {
    kind: "strings",
    help: "Refused kind without namespace, GROUP/KIND",
    value: "KIND",
  },
  "allow-namespaced-resource": {
    kind: "strings",
    help: "Permitted kind in namespaces, GROUP/KIND",
    value: "KIND",
  },
  "deny-namespaced-resource": {
    kind: "strings",
    help: "Refused kind in namespaces, GROUP/KIND",
    value: "KIND",
  },
  "source-namespaces": {
    kind: "list",
    help: "Namespaces in which its applications may be",
    value: "NAMESPACE",
  },
  "signature-keys": { kind: "list", help: "GnuPG keys that commits must be signed with", value: "KEY" },
  "orphaned-resources": { kind: "boolean", help: "Watch for objects that belong to no application" },
  "orphaned-resources-warn": { kind: "boolean", help: "And warn of them" },
} as const satisfies Flags;

type Values = FlagValues<typeof projectFlags>;
type Spec = AppProject["spec"];

/** What flags say in place of what was there; what no flag names stays. */
export function applyProjectFlags(spec: Spec, flags: Values): Spec {
  return {
    ...spec,
    ...compact({
      description: flags.description,
      sourceRepos: flags.src && [...flags.src],
      destinations: flags.dest?.map(readDestination),
      destinationServiceAccounts: flags["dest-service-accounts"]?.map(readServiceAccount),
      clusterResourceWhitelist: flags["allow-cluster-resource"]?.map(readKind),
      clusterResourceBlacklist: flags["deny-cluster-resource"]?.map(readKind),
      namespaceResourceWhitelist: flags["allow-namespaced-resource"]?.map(readKind),
      namespaceResourceBlacklist: flags["deny-namespaced-resource"]?.map(readKind),
      sourceNamespaces: flags["source-namespaces"] && [...flags["source-namespaces"]],
      signatureKeys: flags["signature-keys"]?.map((text) => ({ keyID: readKeyId(text) })),
      ...orphaned(flags),
    }),
  };
}

/** Without a field, what is watched now stays so; switched off, it is removed by the caller. */
function orphaned(flags: Values): Pick<Spec, "orphanedResources"> {
  const { "orphaned-resources": isWatched, "orphaned-resources-warn": warn } = flags;
  if (!isWatched && warn === undefined) return {};
  return { orphanedResources: compact({ warn }) };
}

function readDestination(text: string): NonNullable<Spec["destinations"]>[number] {
  const comma = text.lastIndexOf(",");
  if (comma <= 0) throw new UsageError(`--dest: "${text}" is not CLUSTER,NAMESPACE`);
  const [cluster, namespace] = [text.slice(0, comma), text.slice(comma + 1)];
  return /^https?:\/\/|[*]/.test(cluster) ? { server: cluster, namespace } : { name: cluster, namespace };
}

function readServiceAccount(text: string): NonNullable<Spec["destinationServiceAccounts"]>[number] {
  const [server, namespace, defaultServiceAccount, ...more] = text.split(",");
  if (!server || !defaultServiceAccount || more.length > 0)
    throw new UsageError(`--dest-service-accounts: "${text}" is not CLUSTER,NAMESPACE,ACCOUNT`);
  return { server, namespace: namespace ?? "", defaultServiceAccount };
}

function readKind(text: string): { group: string; kind: string } {
  const slash = text.indexOf("/");
  return slash < 0 ? { group: "", kind: text } : { group: text.slice(0, slash), kind: text.slice(slash + 1) };
}

/** A long id is a fingerprint, of which the end counts (util/gpg KeyID). */
export function readKeyId(text: string): string {
  if (/^[0-9a-f]{40}$/i.test(text)) return text.slice(24);
  if (/^[0-9a-f]{16}$/i.test(text)) return text;
  throw new UsageError(`'${text}' is not a valid GnuPG key ID`);
}
