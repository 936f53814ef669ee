import { isRecord } from "@capstan/formats";
import type { Repository } from "@capstan/model";
import { askIssuer, type IssuerNeeds } from "./ask-issuer.ts";
import type { IssuedToken } from "./issued-tokens.ts";

/** The key file of a service account of Google Cloud. */
export function googleKeyOf({ gcpServiceAccountKey: text }: Repository): string | undefined {
  return text;
}

const scope = "https://www.googleapis.com/auth/cloud-platform";
const lifetimeSeconds = 3600;

/**
 * A statement signed by the account's key, for a token (RFC 7523; https://developers.google.com/identity/protocols/oauth2/service-account).
 * The `token_uri` of the key's file is not gone to: whoever wrote the file could name any address.
 */
export async function askGoogle(text: string, needs: IssuerNeeds): Promise<IssuedToken> {
  const { readPrivateKey, signClaims } = await import("@capstan/git-hosts");
  const { email, privateKey, keyId } = readKeyFile(text);
  const { google: url } = needs.known;
  const now = Math.floor(needs.clock.now() / 1000);
  const claims = { iss: email, scope, aud: url, iat: now, exp: now + lifetimeSeconds };
  const key = readPrivateKey(privateKey, "private_key of gcpServiceAccountKey");
  const form = new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: signClaims(claims, key, keyId === "" ? {} : { kid: keyId }),
  });
  const answer = await askIssuer({ name: "Google", url, form }, needs);
  const { access_token: token, expires_in: seconds } = answer;
  if (typeof token !== "string" || token === "" || typeof seconds !== "number")
    throw new Error("Google answers with something other than a token");
  return { username: email, token, until: (now + seconds) * 1000 };
}

function readKeyFile(text: string): { email: string; privateKey: string; keyId: string } {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error("gcpServiceAccountKey is not JSON: it is the key file of a service account");
  }
  const fields = isRecord(file) && file.type === "service_account" ? file : {};
  const { client_email: email, private_key: privateKey, private_key_id: keyId } = fields;
  if (typeof email !== "string" || typeof privateKey !== "string")
    throw new Error(
      "gcpServiceAccountKey is no key file of a service account: type, client_email, private_key",
    );
  return { email, privateKey, keyId: typeof keyId === "string" ? keyId : "" };
}
