import { settingsReport } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import {
  createKubeClient,
  httpTransport,
  isNotFound,
  type KubeClient,
  openKubeconfig,
  readSettings,
} from "@capstan/kube";
import { argoApiVersion, isApplication, isApplicationSet, isAppProject, type Manifest } from "@capstan/model";
import type { SettingsReportRow } from "@capstan/model/settings";

interface Input {
  /** Path of a file. */
  kubeconfig: string;
  namespace: string;
  clock: Clock;
  signal: AbortSignal;
}

/** The report of a cluster, read by its own API: Capstan need not run there. */
export async function readReport(input: Input): Promise<SettingsReportRow[]> {
  const { clock, signal, namespace } = input;
  const { config } = await openKubeconfig(input.kubeconfig);
  await using transport = httpTransport(config, { clock });
  const client = createKubeClient({ transport, userAgent: "capstan", clock });
  const core = (kind: string) => listed(client, { apiVersion: "v1", kind, namespace }, signal);
  const ours = (kind: string) => listed(client, { apiVersion: argoApiVersion, kind }, signal);
  const [maps, secrets, applications, projects, sets] = await Promise.all([
    core("ConfigMap"),
    core("Secret"),
    ours("Application"),
    ours("AppProject"),
    ours("ApplicationSet"),
  ]);
  return settingsReport({
    settings: readSettings(maps, secrets),
    applications: applications.filter(isApplication),
    projects: projects.filter(isAppProject),
    applicationSets: sets.filter(isApplicationSet),
  });
}

type Query = Parameters<KubeClient["list"]>[0];

/** A cluster that Argo CD was never installed on has none of its kinds. */
async function listed(client: KubeClient, query: Query, signal: AbortSignal): Promise<readonly Manifest[]> {
  try {
    return (await client.list(query, signal)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
