import type { AnswerKey, ManifestRequest } from "@capstan/wire";
import type { PlanningNeeds } from "./planning-needs.ts";
import { type Desired, lent } from "./render-desired.ts";
import { isRefOnly, type RenderInput, renderRequests } from "./render-requests.ts";

/** What `renderDesired` would give, without the manifests, which are those that were known. */
export interface KnownDesired extends Pick<Desired, "revisions" | "sources" | "askedAt"> {
  readonly keys: readonly AnswerKey[];
}

type Needs = Pick<PlanningNeeds, "repo" | "settings" | "controlNamespace">;

/** Whether the manifests of before are what git says still; undefined where that takes a render. */
export async function stillDesired(
  needs: Needs,
  { known, ...input }: RenderInput & { known: readonly AnswerKey[] },
  signal: AbortSignal,
): Promise<KnownDesired | undefined> {
  const requests = await renderRequests(needs, input, signal);
  if (requests.length !== known.length) return undefined;
  const identify = async (request: ManifestRequest, index: number) => {
    const before = known[index] ?? lent;
    if (isRefOnly(request.source))
      return { ...(await needs.repo.resolveRevision(request, signal)), key: lent };
    const found = await needs.repo.identifyAnswer({ ...request, known: before }, signal);
    const isSame = found.id === before.id || found.inputs === before.inputs;
    return isSame ? { ...found, key: { id: found.id, inputs: before.inputs } } : undefined;
  };
  const parts = (await Promise.all(requests.map(identify))).filter((part) => part !== undefined);
  if (parts.length !== requests.length) return undefined;
  return {
    keys: parts.map(({ key }) => key),
    revisions: parts.map(({ revision }) => revision),
    askedAt: parts.map(({ askedAt }) => askedAt),
    sources: input.sources,
  };
}
