import { withoutEndSlashes } from "@capstan/formats";
import { type GoRegexp, goRegexp } from "@capstan/formats/re2";
import { messageOf, type TerminalGenerator } from "@capstan/model";
import { GenerationError } from "./generation-error.ts";

type Filter = NonNullable<NonNullable<TerminalGenerator["scmProvider"]>["filters"]>[number];

interface FilteredRepository {
  readonly repository: string;
  readonly labels: readonly string[];
}

/** Files or folders of a branch, without slashes at their ends. */
export interface PathRules {
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** What the filters of an SCM provider generator let pass. */
export interface BranchFilters {
  takesRepository(repository: FilteredRepository): boolean;
  /** A branch passes by any of these; none: it does not pass. */
  waysOf(branch: FilteredRepository & { readonly branch: string }): readonly PathRules[];
}

/**
 * An entry that names branches or paths judges branches, any other one repositories: a branch has to pass one of each
 * sort that there is (applicationset/services/scm_provider compileFilters; the documentation says otherwise).
 */
export function readBranchFilters(filters: readonly Filter[]): BranchFilters {
  const read = filters.map(readFilter);
  const ofBranches = read.filter(({ sort }) => sort === "branch");
  const ofRepositories = read.filter(({ sort }) => sort === "repository");
  return {
    takesRepository: (repository) =>
      ofRepositories.length === 0 || ofRepositories.some((one) => one.fits(repository)),
    waysOf: (branch) =>
      ofBranches.length === 0
        ? [{ present: [], absent: [] }]
        : ofBranches
            .filter((one) => one.fits(branch) && one.fitsBranch(branch.branch))
            .map(({ rules }) => rules),
  };
}

function readFilter(
  { repositoryMatch, labelMatch, branchMatch, pathsExist, pathsDoNotExist }: Filter,
  at: number,
) {
  const isOfBranch = [branchMatch, pathsExist, pathsDoNotExist].some(isGiven);
  const isOfRepository = [repositoryMatch, labelMatch].some(isGiven);
  const name = readMatch(repositoryMatch, `filters[${at}].repositoryMatch`);
  const label = readMatch(labelMatch, `filters[${at}].labelMatch`);
  const ofBranch = readMatch(branchMatch, `filters[${at}].branchMatch`);
  return {
    sort: isOfBranch ? "branch" : isOfRepository ? "repository" : "nothing",
    fits: ({ repository, labels }: FilteredRepository) =>
      (!name || name.test(repository)) && (!label || labels.some((one) => label.test(one))),
    fitsBranch: (branch: string) => !ofBranch || ofBranch.test(branch),
    rules: {
      present: (pathsExist ?? []).map((path) => withoutEndSlashes(path)),
      absent: (pathsDoNotExist ?? []).map((path) => withoutEndSlashes(path)),
    },
  };
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** An expression of a filter; throws a GenerationError that names the field. */
export function readMatch(expression: string | undefined, field: string): GoRegexp | undefined {
  if (!isGiven(expression) || expression === undefined) return undefined;
  try {
    return goRegexp(expression);
  } catch (error) {
    throw new GenerationError(`${field}: ${messageOf(error)}`);
  }
}
