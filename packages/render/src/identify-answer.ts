import { traced } from "@capstan/flow";
import type { SourceTree } from "@capstan/plugin-kit";
import type { AnswerIdentity, ManifestRequest } from "@capstan/wire";
import { openRefs } from "./fetch/ref-sources.ts";
import type { Sources } from "./fetch/sources.ts";
import type { Submodules } from "./fetch/submodules.ts";
import { digestRequest } from "./inputs/digest-request.ts";
import type { Pipelines } from "./pipeline/pipelines.ts";
import type { InstalledPlugins } from "./remote/installed-plugins.ts";

interface Parts {
  readonly sources: Sources;
  readonly submodules: Submodules;
  readonly pipelines: Pick<Pipelines, "digest">;
  installed(signal: AbortSignal): Promise<InstalledPlugins>;
}

interface Identified {
  readonly identity: AnswerIdentity;
  readonly refs: Readonly<Record<string, SourceTree>>;
  readonly installed: InstalledPlugins;
}

/** At one commit, of one request, with what is installed, the answer cannot change. */
export async function identifyAnswer(
  parts: Parts,
  request: ManifestRequest,
  signal: AbortSignal,
): Promise<Identified> {
  const { revision, askedAt, meaning } = await traced({ name: "resolve" }, () =>
    parts.sources.resolve(request, signal),
  );
  const refs = await openRefs({ ...request, revision }, parts, signal);
  const installed = await parts.installed(signal);
  const digest = digestRequest(request, `${revision} ${meaning ?? ""}`, { refs, installed });
  const identity = {
    id: `${parts.pipelines.digest()} ${digest}`,
    revision,
    ...(askedAt === undefined ? {} : { askedAt }),
    ...(meaning === undefined ? {} : { meaning }),
    ...revisionsOf(refs),
  };
  return { identity, refs, installed };
}

function revisionsOf(refs: Readonly<Record<string, SourceTree>>): Pick<AnswerIdentity, "refRevisions"> {
  const named = Object.entries(refs).map(([name, { revision }]) => [name, revision] as const);
  return named.length === 0 ? {} : { refRevisions: Object.fromEntries(named) };
}
