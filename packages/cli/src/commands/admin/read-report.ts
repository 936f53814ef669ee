import { settingsReport } from "@capstan/engine";
import { readSettings } from "@capstan/kube";
import { argoApiVersion, isApplication, isApplicationSet, isAppProject } from "@capstan/model";
import type { SettingsReportRow } from "@capstan/model/settings";
import type { Io } from "../../io.ts";
import { listed, openCluster } from "./open-cluster.ts";

/** The report of a cluster, read by its own API: Capstan need not run there. */
export async function readReport(
  flags: { kubeconfig: string; namespace: string },
  io: Io,
): Promise<SettingsReportRow[]> {
  const { signal } = io;
  await using cluster = await openCluster(flags, io);
  const { client, namespace } = cluster;
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
