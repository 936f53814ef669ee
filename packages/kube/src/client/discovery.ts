import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { textAt } from "../read-json.ts";
import { type ApiResource, readAggregated, readGroupVersions, readResourceList } from "./api-resource.ts";
import type { RawRequests } from "./raw-requests.ts";

/** What a cluster serves. Answers come from memory; an unknown kind asks the server again. */
export interface Discovery {
  /** All served kinds in all versions. */
  resources(signal: AbortSignal): Promise<readonly ApiResource[]>;
  /** The row of a kind, or undefined when the cluster does not know it. */
  find(type: { apiVersion: string; kind: string }, signal: AbortSignal): Promise<ApiResource | undefined>;
  /** As `find`, and an unknown kind is an error that names the versions that there are. */
  resourceFor(type: { apiVersion: string; kind: string }, signal: AbortSignal): Promise<ApiResource>;
  /** From memory only. */
  known(): readonly ApiResource[];
  /** Asks the server now. */
  refresh(signal: AbortSignal): Promise<readonly ApiResource[]>;
  /**
   * Major and minor version, as `1.36`; vendors' builds may say `1.36+`. As Argo CD 3.2 tells and renders with it
   * (gitops-engine GetServerVersion): a patch release of a cluster changes no manifest.
   */
  serverVersion(signal: AbortSignal): Promise<string>;
}

const aggregatedAccept =
  "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList," +
  "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";
/** An unknown kind does not ask the server again sooner than this. */
const missMs = 1_000;

interface Snapshot {
  at: number;
  rows: readonly ApiResource[];
  byType: ReadonlyMap<string, ApiResource>;
}

export function createDiscovery({ raw, clock }: { raw: RawRequests; clock: Clock }): Discovery {
  let held: Snapshot | undefined;
  let asking: Promise<Snapshot> | undefined;
  let version: Promise<string> | undefined;

  // Shared by all who wait, so no single caller's signal may end it.
  const ask = (): Promise<Snapshot> => {
    asking ??= fetchRows(raw, AbortSignal.timeout(30_000))
      .then((rows) => {
        held = { at: clock.now(), rows, byType: indexed(rows) };
        return held;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };
  const current = async (signal: AbortSignal): Promise<Snapshot> => {
    signal.throwIfAborted();
    return held ?? ask();
  };
  const find: Discovery["find"] = async ({ apiVersion, kind }, signal) => {
    const name = `${apiVersion}/${kind}`;
    const snapshot = await current(signal);
    const row = snapshot.byType.get(name);
    if (row || clock.now() - snapshot.at < missMs) return row;
    return (await ask()).byType.get(name);
  };

  return {
    find,
    async resources(signal) {
      return (await current(signal)).rows;
    },
    async resourceFor(type, signal) {
      const row = await find(type, signal);
      if (!row) throw unknownKind(type, held?.rows ?? []);
      return row;
    },
    known: () => held?.rows ?? [],
    async refresh(signal) {
      signal.throwIfAborted();
      // An answer under way may be older than the change that the caller knows of.
      if (asking) await asking;
      return (await ask()).rows;
    },
    async serverVersion(signal) {
      version ??= raw
        .json({ method: "GET", url: "/version", signal })
        .then((body) => `${textAt(body, "major") ?? ""}.${textAt(body, "minor") ?? ""}`);
      try {
        return await version;
      } catch (error) {
        version = undefined;
        throw error;
      }
    },
  };
}

function indexed(rows: readonly ApiResource[]): Map<string, ApiResource> {
  const byType = new Map<string, ApiResource>();
  for (const row of rows) {
    byType.set(`${row.group === "" ? "" : `${row.group}/`}${row.version}/${row.kind}`, row);
  }
  return byType;
}

async function fetchRows(raw: RawRequests, signal: AbortSignal): Promise<ApiResource[]> {
  const headers = { accept: aggregatedAccept };
  const [legacy, groups] = await Promise.all([
    raw.json({ method: "GET", url: "/api", headers, signal }),
    raw.json({ method: "GET", url: "/apis", headers, signal }),
  ]);
  const aggregated = [legacy, groups].every((body) => body.kind === "APIGroupDiscoveryList");
  if (aggregated) return [...readAggregated(legacy), ...readAggregated(groups)];
  return fetchEachVersion(raw, readGroupVersions(groups), signal);
}

async function fetchEachVersion(
  raw: RawRequests,
  groupVersions: string[],
  signal: AbortSignal,
): Promise<ApiResource[]> {
  const lists = await Promise.all(
    ["v1", ...groupVersions].map(async (groupVersion) => {
      const url = groupVersion === "v1" ? "/api/v1" : `/apis/${groupVersion}`;
      try {
        return readResourceList(await raw.json({ method: "GET", url, signal }), groupVersion);
      } catch (error) {
        // An aggregated API whose server is down must not hide all others.
        if (error instanceof Error && error.name === "KubeError") return [];
        throw error;
      }
    }),
  );
  const seen = new Set<string>();
  return lists.flat().map((row) => {
    const groupKind = `${row.group}/${row.kind}`;
    const preferred = !seen.has(groupKind);
    seen.add(groupKind);
    return { ...row, preferred };
  });
}

/** Callers pass whole objects, Secrets among them: nothing but the type may go into the failure. */
function unknownKind(type: { apiVersion: string; kind: string }, rows: readonly ApiResource[]): CapstanError {
  const { apiVersion, kind } = type;
  const group = apiVersion.includes("/") ? apiVersion.split("/", 1)[0] : "";
  const versions = rows.filter((row) => row.group === group && row.kind === kind).map((row) => row.version);
  return new CapstanError({ code: "KIND_MISSING", apiVersion, kind, versions });
}
