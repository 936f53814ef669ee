import { type ApplicationSet, allGenerators } from "@capstan/model";
import { nameAt } from "./payload.ts";

/** Where a pull request has come, gone or changed. */
export interface PullRequestEvent {
  /** As the generator's field is called. */
  readonly provider: "github" | "gitlab" | "gitea" | "bitbucket" | "bitbucketServer" | "azuredevops";
  /** Of the host's API or page; undefined: the payload does not say it. */
  readonly host: string | undefined;
  /** Names that a generator may have for the repository, `owner/name` or a number. */
  readonly names: readonly string[];
}

/** GitHub's payload, which Gitea sends as well (applicationset/webhook getPRGeneratorInfo). */
export function readGithubPullRequest(
  payload: unknown,
  provider: "github" | "gitea",
): PullRequestEvent | undefined {
  const owner = nameAt(payload, "repository", "owner", "login");
  const name = nameAt(payload, "repository", "name");
  if (owner === undefined || name === undefined) return undefined;
  const address = provider === "github" ? "url" : "html_url";
  return { provider, host: hostOf(nameAt(payload, "repository", address)), names: [`${owner}/${name}`] };
}

export function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname.toLowerCase() : undefined;
}

/** Sets with a pull request generator of that repository, also one within others; what is a template may be any. */
export function matchPullRequests(event: PullRequestEvent, sets: Iterable<ApplicationSet>): ApplicationSet[] {
  const names = event.names.map((name) => name.toLowerCase());
  return [...sets].filter((set) =>
    allGenerators(set).some(({ pullRequest }) => {
      const asked = pullRequest && placeOf(pullRequest, event.provider);
      if (!asked) return false;
      const isNamed = asked.name.includes("{{") || names.includes(asked.name.toLowerCase());
      const isThere = asked.host === undefined || event.host === undefined || asked.host === event.host;
      return isNamed && (isThere || asked.isOpen);
    }),
  );
}

type Generator = NonNullable<ReturnType<typeof allGenerators>[number]["pullRequest"]>;

interface Place {
  readonly name: string;
  readonly host: string | undefined;
  /** Its address is a template. */
  readonly isOpen: boolean;
}

function placeOf(generator: Generator, provider: PullRequestEvent["provider"]): Place | undefined {
  const { github, gitlab, gitea, bitbucket, bitbucketServer, azuredevops: azure } = generator;
  const at = (name: string, api: string | undefined): Place => ({
    name,
    host: hostOf(api),
    isOpen: api?.includes("{{") === true,
  });
  if (provider === "github" && github)
    return at(`${github.owner}/${github.repo}`, github.api || "https://api.github.com");
  if (provider === "gitlab" && gitlab) return at(gitlab.project, gitlab.api || "https://gitlab.com");
  if (provider === "gitea" && gitea) return at(`${gitea.owner}/${gitea.repo}`, gitea.api);
  if (provider === "bitbucket" && bitbucket) return at(`${bitbucket.owner}/${bitbucket.repo}`, undefined);
  if (provider === "bitbucketServer" && bitbucketServer)
    return at(`${bitbucketServer.project}/${bitbucketServer.repo}`, bitbucketServer.api);
  return provider === "azuredevops" && azure ? at(`${azure.project}/${azure.repo}`, undefined) : undefined;
}
