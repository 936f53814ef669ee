import { isRecord } from "@capstan/formats";
import type { Application, AppProject, Manifest } from "@capstan/model";

/**
 * Objects of our own kinds. The API server has checked them against our CRDs when they were written, so that here
 * only the outline is looked at.
 */
export function isApplication(object: Manifest | Application): object is Application {
  return object.kind === "Application" && typeof object.metadata.name === "string" && isRecord(object.spec);
}

export function isAppProject(object: Manifest | AppProject): object is AppProject {
  return object.kind === "AppProject" && typeof object.metadata.name === "string" && isRecord(object.spec);
}
