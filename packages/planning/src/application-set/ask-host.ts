import {
  type BranchesAnswer,
  type BranchesQuestion,
  type BranchFact,
  type BranchFilters,
  type PullRequestsAnswer,
  type PullRequestsQuestion,
  readBranchFilters,
} from "@capstan/engine";
import { deadline, runLimited } from "@capstan/flow";
import type { GitHost, HostedBranch, HostedRepository, Look } from "@capstan/git-hosts";
import { type ApplicationSet, messageOf } from "@capstan/model";
import type { AskFreshness, AskNeeds } from "./ask-needs.ts";
import { readRepository, readScope, type WrittenScope } from "./host-providers.ts";
import { openHost } from "./open-host.ts";

interface Asked<Question> {
  readonly set: ApplicationSet;
  readonly question: Question;
  readonly freshness: AskFreshness;
}

const atOnce = 4;
/** For all requests of one question. */
const timeoutMs = 180_000;
/** What hosts answered so short a time ago holds where nobody asks for newer things. */
const keptMs = 180_000;

/**
 * The branches that an SCM provider generator takes. Rejects only where the signal is aborted: that nothing can be told
 * is an answer, which fails the set, and half of an answer is none.
 */
export async function askBranches(
  needs: AskNeeds,
  { set, question, freshness }: Asked<BranchesQuestion>,
  signal: AbortSignal,
): Promise<BranchesAnswer> {
  return withLook(needs, { set, freshness, signal }, async (look) => {
    const written = readScope(question);
    requireProtocol(question.cloneProtocol, written.kind);
    const host = await openHost(needs, { set, written }, look.signal);
    const filters = readBranchFilters(question.filters ?? []);
    const all = await host.listRepositories(written.scope, look);
    const taken = all.filter(
      (one) =>
        (written.withArchived || !one.isArchived) &&
        filters.takesRepository({ repository: one.name, labels: one.labels }),
    );
    const protocol = question.cloneProtocol;
    const found = await runLimited(taken, atOnce, (repository) =>
      branchesOf({ host, written, filters, protocol }, repository, look),
    );
    return { branches: found.flat() };
  });
}

/** The pull requests of one repository; rejects only where the signal is aborted. */
export async function askPullRequests(
  needs: AskNeeds,
  { set, question, freshness }: Asked<PullRequestsQuestion>,
  signal: AbortSignal,
): Promise<PullRequestsAnswer> {
  return withLook(needs, { set, freshness, signal }, async (look) => {
    const written = readRepository(question);
    const host = await openHost(needs, { set, written }, look.signal);
    const { of, query } = written;
    const pullRequests = await host.listPullRequests(of, query, look);
    if (pullRequests) return { pullRequests };
    const name = [of.owner, of.name].filter((part) => part !== "").join("/");
    const mend = "mend the name or the credential, or set continueOnRepoNotFoundError";
    return { missing: `there is no repository ${name}, or the credential does not show it: ${mend}` };
  });
}

/** What fails ends what is under way beside it. */
async function withLook<Answer>(
  { clock }: AskNeeds,
  { set, freshness, signal }: Pick<Asked<unknown>, "set" | "freshness"> & { signal: AbortSignal },
  ask: (look: Look) => Promise<Answer>,
): Promise<Answer | { problem: string }> {
  const late = () => new Error(`not all was answered within ${timeoutMs / 1000} s`);
  using limited = deadline({ clock, signal, ms: timeoutMs, late });
  const over = new AbortController();
  const { noRevisionCache = false, revisionNotBefore } = freshness;
  const now = clock.now();
  const notBeforeMs = noRevisionCache ? now : (revisionNotBefore ?? now - keptMs);
  try {
    const { namespace = "", name = "" } = set.metadata;
    const asker = { namespace, name };
    return await ask({ signal: AbortSignal.any([limited.signal, over.signal]), notBeforeMs, asker });
  } catch (error) {
    signal.throwIfAborted();
    return { problem: messageOf(error) };
  } finally {
    over.abort();
  }
}

interface Taking {
  readonly host: GitHost;
  readonly written: WrittenScope;
  readonly filters: BranchFilters;
  readonly protocol: string | undefined;
}

async function branchesOf(
  { host, written, filters, protocol }: Taking,
  repository: HostedRepository,
  look: Look,
): Promise<BranchFact[]> {
  const { organization, name, id, labels } = repository;
  const url = urlOf(repository, { protocol, kind: written.kind });
  const facts: BranchFact[] = [];
  for (const branch of await host.listBranches(repository, written.allBranches, look)) {
    if (!(await passes({ host, filters }, { repository, branch }, look))) continue;
    facts.push({
      organization,
      repository: name,
      repositoryId: id,
      url,
      branch: branch.name,
      sha: branch.sha,
      labels,
    });
  }
  return facts;
}

async function passes(
  { host, filters }: Pick<Taking, "host" | "filters">,
  { repository, branch }: { repository: HostedRepository; branch: HostedBranch },
  look: Look,
): Promise<boolean> {
  const has = (path: string) => host.hasPath(repository, { branch, path }, look);
  const every = async (paths: readonly string[], wanted: boolean) => {
    for (const path of paths) if ((await has(path)) !== wanted) return false;
    return true;
  };
  const { name, labels } = repository;
  for (const { present, absent } of filters.waysOf({ repository: name, labels, branch: branch.name }))
    if ((await every(present, true)) && (await every(absent, false))) return true;
  return false;
}

/** Argo CD names repositories of Azure DevOps by HTTPS whatever is asked for. */
function urlOf(
  { sshUrl, httpsUrl }: HostedRepository,
  { protocol, kind }: { protocol: string | undefined; kind: WrittenScope["kind"] },
): string {
  if (protocol === "https-fips")
    return httpsUrl.replace(/^https:\/\/git-codecommit\./, "https://git-codecommit-fips.");
  return protocol === "https" || kind === "azureDevOps" ? httpsUrl : sshUrl;
}

function requireProtocol(protocol = "", kind: WrittenScope["kind"]): void {
  if (["", "ssh", "https"].includes(protocol)) return;
  if (protocol === "https-fips" && kind === "awsCodeCommit") return;
  throw new Error(`cloneProtocol ${JSON.stringify(protocol)} is neither ssh nor https`);
}
