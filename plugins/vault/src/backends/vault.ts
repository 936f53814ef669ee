import { isRecord } from "@capstan/formats";
import {
  connectVault,
  isRefusedByPolicy,
  type JsonAnswer,
  vaultPath,
  vaultProblem,
} from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds, SecretAddress, SecretData } from "./backend.ts";
import { type Post, readLogin, readVaultToken } from "./vault-login.ts";

/** What is leased is got anew before it ends, so that its successor is in use by then. */
const leaseShare = 0.9;
const tokenMarginMs = 5_000;

/** Vault's and OpenBao's key-value engine in both versions, and what they lease, over their HTTP API. */
export async function vaultBackend(settings: Settings, needs: BackendNeeds): Promise<Backend> {
  const { clock, leases, onLease } = needs;
  const vault = await openVault(settings, needs);
  return {
    async read(secret, signal) {
      const path = pathOf(secret, settings);
      const known = needs.refresh === "hard" ? undefined : leases?.get(await vault.identity(path, signal));
      if (known) {
        onLease?.(known.until);
        return known.data;
      }
      const answer = await vault.get(path, signal);
      const data = readSecret(answer, isVersionTwo(secret, settings));
      const seconds = leaseSeconds(answer);
      if (data && seconds > 0) {
        const { until: tokenUntil } = await vault.token(signal);
        // With a token everything ends that was leased to it.
        const until = Math.min(clock.now() + seconds * 1000 * leaseShare, tokenUntil - tokenMarginMs);
        leases?.keep(await vault.identity(path, signal), { data, until });
        onLease?.(until);
      }
      return data;
    },
  };
}

/** Requests with a token, which is got once for all renders of an identity. */
async function openVault(settings: Settings, { clock, tokens }: BackendNeeds) {
  const call = await connectVault(settings.need("VAULT_ADDR"), settings, clock);
  const login = await readLogin(settings, clock);
  const post =
    (headers: Readonly<Record<string, string>>): Post =>
    async (path, body, signal) => {
      const answer = await call(path, { method: "POST", headers, body, signal });
      if (answer.status === 200) return answer.body;
      const mount = path.replace(/\/login.*$/, "");
      throw new Error(`Vault's login at ${mount}: ${vaultProblem(answer)}`);
    };
  const token = (signal: AbortSignal) =>
    tokens.get(login.identity, {
      login: () => login.run(post({}), signal),
      renew: async (old) =>
        readVaultToken(await post({ "x-vault-token": old })("auth/token/renew-self", {}, signal), clock),
    });
  const ask = (path: string, own: string, signal: AbortSignal) =>
    call(path, { headers: { "x-vault-token": own }, signal });
  /** Got in this render after a refusal. */
  let replacement: string | undefined;
  return {
    token,
    /** By whom a path is read. */
    identity: async (path: string, signal: AbortSignal) => [
      ...login.identity,
      (await token(signal)).token,
      path,
    ],
    async get(path: string, signal: AbortSignal): Promise<JsonAnswer> {
      const { token: own } = await token(signal);
      const answer = await ask(path, own, signal);
      if (answer.status !== 403) return answer;
      if (login.isFixed) {
        if (!isRefusedByPolicy(answer) && !(await isKnown(own, signal))) throw new Error(unknownToken);
        return answer;
      }
      // What a role may do now reaches only tokens that are got now: once a render.
      if (isRefusedByPolicy(answer) && own === replacement) return answer;
      await tokens.forget(login.identity, own);
      replacement = (await token(signal)).token;
      return ask(path, replacement, signal);
    },
  };

  async function isKnown(own: string, signal: AbortSignal): Promise<boolean> {
    const answer = await ask("auth/token/lookup-self", own, signal);
    return answer.status !== 403 || isRefusedByPolicy(answer);
  }
}

const unknownToken = "permission denied: Vault does not know the token, it has expired or was revoked";

/** Of what was made for this request; a stored secret has none, though version 1 gives a hint of how often to look. */
function leaseSeconds({ body }: JsonAnswer): number {
  if (!isRecord(body) || typeof body.lease_id !== "string" || body.lease_id === "") return 0;
  return Number(body.lease_duration ?? 0);
}

function isVersionTwo({ kvVersion }: SecretAddress, settings: Settings): boolean {
  const version = kvVersion ?? settings.get("AVP_KV_VERSION") ?? "2";
  if (version !== "1" && version !== "2")
    throw new Error(`AVP_KV_VERSION "${version}" is unknown: use 1 or 2`);
  return version === "2";
}

function pathOf(secret: SecretAddress, settings: Settings): string {
  const path = vaultPath(secret.path);
  if (secret.version === undefined || !isVersionTwo(secret, settings)) return path;
  if (!/^\d+$/.test(secret.version)) throw new Error(`version "${secret.version}" is no number`);
  return `${path}?version=${secret.version}`;
}

function readSecret(answer: JsonAnswer, isVersionTwo: boolean): SecretData | undefined {
  if (answer.status === 404) return explainAbsence(answer);
  if (answer.status !== 200) throw new Error(vaultProblem(answer));
  const outer = isRecord(answer.body) && isRecord(answer.body.data) ? answer.body.data : undefined;
  if (!isVersionTwo) return outer;
  if (outer && isRecord(outer.data)) return outer.data;
  throw new Error('this is no secret of version 2. Write "/data/" into the path, or set the version to 1');
}

/** A 404 with nothing in it: there is no such secret. Else its body says why: versions, the engine, the namespace. */
function explainAbsence(answer: JsonAnswer): undefined {
  const body = isRecord(answer.body) ? answer.body : {};
  const metadata = isRecord(body.data) && isRecord(body.data.metadata) ? body.data.metadata : undefined;
  if (metadata?.destroyed === true) throw new Error(`version ${metadata.version} is destroyed`);
  if (metadata) throw new Error(`version ${metadata.version} was deleted on ${metadata.deletion_time}`);
  const warnings = Array.isArray(body.warnings) ? body.warnings.join("; ").slice(0, 300) : "";
  if (/^Invalid path for a versioned/.test(warnings))
    throw new Error('the engine keeps versions: write "/data/" into the path, behind the engine\'s own');
  if (warnings !== "") throw new Error(`there is no secret: ${warnings}`);
  if (Array.isArray(body.errors) && body.errors.length > 0) throw new Error(vaultProblem(answer));
  return undefined;
}
