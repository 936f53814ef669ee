import { canonicalJson } from "@capstan/formats";
import { type ApplicationSource, parseGivenManifests } from "@capstan/model";
import type {
  AnswerKey,
  ManifestRequest,
  ManifestResponse,
  RenderedManifest,
  RenderNote,
  RenderTimings,
} from "@capstan/wire";
import type { PlanningNeeds } from "./planning-needs.ts";
import { isRefOnly, type RenderInput, renderRequests } from "./render-requests.ts";
import { verifySources } from "./verify-sources.ts";

/** Of a source that only lends files: what is made of them is another one's answer. */
export const lent: AnswerKey = { id: "", inputs: "" };

/** What the repositories say should be there. */
export interface Desired {
  manifests: readonly RenderedManifest[];
  /** One for each source, ref-only ones included. */
  revisions: readonly string[];
  sources: readonly ApplicationSource[];
  /** Of the sources that give manifests: Helm, Kustomize, Directory or Plugin. */
  sourceTypes: readonly string[];
  /** Tool invocations with temporary paths replaced by ".". */
  commands: readonly string[];
  /** Renders that really ran. */
  renders: number;
  timings: readonly RenderTimings[];
  /** It holds secrets, which are to be asked for again after this time. */
  validForMs?: number;
  /** Why the commits may not be used: the project demands signatures that they do not have. */
  unverified: readonly string[];
  /** For the application's owner. */
  notes: readonly RenderNote[];
  /** Of each source, what its tag or chart's version stands for; undefined where the revision is itself a digest. */
  meanings: readonly (string | undefined)[];
  /** Of each source, what its answer is known by; undefined where it may be another one the next time. */
  keys: readonly (AnswerKey | undefined)[];
  /** When the remote of each source was asked for its revision; undefined where there was nothing to ask. */
  askedAt: readonly (number | undefined)[];
  /** Not of git: a person brought it with the sync that began then. */
  broughtAt?: string;
}

export interface DesiredInput extends RenderInput {
  /** JSON texts that an operation brings with it (argocd app sync --local): then nothing is rendered. */
  manifests?: readonly string[] | undefined;
}

type Needs = Pick<PlanningNeeds, "repo" | "settings" | "controlNamespace">;

/** Renders every source; the manifests stand in the order of the sources. */
export async function renderDesired(
  needs: Needs,
  input: DesiredInput,
  signal: AbortSignal,
): Promise<Desired> {
  const { sources, revisions = [] } = input;
  if (input.manifests && input.manifests.length > 0)
    return {
      ...nothing,
      manifests: readGiven(input.manifests),
      sources,
      revisions: revisions.map((one) => one ?? ""),
    };
  const requests = await renderRequests(needs, input, signal);
  const parts = await Promise.all(requests.map((request) => renderSource(needs, request, signal)));
  const rendered = requests.flatMap((request, index) => {
    const answer = parts[index];
    return answer ? [{ request, answer }] : [];
  });
  const unverified = await verifySources(needs, input, { rendered, signal });
  const answers = parts.filter((part) => "manifests" in part);
  const times = answers.map(({ validForMs }) => validForMs).filter((ms) => ms !== undefined);
  return {
    ...(times.length === 0 ? {} : { validForMs: Math.min(...times) }),
    manifests: answers.flatMap(({ manifests }) => manifests),
    revisions: parts.map(({ revision }) => revision),
    sources,
    unverified,
    meanings: parts.map(({ meaning }) => meaning),
    keys: parts.map((part) => ("manifests" in part ? part.key : lent)),
    askedAt: parts.map(({ askedAt }) => askedAt),
    sourceTypes: answers.map(({ sourceType }) => sourceType),
    commands: answers.flatMap(({ commands }) => commands),
    renders: answers.filter(({ cache }) => cache === "miss").length,
    timings: answers.map(({ timings }) => timings),
    notes: answers.flatMap(({ notes = [] }) => notes),
  };
}

const nothing = {
  unverified: [],
  meanings: [],
  keys: [],
  askedAt: [],
  sourceTypes: [],
  commands: [],
  renders: 0,
  timings: [],
  notes: [],
};

function renderSource(
  { repo }: Needs,
  request: ManifestRequest,
  signal: AbortSignal,
): Promise<ManifestResponse | Pick<ManifestResponse, "revision" | "askedAt" | "meaning">> {
  return isRefOnly(request.source)
    ? repo.resolveRevision(request, signal)
    : repo.generateManifests(request, signal);
}

function readGiven(texts: readonly string[]): RenderedManifest[] {
  return parseGivenManifests(texts).map((manifest) => ({ manifest, digest: canonicalJson(manifest) }));
}
