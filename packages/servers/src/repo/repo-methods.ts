import type { ManifestRequest, RepoServer } from "@capstan/wire";
import { ManifestSender } from "./manifest-exchange.ts";
import type { CallMeans, Handler } from "./peer.ts";
import type { RepoMethod } from "./repo-calls.ts";

const plainMethods = [
  "identifyAnswer",
  "explainRender",
  "describeSource",
  "resolveRevision",
  "fetchRevision",
  "revisionMetadata",
  "verifySignatures",
  "listRefs",
  "listCharts",
  "listApps",
  "readGitContent",
  "changedFiles",
  "writeFiles",
  "testRepository",
] as const satisfies readonly RepoMethod[];

/** What a caller may ask of a repo server that may still be opening; for one connection. */
export function methodsOf(opened: Promise<RepoServer>): Record<string, Handler> {
  const sender = new ManifestSender();
  const plain =
    (method: (typeof plainMethods)[number]): Handler =>
    async (request, { signal }) =>
      (await opened)[method](request, signal);
  return {
    generateManifests: async (request: ManifestRequest, { signal, part }: CallMeans) => {
      const { manifests, ...rest } = await (await opened).generateManifests(request, signal);
      await sender.send(manifests, part);
      return rest;
    },
    ...Object.fromEntries(plainMethods.map((method) => [method, plain(method)])),
    listPlugins: async () => (await opened).listPlugins(),
  };
}
