import { isRecord } from "@capstan/formats";

/** What a token says, unproved: for what is shown, and for how it was got. */
export function readClaims(token: string): Readonly<Record<string, unknown>> {
  const [, payload = ""] = token.split(".");
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return isRecord(claims) ? claims : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}

/** Whom a token is for (cmd/argocd/commands/login.go userDisplayName). */
export function displayName(claims: Readonly<Record<string, unknown>>): string {
  const federated = isRecord(claims.federated_claims) ? claims.federated_claims.user_id : undefined;
  const found = [claims.email, claims.name, federated, claims.sub].find(
    (one) => typeof one === "string" && one !== "",
  );
  return typeof found === "string" ? found : "";
}
