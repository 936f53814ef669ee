import type { AppProject } from "@capstan/model";
import type { Api } from "../../api.ts";
import { ExitError, UsageError } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { withSpec } from "./change-project.ts";
import { readKeyId } from "./project-flags.ts";

/** Who has to have signed what comes from some git repositories (argocd proj source-integrity git policies). */
type GitPolicies = NonNullable<NonNullable<AppProject["spec"]["sourceIntegrity"]>["git"]>["policies"];
export type GitPolicy = GitPolicies[number];
type Mode = NonNullable<GitPolicy["gpg"]>["mode"];

export const modes = ["strict", "head", "none"] as const satisfies readonly Mode[];

export function gitPoliciesOf({ spec }: AppProject): GitPolicies {
  return spec.sourceIntegrity?.git?.policies ?? [];
}

/** A project without one is an error, as argocd has it. */
export function someGitPolicies(project: AppProject): GitPolicies {
  const policies = gitPoliciesOf(project);
  if (policies.length === 0)
    throw new ExitError(
      `No source integrity git policies defined for project "${project.metadata.name}"`,
      20,
    );
  return policies;
}

/** Policies are named by their place in the list, from 0. */
export function policyIndex(policies: GitPolicies, text: string): number {
  if (!/^\d+$/.test(text)) throw new UsageError(`Invalid POLICY_ID '${text}'`);
  const index = Number(text);
  if (index >= policies.length)
    throw new ExitError(`POLICY_ID ${index} is out of range (0-${policies.length - 1})`, 20);
  return index;
}

/** Without policies nothing of it stays in the project. */
export function withGitPolicies(project: AppProject, policies: GitPolicies): AppProject {
  if (policies.length > 0) return withSpec(project, { sourceIntegrity: { git: { policies } } });
  const { sourceIntegrity: _gone, ...spec } = project.spec;
  return { ...project, spec };
}

/** `D56C4FCA57A46444`, or a fingerprint: as it was written. */
export function checkedKeys(keys: readonly string[]): string[] {
  for (const key of keys) readKeyId(key);
  return [...keys];
}

/** What makes the policy useless. Asks for the keys that the server knows. */
export async function policyWarnings({ repos, gpg }: GitPolicy, client: Api): Promise<string[]> {
  const warnings = repos.length > 0 ? [] : ["Policy has no repository URLs and will never be used"];
  const keys = gpg?.keys ?? [];
  if (gpg?.mode === "none") return warnings;
  if (keys.length === 0) return [...warnings, "Policy has no GPG keys and will never validate any revision"];
  const { items = [] } = await client.call("listGpgKeys", {});
  const known = new Set(items.map(({ keyID }) => keyID));
  const absent = keys.filter((key) => !known.has(readKeyId(key))).toSorted();
  return absent.length === 0
    ? warnings
    : [...warnings, `Following GPG keys are not in repo-server keyring: ${absent.join(", ")}`];
}

export function policyTable(policies: GitPolicies): string {
  const rows = policies.map(({ repos, gpg }, id) => [
    String(id),
    gpg?.mode ?? "<none>",
    listed(gpg?.keys),
    listed(repos.map(({ url }) => url)),
  ]);
  return formatTable([["ID", "GPG-MODE", "GPG-KEYS", "REPO-URLS"], ...rows]);
}

function listed(texts: readonly string[] = []): string {
  return texts.length > 0 ? texts.join(", ") : "<none>";
}
