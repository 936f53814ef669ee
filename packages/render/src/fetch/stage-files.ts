import type { Clock } from "@capstan/flow";
import { CapstanError, withoutUserinfo } from "@capstan/model";
import type { Elsewhere } from "@capstan/plugin-kit";
import type { ManifestRequest } from "@capstan/wire";
import { httpGet } from "./http-get.ts";
import type { Sources } from "./sources.ts";
import { permittedRepository } from "./stage-credentials.ts";

interface FileOptions {
  sources: Sources;
  clock: Clock;
  requestTimeoutMs: number;
  maxFileBytes: number;
}

/** Repositories and files for the plugins of one render, so that no program that they start asks for them itself. */
export function stageFiles(
  request: ManifestRequest,
  { sources, clock, requestTimeoutMs: timeoutMs, maxFileBytes: maxBytes }: FileOptions,
  signal: AbortSignal,
): Pick<Elsewhere, "repositoryTree" | "file"> {
  return {
    repositoryTree: async (url, revision) => {
      const repository = { ...permittedRepository(request, url).known, type: "git" as const };
      const source = { repoURL: url, targetRevision: revision };
      const noRevisionCache = request.noCache ?? false;
      const resolved = await sources.resolve({ repository, source, noRevisionCache }, signal);
      return sources.tree({ repository, source, revision: resolved.revision }, signal);
    },
    file: async (url, within = url) => {
      if (url !== within && !url.startsWith(`${within}/`))
        throw new CapstanError({
          code: "INVALID_ARGUMENT",
          field: "url",
          problem: `${withoutUserinfo(url)} is no file of ${withoutUserinfo(within)}`,
        });
      const { known } = permittedRepository(request, within);
      return httpGet(url, { repository: { ...known, url: within }, clock, signal, timeoutMs, maxBytes });
    },
  };
}
