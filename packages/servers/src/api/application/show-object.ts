import type { Manifest } from "@capstan/model";
import { secretsOfApplication } from "./application-secrets.ts";
import type { FoundResource } from "./find-resource.ts";
import type { RenderNeeds } from "./render-application.ts";

type Shown = Pick<FoundResource, "app" | "cluster" | "object">;

/**
 * A live object as a person may see it: without values of Secrets, and without what a sensitive stage has put into
 * the manifests that it, or its owner, was made from.
 */
export async function showObject(context: RenderNeeds, found: Shown, signal: AbortSignal): Promise<Manifest> {
  const { app, cluster, object } = found;
  const secrets = await secretsOfApplication(context, app, signal);
  const [shown = object] = secrets.hide([object], cluster.live);
  return shown;
}
