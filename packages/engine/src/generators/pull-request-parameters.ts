import type { TerminalGenerator } from "@capstan/model";
import { readMatch } from "./branch-filters.ts";
import type { PullRequestFact, PullRequestsAnswer, PullRequestsQuestion } from "./facts.ts";
import { GenerationError } from "./generation-error.ts";
import type { Parameters } from "./parameters.ts";
import { branchSlug } from "./slug.ts";
import { type Templates, withValues } from "./templates.ts";

type PullRequest = NonNullable<TerminalGenerator["pullRequest"]>;

/** What has to be known for a pull request generator. */
export function pullRequestsQuestion({
  values: _values,
  template: _template,
  requeueAfterSeconds: _seconds,
  filters: _filters,
  continueOnRepoNotFoundError: _continue,
  ...question
}: PullRequest): PullRequestsQuestion {
  return question;
}

/** applicationset/generators PullRequestGenerator. */
export function pullRequestParameters(
  { filters = [], values, continueOnRepoNotFoundError = false }: PullRequest,
  { pullRequests = [], missing }: PullRequestsAnswer,
  form: { readonly templates: Templates; readonly isGo: boolean },
): Parameters[] {
  if (missing !== undefined && !continueOnRepoNotFoundError) throw new GenerationError(missing);
  const tests = filters.map(readFilter);
  return pullRequests
    .filter((one) => tests.length === 0 || tests.some((test) => test(one)))
    .map((one) => withValues(parametersOf(one, form.isGo), values, form));
}

type Filter = NonNullable<PullRequest["filters"]>[number];

function readFilter(filter: Filter, at: number): (one: PullRequestFact) => boolean {
  const branch = readMatch(filter.branchMatch, `filters[${at}].branchMatch`);
  const target = readMatch(filter.targetBranchMatch, `filters[${at}].targetBranchMatch`);
  const title = readMatch(filter.titleMatch, `filters[${at}].titleMatch`);
  return (one) =>
    (!branch || branch.test(one.branch)) &&
    (!target || target.test(one.targetBranch)) &&
    (!title || title.test(one.title));
}

function parametersOf(one: PullRequestFact, isGo: boolean): Parameters {
  const { number, title, author, branch, targetBranch, headSha, labels } = one;
  return {
    number: String(number),
    title,
    author,
    branch,
    branch_slug: branchSlug(branch),
    target_branch: targetBranch,
    target_branch_slug: branchSlug(targetBranch),
    head_sha: headSha,
    head_short_sha: headSha.slice(0, 8),
    head_short_sha_7: headSha.slice(0, 7),
    ...(isGo ? { labels } : {}),
  };
}
