import { isRecord, parseDuration } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import { type SecretTexts, withSecrets } from "./secret-references.ts";
import type { OidcSettings } from "./settings.ts";

const field = "oidc.config";

/** Keys that are read below; others are said. */
const known: ReadonlySet<string> = new Set([
  "name",
  "issuer",
  "clientID",
  "clientSecret",
  "cliClientID",
  "requestedScopes",
  "requestedIDTokenClaims",
  "logoutURL",
  "rootCA",
  "enablePKCEAuthentication",
  "domainHint",
  "allowedAudiences",
  "skipAudienceCheckWhenTokenHasNoAudience",
  "enableUserInfoGroups",
  "userInfoBaseURL",
  "userInfoPath",
  "userInfoCacheExpiration",
  "refreshTokenThreshold",
  "azure",
]);

/**
 * `oidc.config` of argocd-cm; undefined where there is none, or where it cannot be used, which is said. Any text in it
 * may be a reference: `$key` of argocd-secret, `$name:key` of a Secret with the label part-of=argocd.
 * Source: util/settings/settings.go OIDCConfig, ReplaceMapSecrets.
 */
export function readOidc(reader: ValueReader, secrets: SecretTexts): OidcSettings | undefined {
  const text = reader.text(field);
  if (text === undefined) return undefined;
  const problem = (said: string): undefined => {
    reader.problem(field, said);
  };
  let value: unknown;
  try {
    value = parseYaml(text, { file: field });
  } catch (error) {
    return problem(messageOf(error));
  }
  if (!isRecord(value)) return problem("is no object with issuer and clientID");
  const config = new OidcReader(withSecrets(value, secrets, problem), problem);
  for (const key of Object.keys(value)) if (!known.has(key)) problem(`${key} is not known, and not honoured`);
  return readConfig(config, {
    problem,
    isVerified: !reader.boolean("oidc.tls.insecure.skip.verify", false),
  });
}

interface Around {
  problem(said: string): undefined;
  isVerified: boolean;
}

function readConfig(config: OidcReader, { problem, isVerified }: Around): OidcSettings | undefined {
  const [issuer, clientId] = [config.text("issuer"), config.text("clientID")];
  if (!issuer || !clientId) return problem("needs issuer and clientID: nobody can log in by it");
  if (!/^https?:\/\//.test(issuer) || !URL.canParse(issuer)) return problem("issuer is no http(s) address");
  const secret = config.text("clientSecret");
  const [cliClientId, rootCa] = [config.text("cliClientID"), config.text("rootCA")];
  const audiences = config.texts("allowedAudiences");
  const [logoutUrl, domainHint] = [config.text("logoutURL"), config.text("domainHint")];
  const refreshMs = config.duration("refreshTokenThreshold");
  const azure = config.record("azure");
  for (const key of Object.keys(azure))
    if (key !== "useWorkloadIdentity" && key !== "graphApiEndpoint" && azure[key] !== false)
      problem(`azure.${key} is not honoured: groups are read from the token or from user info`);
  return {
    name: config.text("name") ?? "",
    issuer,
    clientId,
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...(cliClientId === undefined ? {} : { cliClientId }),
    scopes: config.texts("requestedScopes"),
    idTokenClaims: config.record("requestedIDTokenClaims"),
    ...(logoutUrl === undefined ? {} : { logoutUrl }),
    ...(rootCa === undefined ? {} : { rootCa }),
    isVerified,
    needsPkce: config.flag("enablePKCEAuthentication"),
    ...(domainHint === undefined ? {} : { domainHint }),
    audiences: audiences.length > 0 ? audiences : [clientId, ...(cliClientId ? [cliClientId] : [])],
    takesAbsentAudience: config.flag("skipAudienceCheckWhenTokenHasNoAudience"),
    ...userInfoOf(config, issuer, problem),
    ...(refreshMs === undefined || refreshMs === 0 ? {} : { refreshMs }),
    usesWorkloadIdentity: azure.useWorkloadIdentity === true,
  };
}

function userInfoOf(
  config: OidcReader,
  issuer: string,
  problem: Around["problem"],
): Pick<OidcSettings, "userInfo"> {
  if (!config.flag("enableUserInfoGroups")) return {};
  const path = config.text("userInfoPath");
  if (path === undefined) {
    problem("enableUserInfoGroups needs userInfoPath: groups are read from the token alone");
    return {};
  }
  const url = `${config.text("userInfoBaseURL") ?? issuer}${path}`;
  const keepMs = config.duration("userInfoCacheExpiration");
  return { userInfo: { url, ...(keepMs ? { keepMs } : {}) } };
}

/** Values of the configuration by their kind; what is of another kind is said, and as if it were absent. */
class OidcReader {
  readonly #value: Readonly<Record<string, unknown>>;
  readonly #problem: (said: string) => void;

  constructor(value: Readonly<Record<string, unknown>>, problem: (said: string) => void) {
    this.#value = value;
    this.#problem = problem;
  }

  text(key: string): string | undefined {
    const value = this.#value[key];
    if (typeof value === "string") return value.trim() || undefined;
    if (typeof value === "number") return String(value);
    return this.#other(key, "a text", undefined);
  }

  texts(key: string): string[] {
    const value = this.#value[key];
    if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value;
    return this.#other(key, "a list of texts", []);
  }

  flag(key: string): boolean {
    const value = this.#value[key];
    return typeof value === "boolean" ? value : this.#other(key, "true or false", false);
  }

  record(key: string): Record<string, unknown> {
    const value = this.#value[key];
    return isRecord(value) ? value : this.#other(key, "an object", {});
  }

  /** Milliseconds. */
  duration(key: string): number | undefined {
    const text = this.text(key);
    const ms = text === undefined ? undefined : parseDuration(text, { days: true });
    if (text !== undefined && ms === undefined) this.#problem(`${key} is not a duration such as 5m`);
    return ms;
  }

  #other<T>(key: string, wanted: string, fallback: T): T {
    const value = this.#value[key];
    if (value !== undefined && value !== null) this.#problem(`${key} is not ${wanted}`);
    return fallback;
  }
}
