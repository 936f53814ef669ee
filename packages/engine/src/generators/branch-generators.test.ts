import assert from "node:assert/strict";
import { test } from "node:test";
import type { TerminalGenerator } from "@capstan/model";
import { readBranchFilters } from "./branch-filters.ts";
import { evaluateGenerator } from "./evaluate-generator.ts";
import type {
  AnswerTo,
  BranchesAnswer,
  BranchFact,
  GeneratorFacts,
  PullRequestFact,
  PullRequestsAnswer,
  Question,
  QuestionKind,
} from "./facts.ts";
import { branchSlug } from "./slug.ts";
import { fastTemplates } from "./templates.ts";

const where = "spec.generators[0]";

function evaluate(
  generator: TerminalGenerator,
  answers: { branches?: BranchesAnswer; pullRequests?: PullRequestsAnswer },
  isGo = false,
) {
  const questions: Question[] = [];
  const given: { readonly [Kind in QuestionKind]?: AnswerTo<Kind> } = answers;
  const facts: GeneratorFacts = {
    clusters: [],
    answerTo: <Kind extends QuestionKind>({ kind }: Question<Kind>): AnswerTo<Kind> | undefined =>
      given[kind],
  };
  const kind = generator.scmProvider ? "scmProvider" : "pullRequest";
  const input = { set: "set", facts, templates: fastTemplates, isGo, maxSets: 100, questions, where };
  return { sets: evaluateGenerator(generator, kind, input), questions };
}

const branch: BranchFact = {
  organization: "myorg",
  repository: "repo1",
  repositoryId: "190320251",
  url: "git@github.com:myorg/repo1.git",
  branch: "main",
  sha: "0bc57212c3cbbec69d20b34c507284bd300def5b",
  labels: ["prod", "staging"],
};

test("a branch gives the parameters of Argo CD's TestSCMProviderGenerateParams", () => {
  const values = { foo: "bar", should_i_force_push_to: "{{ branch }}?" };
  const github = { organization: "myorg" };
  const second = { ...branch, repository: "repo2", branch: "Feature/X_y", sha: "59d0", labels: [] };
  const { sets } = evaluate(
    { scmProvider: { github, values } },
    { branches: { branches: [branch, second] } },
  );
  assert.deepEqual(sets[0], {
    organization: "myorg",
    repository: "repo1",
    repository_id: "190320251",
    url: "git@github.com:myorg/repo1.git",
    branch: "main",
    branchNormalized: "main",
    sha: "0bc57212c3cbbec69d20b34c507284bd300def5b",
    short_sha: "0bc57212",
    short_sha_7: "0bc5721",
    labels: "prod,staging",
    "values.foo": "bar",
    "values.should_i_force_push_to": "main?",
  });
  const { branchNormalized, short_sha, short_sha_7, labels } = sets[1] ?? {};
  assert.deepEqual([branchNormalized, short_sha, short_sha_7, labels], ["feature-x-y", "59d0", "59d0", ""]);
});

const pull: PullRequestFact = {
  number: 2,
  title: "title2",
  author: "testName",
  branch: "feat/areally+long_pull_request_name_to_test_argo_slugification_and_branch_name_shortening_feature",
  targetBranch:
    "feat/anotherreally+long_pull_request_name_to_test_argo_slugification_and_branch_name_shortening_feature",
  headSha: "9b34ff5bd418e57d58891eb0aa0728043ca1e8be",
  labels: ["preview"],
};
const github = { owner: "myorg", repo: "web" };

test("a pull request gives the parameters of Argo CD's TestPullRequestGithubGenerateParams", () => {
  const { sets } = evaluate({ pullRequest: { github } }, { pullRequests: { pullRequests: [pull] } });
  const plain = {
    number: "2",
    title: "title2",
    author: "testName",
    branch: pull.branch,
    branch_slug: "feat-areally-long-pull-request-name-to-test-argo",
    target_branch: pull.targetBranch,
    target_branch_slug: "feat-anotherreally-long-pull-request-name-to-test",
    head_sha: "9b34ff5bd418e57d58891eb0aa0728043ca1e8be",
    head_short_sha: "9b34ff5b",
    head_short_sha_7: "9b34ff5",
  };
  assert.deepEqual(sets, [plain]);
  const inGo = evaluate({ pullRequest: { github } }, { pullRequests: { pullRequests: [pull] } }, true);
  assert.deepEqual(inGo.sets, [{ ...plain, labels: ["preview"] }]);
});

