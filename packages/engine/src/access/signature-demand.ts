import { type ApplicationSource, type AppProject, isGitSource, meansAddress } from "@capstan/model";

/** What a project demands of the signatures of one source's commits. */
export interface SignatureDemand {
  /** head: of the commit that is used, or of its annotated tag; strict: of all commits that it comes from too. */
  readonly mode: "head" | "strict";
  /** Ids of 16 digits or fingerprints of 40: one of them must have signed. */
  readonly keys: readonly string[];
  /** Why nothing can satisfy it. */
  readonly problem?: string;
}

type Policy = NonNullable<
  NonNullable<NonNullable<AppProject["spec"]["sourceIntegrity"]>["git"]>["policies"]
>[number];

/**
 * The demand on a source; nothing where there is none (util/sourceintegrity lookupGit). Charts and artifacts of
 * registries are not verified. Addresses are compared in one spelling: another one of the same repository escapes no
 * policy, and what cannot be read for certain is excepted from none.
 */
export function signatureDemand(project: AppProject, source: ApplicationSource): SignatureDemand | undefined {
  if (!isGitSource(source)) return undefined;
  const matching = policiesOf(project).filter(({ repos }) => isAbout(repos, source.repoURL));
  const [policy, ...more] = matching;
  if (more.length > 0) {
    const problem = `multiple (${matching.length}) git source integrity policies found for repo URL: ${source.repoURL}`;
    return { mode: "head", keys: [], problem };
  }
  if (!policy?.gpg || policy.gpg.mode === "none") return undefined;
  const { mode, keys = [] } = policy.gpg;
  if (mode === "head" || mode === "strict") return { mode, keys };
  return { mode: "head", keys, problem: `unknown GPG mode "${mode}" configured for GIT source integrity` };
}

export function demandsSignatures(project: AppProject, sources: readonly ApplicationSource[]): boolean {
  return sources.some((source) => signatureDemand(project, source) !== undefined);
}

/** signatureKeys, deprecated, count where there are no policies for git (v1alpha1 AppProject EffectiveSourceIntegrity). */
function policiesOf({ spec }: AppProject): readonly Policy[] {
  const { signatureKeys = [], sourceIntegrity } = spec;
  if (sourceIntegrity?.git || signatureKeys.length === 0) return sourceIntegrity?.git?.policies ?? [];
  const keys = signatureKeys.map(({ keyID }) => keyID);
  return [{ repos: [{ url: "*" }], gpg: { mode: "head", keys } }];
}

function isAbout(repos: Policy["repos"], url: string): boolean {
  const isExcepted = repos.some(
    (one) => one.url.startsWith("!") && meansAddress(one.url.slice(1), url).surely,
  );
  return !isExcepted && repos.some((one) => !one.url.startsWith("!") && meansAddress(one.url, url).perhaps);
}
