import { isRecord } from "@capstan/formats";
import type { HostCredential, HostSettings } from "./git-host.ts";
import type { HostSite } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { idAt } from "./read-answer.ts";
import { readPrivateKey, signClaims } from "./signed-claims.ts";

type App = Extract<HostCredential, { kind: "githubApp" }>;

/** Tolerates a clock that is behind, and stays below the ten minutes that GitHub allows. */
const [pastSeconds, aheadSeconds] = [60, 540];
/** Before its end a token is asked for anew: what begins with it goes on for a while. */
const spareMs = 5 * 60_000;
const foundForMs = 3_600_000;
const accept = "application/vnd.github+json";

/** What is asked of GitHub for a token of an installation; throws where that cannot be. */
export function installationRequest(
  { id, installation, privateKey }: { id: string; installation: string; privateKey: string },
  nowMs: number,
): { path: string; headers: Record<string, string> } {
  if (!/^\d{1,20}$/.test(installation))
    throw new Error("githubAppInstallationID is no number of an installation");
  return {
    path: `/app/installations/${installation}/access_tokens`,
    headers: proofOf({ id, privateKey }, nowMs),
  };
}

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
function proofOf(
  { id, privateKey }: { id: string; privateKey: string },
  nowMs: number,
): Record<string, string> {
  if (!/^\d{1,20}$/.test(id)) throw new Error("githubAppID is no number of a GitHub App");
  const now = Math.floor(nowMs / 1000);
  const claims = { iat: now - pastSeconds, exp: now + aheadSeconds, iss: id };
  const proof = signClaims(claims, readPrivateKey(privateKey, "githubAppPrivateKey"));
  return { authorization: `Bearer ${proof}`, accept };
}

/** https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app; undefined: it is none. */
export function readInstallationToken(body: unknown): { token: string; untilMs: number } | undefined {
  const { token, expires_at: until } = isRecord(body) ? body : {};
  const untilMs = typeof until === "string" ? Date.parse(until) : Number.NaN;
  return typeof token === "string" && token !== "" && !Number.isNaN(untilMs) ? { token, untilMs } : undefined;
}

interface Asked extends Pick<HostSettings, "credential" | "calls"> {
  /** Whose installation an App needs where it names none. */
  readonly owner: string;
  readonly signal: AbortSignal;
}

/** The headers that say who asks. */
export async function githubHeaders(site: HostSite, asked: Asked): Promise<Record<string, string>> {
  const { credential } = asked;
  if (credential === undefined) return {};
  if (credential.kind === "githubApp")
    return { authorization: `Bearer ${await installationToken(site, credential, asked)}` };
  if (credential.kind === "token") return { authorization: `Bearer ${credential.token}` };
  throw new Error("GitHub takes a token or an App, no password");
}

async function installationToken(site: HostSite, app: App, { calls, owner, signal }: Asked): Promise<string> {
  const installation = app.installation ?? (await findInstallation(site, app, { calls, owner, signal }));
  const make = async (shared: AbortSignal) => {
    const { path, headers } = installationRequest({ ...app, installation }, calls.clock.now());
    const what = `installation ${installation} of the GitHub App ${app.id}`;
    const answer = await calls.post({ ...site, headers }, path, { what, signal: shared });
    const found = readInstallationToken(answer.body);
    if (!found) throw new Error(`${what}: GitHub answers with something other than a token`);
    return { token: found.token, untilMs: found.untilMs - spareMs };
  };
  return calls.keepToken(site, { identity: ["token", app.id, installation, app.privateKey], make }, signal);
}

/** https://docs.github.com/en/rest/apps/apps#get-an-organization-installation-for-the-authenticated-app */
async function findInstallation(
  site: HostSite,
  app: App,
  { calls, owner, signal }: Omit<Asked, "credential">,
): Promise<string> {
  const make = async (shared: AbortSignal) => {
    const now = calls.clock.now();
    const proven = { ...site, headers: proofOf(app, now) };
    for (const kind of ["orgs", "users"]) {
      const path = `/${kind}/${encodeURIComponent(owner)}/installation`;
      const look = { signal: shared, notBeforeMs: now };
      const answer = await unlessMissing(calls.get(proven, path, { what: owner, look }));
      const id = answer && idAt(answer.body, "id");
      if (id !== undefined) return { token: id, untilMs: now + foundForMs };
    }
    throw new Error(`the GitHub App ${app.id} is not installed for ${owner}`);
  };
  const identity = ["installation", app.id, app.privateKey, owner.toLowerCase()];
  return calls.keepToken(site, { identity, make }, signal);
}
