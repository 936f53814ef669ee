import { withoutEndSlashes } from "@capstan/formats";
import type { Repository } from "@capstan/model";
import { askIssuer, type IssuerNeeds } from "./ask-issuer.ts";
import type { IssuedToken } from "./issued-tokens.ts";

interface GithubApp {
  readonly id: string;
  readonly installation: string;
  readonly privateKey: string;
  readonly baseUrl: string | undefined;
}

/** A repository that is read as an installation of a GitHub App. */
export function githubAppOf(repository: Repository): GithubApp | undefined {
  const { githubAppPrivateKey: privateKey, githubAppID: id = "" } = repository;
  const { githubAppInstallationID: installation = "", githubAppEnterpriseBaseUrl: baseUrl } = repository;
  return privateKey === undefined ? undefined : { id, installation, privateKey, baseUrl };
}

export async function askGithub(app: GithubApp, needs: IssuerNeeds): Promise<IssuedToken> {
  const { installationRequest, readInstallationToken } = await import("@capstan/git-hosts");
  const { id, baseUrl } = app;
  // Where the proof would go is judged before there is one.
  const base = baseUrl === undefined ? needs.known.github : enterpriseUrl(baseUrl, needs.repository);
  const { path, headers } = installationRequest(app, needs.clock.now());
  const name = `the GitHub App ${id} at ${new URL(base).host}`;
  const answer = await askIssuer({ name, url: `${withoutEndSlashes(base)}${path}`, headers }, needs);
  const found = readInstallationToken(answer);
  if (!found) throw new Error(`${name} answers with something other than a token`);
  return { username: "x-access-token", token: found.token, until: found.untilMs };
}

/**
 * The API of GitHub Enterprise is at the host of its repositories, or at `api.` before it: whoever wrote the Secret
 * makes us speak to no other, and no one reads the proof on its way.
 */
function enterpriseUrl(text: string, { url }: Repository): string {
  const [base, own] = [URL.canParse(text) ? new URL(text) : undefined, new URL(url)];
  const isHttps = base?.protocol === "https:" || (base?.protocol === "http:" && own.protocol === "http:");
  const isHome = base !== undefined && [own.host, `api.${own.host}`].includes(base.host);
  if (!base || !isHttps || !isHome || base.username !== "" || base.search !== "" || base.hash !== "")
    throw new Error(
      `githubAppEnterpriseBaseUrl is no https address at ${own.host} or api.${own.host}, where the repository is`,
    );
  return base.href;
}
