import { withoutEndSlashes } from "@capstan/formats";
import type { Repository } from "@capstan/model";
import { askIssuer, type IssuerNeeds, readPrivateKey, signClaims } from "./ask-issuer.ts";
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

/** Tolerates a clock that is behind, and stays below the ten minutes that GitHub allows. */
const [pastSeconds, aheadSeconds] = [60, 540];

/** https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app */
export async function askGithub(
  { id, installation, privateKey, baseUrl }: GithubApp,
  needs: IssuerNeeds,
): Promise<IssuedToken> {
  if (!/^\d{1,20}$/.test(id)) throw new Error("githubAppID is no number of a GitHub App");
  if (!/^\d{1,20}$/.test(installation))
    throw new Error("githubAppInstallationID is no number of an installation");
  const base = baseUrl === undefined ? needs.known.github : enterpriseUrl(baseUrl, needs.repository);
  const now = Math.floor(needs.clock.now() / 1000);
  const claims = { iat: now - pastSeconds, exp: now + aheadSeconds, iss: id };
  const proof = signClaims(claims, readPrivateKey(privateKey, "githubAppPrivateKey"));
  const name = `the GitHub App ${id} at ${new URL(base).host}`;
  const url = `${withoutEndSlashes(base)}/app/installations/${installation}/access_tokens`;
  const headers = { authorization: `Bearer ${proof}`, accept: "application/vnd.github+json" };
  const { token, expires_at: until } = await askIssuer({ name, url, headers }, needs);
  const end = typeof until === "string" ? Date.parse(until) : Number.NaN;
  if (typeof token !== "string" || token === "" || Number.isNaN(end))
    throw new Error(`${name} answers with something other than a token`);
  return { username: "x-access-token", token, until: end };
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
