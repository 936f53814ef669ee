import { type Application, sourcesOf } from "@capstan/model";
import type { DescribedSource } from "@capstan/wire";
import { type Api, ApiError } from "../../api.ts";

/** What can be set for each source; of a server that cannot say it, nothing but the sources' number. */
export async function describedSources(
  api: Api,
  ref: { name: string; appNamespace?: string },
  app: Application,
): Promise<readonly DescribedSource[]> {
  try {
    return (await api.call("describeSources", ref)).sources;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 404 && error.status !== 501)) throw error;
    return sourcesOf(app).map(() => ({}));
  }
}