test("branches as parts of addresses: gosimple/slug's letters", () => {
  assert.equal(branchSlug("my_branch"), "my-branch");
  assert.equal(branchSlug(" Übung & Maß@Zürich's "), "ubung-and-massatzurichs");
  assert.equal(branchSlug("a".repeat(60)), "a".repeat(50));
});

test("what has not been answered is asked for, without what only the template needs", () => {
  const { sets, questions } = evaluate(
    { pullRequest: { github, values: { a: "b" }, requeueAfterSeconds: 5, filters: [{ titleMatch: "x" }] } },
    {},
  );
  assert.deepEqual([sets, questions], [[], [{ kind: "pullRequests", about: { github } }]]);
});

test("an answer that is a problem fails the set, and a missing repository where that is not permitted", () => {
  const missing = { missing: "there is no repository" };
  const ask = (more: object) => evaluate({ pullRequest: { github, ...more } }, { pullRequests: missing });
  assert.throws(() => ask({}), /spec.generators\[0\]: there is no repository/);
  assert.deepEqual(ask({ continueOnRepoNotFoundError: true }).sets, []);
  const failed = { branches: { problem: "GitHub at x answers 500" } };
  assert.throws(
    () => evaluate({ scmProvider: { github: { organization: "a" } } }, failed),
    /spec.generators\[0\]: branches GitHub at x answers 500/,
  );
});

test("filters of pull requests: all of an entry, any of the entries", () => {
  const pulls = ["main", "dev", "hotfix/1"].map((targetBranch, number) => ({
    ...pull,
    number,
    branch: `b${number}`,
    targetBranch,
    title: `title ${targetBranch}`,
  }));
  const numbers = (filters: object[]) =>
    evaluate({ pullRequest: { github, filters } }, { pullRequests: { pullRequests: pulls } }).sets.map(
      ({ number }) => number,
    );
  assert.deepEqual(numbers([]), ["0", "1", "2"]);
  assert.deepEqual(numbers([{ branchMatch: "b[01]", targetBranchMatch: "^dev$" }]), ["1"]);
  assert.deepEqual(numbers([{ titleMatch: "hotfix" }, { branchMatch: "0" }]), ["0", "2"]);
  assert.deepEqual(numbers([{}]), ["0", "1", "2"]);
  assert.throws(() => numbers([{ branchMatch: "(" }]), /filters\[0\].branchMatch: error parsing regexp/);
});

test("filters of repositories and branches: an entry that speaks of branches judges branches alone", () => {
  const { takesRepository, waysOf } = readBranchFilters([
    { repositoryMatch: "^web" },
    { labelMatch: "^prod$" },
    { branchMatch: "main|dev", pathsExist: ["a//", "b"] },
    { repositoryMatch: "x", pathsDoNotExist: ["c/"] },
  ]);
  const one = (repository: string, ...labels: string[]) => ({ repository, labels });
  assert.equal(takesRepository(one("web1")), true);
  assert.equal(takesRepository(one("other", "prod")), true);
  assert.equal(takesRepository(one("x", "production")), false);
  assert.deepEqual(waysOf({ ...one("web"), branch: "main" }), [{ present: ["a", "b"], absent: [] }]);
  assert.deepEqual(waysOf({ ...one("box"), branch: "z" }), [{ present: [], absent: ["c"] }]);
  assert.deepEqual(waysOf({ ...one("web"), branch: "z" }), []);
  const none = readBranchFilters([{}]);
  assert.equal(none.takesRepository(one("any")), true);
  assert.deepEqual(none.waysOf({ ...one("any"), branch: "b" }), [{ present: [], absent: [] }]);
  assert.throws(() => readBranchFilters([{ repositoryMatch: "[" }]), /filters\[0\].repositoryMatch/);
});
