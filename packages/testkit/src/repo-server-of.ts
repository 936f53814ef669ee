import type { ManifestResponse, RepoServer } from "@capstan/wire";

const notAsked = async (): Promise<never> => {
  throw new Error("not asked for here");
};

/** A repo server that answers as the given functions do; whatever else it is asked fails the test. */
export function repoServerOf(own: Partial<RepoServer>): RepoServer {
  return {
    generateManifests: notAsked,
    identifyAnswer: notAsked,
    explainRender: notAsked,
    describeSource: notAsked,
    resolveRevision: notAsked,
    fetchRevision: notAsked,
    revisionMetadata: notAsked,
    verifySignatures: notAsked,
    listRefs: notAsked,
    listCharts: notAsked,
    listApps: notAsked,
    readGitContent: notAsked,
    changedFiles: notAsked,
    writeFiles: notAsked,
    testRepository: notAsked,
    forgetRevisions: () => undefined,
    listPlugins: async () => [],
    ...own,
  };
}

/** What an answer says beside its manifests and its revision, where nothing is known of the render. */
export const plainAnswer: Omit<ManifestResponse, "manifests" | "revision"> = {
  sourceType: "Directory",
  plugin: "directory",
  commands: [],
  cache: "miss",
  timings: { queueMs: 0, fetchMs: 0, chooseMs: 0, transferMs: 0, stages: [] },
};
