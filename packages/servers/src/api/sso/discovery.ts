import { withoutEndSlashes } from "@capstan/formats";
import type { AskProvider } from "./provider-request.ts";
import { readObject, unavailable } from "./provider-request.ts";

/** What a provider says of itself (OpenID Connect Discovery 1.0, 3). */
export interface Discovery {
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly keys: string;
  /** Algorithms by which it signs ID tokens, those alone for which it publishes keys. */
  readonly algorithms: readonly string[];
  readonly hasCodes: boolean;
  readonly hasPkce: boolean;
  /** Whether the client's secret goes into a header, or into the form. */
  readonly secretIn: "header" | "form";
}

/** A key that is published verifies nothing that whoever read it can sign: no HS256, and never "none". */
const publicKeyAlgorithms = /^(?:RS|PS|ES)(?:256|384|512)$|^EdDSA$/;

export async function discover(ask: AskProvider, issuer: string, signal: AbortSignal): Promise<Discovery> {
  const url = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
  const answer = await ask({ method: "GET", url, signal });
  if (answer.status !== 200)
    throw unavailable(url, `it answered ${answer.status} where it should say what it is`);
  const said = readObject(answer, url);
  if (said.issuer !== issuer)
    throw unavailable(
      url,
      `it calls itself ${JSON.stringify(said.issuer)}, and issuer of oidc.config is "${issuer}"`,
    );
  const address = (key: string): string => {
    const value = said[key];
    if (typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value)) return value;
    throw unavailable(url, `it names no ${key}`);
  };
  const texts = (key: string): readonly string[] | undefined => {
    const value = said[key];
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
  };
  const methods = texts("token_endpoint_auth_methods_supported");
  return {
    issuer,
    authorization: address("authorization_endpoint"),
    token: address("token_endpoint"),
    keys: address("jwks_uri"),
    algorithms: algorithmsOf(texts("id_token_signing_alg_values_supported")),
    hasCodes: texts("response_types_supported")?.includes("code") ?? true,
    hasPkce: texts("code_challenge_methods_supported")?.includes("S256") ?? false,
    secretIn: methods === undefined || methods.includes("client_secret_basic") ? "header" : "form",
  };
}

function algorithmsOf(said: readonly string[] | undefined): readonly string[] {
  const usable = said?.filter((one) => publicKeyAlgorithms.test(one)) ?? [];
  return usable.length > 0 ? usable : ["RS256"];
}
