import type { TerminalGenerator } from "@capstan/model";
import { readBranchFilters } from "./branch-filters.ts";
import type { BranchesAnswer, BranchesQuestion, BranchFact } from "./facts.ts";
import { normalizeName, type Parameters } from "./parameters.ts";
import { type Templates, withValues } from "./templates.ts";

type ScmProvider = NonNullable<TerminalGenerator["scmProvider"]>;

/** What has to be known for an SCM provider generator; throws where nobody could answer. */
export function branchesQuestion(generator: ScmProvider): BranchesQuestion {
  const { values: _values, template: _template, requeueAfterSeconds: _seconds, ...question } = generator;
  readBranchFilters(question.filters ?? []);
  return question;
}

/** applicationset/generators SCMProviderGenerator. */
export function branchParameters(
  { values }: ScmProvider,
  { branches = [] }: BranchesAnswer,
  form: { readonly templates: Templates; readonly isGo: boolean },
): Parameters[] {
  return branches.map((branch) => withValues(parametersOf(branch), values, form));
}

function parametersOf({ repositoryId, branch, sha, labels, organization, repository, url }: BranchFact) {
  return {
    organization,
    repository,
    ...(repositoryId === undefined ? {} : { repository_id: repositoryId }),
    url,
    branch,
    branchNormalized: normalizeName(branch),
    sha,
    short_sha: sha.slice(0, 8),
    short_sha_7: sha.slice(0, 7),
    labels: labels.join(","),
  };
}
