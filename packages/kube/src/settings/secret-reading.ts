import {
  type ApplicationDestination,
  type AppProject,
  annotationKeys,
  inClusterServer,
} from "@capstan/model";
import { clusterFor } from "./clusters.ts";
import type { Settings } from "./settings.ts";

/** What a render is told about the secrets that it may read, by the application's project and destination. */
export function secretReading(
  settings: Pick<Settings, "clusters" | "general">,
  destination: ApplicationDestination,
  project: AppProject | undefined,
): { secretStores?: string; isDestinationHere: boolean } {
  const secretStores = project?.metadata.annotations?.[annotationKeys.secretStores];
  const isDestinationHere = clusterFor(settings, destination).server === inClusterServer;
  return { isDestinationHere, ...(secretStores === undefined ? {} : { secretStores }) };
}
