import { withoutEndSlashes } from "@capstan/formats";
import { type Repository, readRepositoryAddress } from "@capstan/model";

/** Settings of git by which it has a password or token for one repository, or one host, and for nothing else. */
export interface GitCredentials {
  readonly env: Readonly<Record<string, string>>;
  /** Keys and values, as `git -c` takes them. */
  readonly settings: readonly (readonly [key: string, value: string])[];
}

/**
 * Git's transports: no other program is started for an address (`ext::`, `fd::`, a `git-remote-…` on PATH).
 * https://git-scm.com/docs/git#Documentation/git.txt-GITALLOWPROTOCOL
 */
export const gitProtocols = "https:http:ssh:git:file";
/** For programs that follow addresses of repositories' files: nothing of this machine's disk. */
export const remoteProtocols = "https:http:ssh:git";

/** Hosts that take tokens ignore the user's name but want one (Argo CD: util/git newCreds). */
const anyUser = "x-access-token";

/** Prints what git asks for; the secrets themselves are in the environment only. */
const helper =
  '!f() { test "$1" = get && { test -z "$CAPSTAN_GIT_USERNAME" || printf "username=%s\\n" "$CAPSTAN_GIT_USERNAME"; printf "password=%s\\n" "$CAPSTAN_GIT_PASSWORD"; }; }; f';

/**
 * `within`: for the whole host of one repository, whose own server may lead on to another of its paths; or for
 * the repository alone, where one program may ask for several.
 */
export function gitCredentials(repository: Repository, within: "host" | "repository"): GitCredentials {
  const { url, bearerToken, password, forceHttpBasicAuth, username = "" } = repository;
  const address = readRepositoryAddress(url);
  if (!address || !/^https?$/.test(address.scheme)) return { env: {}, settings: [] };
  const scopes = within === "host" ? [hostOf(url)] : spellingsOf(url);
  const forced = forceHttpBasicAuth && password !== undefined ? basic(username, password) : undefined;
  const authorization = bearerToken ? `Bearer ${bearerToken}` : forced;
  if (authorization !== undefined)
    return {
      env: {},
      settings: [...staying(scopes), ...each(scopes, "http extraHeader", `Authorization: ${authorization}`)],
    };
  const staysHere = repository.tlsClientCertKey === undefined ? [] : staying(scopes);
  if (password === undefined) return { env: {}, settings: staysHere };
  const name = username || (address.user === "" ? anyUser : "");
  return {
    env: { CAPSTAN_GIT_USERNAME: name, CAPSTAN_GIT_PASSWORD: password },
    settings: [...staysHere, ...each(scopes, "credential helper", helper)],
  };
}

/** The header by which Capstan itself asks a git server over HTTP, as git would. */
export function authorizationOf({ bearerToken, username, password }: Repository): { authorization?: string } {
  if (bearerToken) return { authorization: `Bearer ${bearerToken}` };
  return password === undefined ? {} : { authorization: basic(username || anyUser, password) };
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

/** Git sends a header and shows a certificate to whatever host an answer leads it to: it follows no answer. */
function staying(scopes: readonly string[]): [string, string][] {
  return each(scopes, "http followRedirects", "false");
}

function each(scopes: readonly string[], setting: `${string} ${string}`, value: string): [string, string][] {
  const [section, name] = setting.split(" ");
  return scopes.map((scope) => [`${section}.${scope}.${name}`, value]);
}

function hostOf(url: string): string {
  return new URL(url.trim()).origin;
}

/** Git compares whole segments of paths: the same repository is asked for with `.git` and without. */
function spellingsOf(url: string): string[] {
  const { origin, pathname } = new URL(url.trim());
  const path = withoutEndSlashes(pathname).replace(/\.git$/, "");
  return path === "" ? [`${origin}/`] : [`${origin}${path}`, `${origin}${path}.git`];
}

/** The settings after those that an environment counts already. */
export function withGitSettings(
  env: Readonly<Record<string, string>>,
  settings: GitCredentials["settings"],
): Record<string, string> {
  if (settings.length === 0) return { ...env };
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  const numbered = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${count + at}`, key],
    [`GIT_CONFIG_VALUE_${count + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(numbered), GIT_CONFIG_COUNT: String(count + settings.length) };
}
