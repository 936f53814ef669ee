import { demandsSignatures, signatureDemand } from "@capstan/engine";
import { CapstanError } from "@capstan/model";
import type { ManifestRequest, ManifestResponse } from "@capstan/wire";
import type { PlanningNeeds } from "./planning-needs.ts";
import type { RenderInput } from "./render-requests.ts";

interface Needs extends Pick<PlanningNeeds, "settings"> {
  readonly repo: Pick<PlanningNeeds["repo"], "verifySignatures">;
}
type Answer = Pick<ManifestResponse, "revision" | "refRevisions">;

interface Rendered {
  readonly request: ManifestRequest;
  readonly answer: Answer;
}

/**
 * What is wrong with the signatures of the commits that were rendered, as Argo CD says it (controller/state.go), one line
 * for each problem. A source that lends files to others is verified at the commits at which they read it.
 */
export async function verifySources(
  { repo, settings }: Needs,
  { project, uploaded }: Pick<RenderInput, "project" | "uploaded">,
  { rendered, signal }: { rendered: readonly Rendered[]; signal: AbortSignal },
): Promise<string[]> {
  const { keyring } = settings.current.general;
  if (keyring === undefined || uploaded !== undefined) return [];
  const problems = await Promise.all(
    rendered.map(async ({ request, answer }, index) => {
      const demand = signatureDemand(project, request.source);
      if (!demand) return [];
      const { repository, source } = request;
      const found =
        demand.problem === undefined
          ? await Promise.all(
              usedRevisions(source.ref, answer, rendered).map((revision) =>
                repo.verifySignatures({ repository, source, revision, demand, keyring }, signal),
              ),
            )
          : [[demand.problem]];
      const which = source.name ? `source ${source.name}` : `source ${index + 1} of ${rendered.length}`;
      return found.flat().map((one) => `GIT/GPG: ${rendered.length > 1 ? `${which}: ` : ""}${one}`);
    }),
  );
  return problems.flat();
}

function usedRevisions(ref: string | undefined, own: Answer, all: readonly Rendered[]): string[] {
  const lent = ref ? all.flatMap(({ answer }) => answer.refRevisions?.[ref] ?? []) : [];
  return [...new Set([own.revision, ...lent])];
}

/** Manifests that a person brings are signed by nobody. */
export function permitsLocalManifests(
  { settings }: Pick<PlanningNeeds, "settings">,
  { project, sources }: Pick<RenderInput, "project" | "sources">,
): boolean {
  return settings.current.general.keyring === undefined || !demandsSignatures(project, sources);
}

/** As server/application.go Sync does. */
export function refuseLocalManifests(
  needs: Pick<PlanningNeeds, "settings">,
  input: Pick<RenderInput, "project" | "sources">,
): void {
  if (permitsLocalManifests(needs, input)) return;
  const { project } = input;
  const problem = "Cannot use local manifests when source integrity is enforced";
  throw new CapstanError({ code: "FAILED_PRECONDITION", what: `project ${project.metadata.name}`, problem });
}
