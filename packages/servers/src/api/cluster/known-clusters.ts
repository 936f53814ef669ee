import type { ClusterSettings } from "@capstan/kube";
import { CapstanError, inClusterName, inClusterServer } from "@capstan/model";
import type { RestCluster } from "@capstan/wire";
import type { Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import type { ApiContext } from "../context.ts";
import type { StoredSecret } from "../repository/labelled-secrets.ts";

export type ClusterNeeds = Pick<
  ApiContext,
  "settings" | "clusters" | "live" | "rights" | "kube" | "controlNamespace" | "clock"
>;
/** The cluster that Capstan runs on is known without a Secret. */
export type KnownCluster = Pick<ClusterSettings, "server" | "name"> & Partial<ClusterSettings>;

export const clusterResource = "clusters";

export function knownClusters({ settings }: Pick<ClusterNeeds, "settings">): KnownCluster[] {
  const { clusters, general } = settings.current;
  const isListed = clusters.some(({ server }) => server === inClusterServer);
  return isListed || !general.inClusterEnabled
    ? [...clusters]
    : [{ server: inClusterServer, name: inClusterName }, ...clusters];
}

/** The object of rights: the address, with the project before it. */
export function objectOf({ server, project }: { server: string; project?: string | undefined }): string {
  return project ? `${project}/${server}` : server;
}

interface Wanted {
  asked: ClusterAsked;
  user: Identity;
  action: "get" | "update" | "delete";
}

/** An id counts before an address, and that before a name (server/cluster getCluster). */
interface ClusterAsked {
  id: string;
  /** server, name, name_escaped; anything else is the first. */
  "id.type"?: string | undefined;
  server?: string | undefined;
  name?: string | undefined;
}

export function findCluster(context: ClusterNeeds, { asked, user, action }: Wanted): KnownCluster {
  const { server, name } = placeOf(asked);
  const found = knownClusters(context).find((one) =>
    server === undefined ? one.name === name : one.server === server,
  );
  const id = server ?? name ?? "";
  const object = found ? objectOf(found) : id;
  requireRight(context.rights, user, { resource: clusterResource, action, object });
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `cluster "${id}"` });
  return found;
}

function placeOf({ id, "id.type": type, server, name }: ClusterAsked): { server?: string; name?: string } {
  if (id !== "" && type === "name") return { name: id };
  if (id !== "" && type === "name_escaped") return { name: unescaped(id) };
  if (id !== "") return { server: id };
  return server ? { server } : { name: name ?? "" };
}

/** As Go's url.QueryUnescape. */
function unescaped(id: string): string {
  try {
    return decodeURIComponent(id.replaceAll("+", " "));
  } catch {
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "id.value",
      problem: "is not escaped as in a URL",
    });
  }
}

/** Whose address or name it is already decides. */
export function requireChange(
  { rights }: Pick<ClusterNeeds, "rights">,
  of: { stored: KnownCluster; wanted: RestCluster; upsert: boolean; user: Identity },
): void {
  const { stored, wanted, upsert, user } = of;
  const isAddress = stored.server === wanted.server;
  const isSameAgain = isAddress && !upsert && objectOf(stored) === objectOf(wanted);
  const right = { resource: clusterResource, action: "update", object: objectOf(stored) };
  const isAllowed = isSameAgain || rights.allows(user, right);
  const taken = isAddress ? `cluster "${wanted.server}"` : `the name "${wanted.name}" of a cluster`;
  if (!isAllowed)
    throw new CapstanError({ code: "FORBIDDEN", action: "update", what: taken, user: user.name });
  if (isAddress) return;
  const problem = `is that of ${stored.server} already: choose another`;
  throw new CapstanError({ code: "FAILED_PRECONDITION", what: taken, problem });
}

export function secretOf(cluster: KnownCluster | undefined): StoredSecret | undefined {
  if (!cluster?.secret) return undefined;
  const { secret, server, project = "" } = cluster;
  return { secretName: secret.secretName, type: "cluster", holds: { server, project } };
}
