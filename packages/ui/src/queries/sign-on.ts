import { pageSecretHeader } from "@capstan/wire";
import { serverUrl } from "../server-url.ts";
import { RequestFailure, refusal } from "../streams/request-failure.ts";
import { pageSecret, renewPageSecret } from "./page-secret.ts";

/** Goes to the identity provider, which leads back to a path of this page. The session will be this page's. */
export async function beginSignOn(returnTo: string): Promise<void> {
  renewPageSecret();
  const request = serverUrl(`/auth/login?${new URLSearchParams({ return_url: serverUrl(returnTo) })}`);
  const headers = { accept: "application/json", [pageSecretHeader]: pageSecret() ?? "" };
  const response = await fetch(request, { headers, credentials: "same-origin" });
  if (!response.ok) throw await refusal(response, `GET ${request}`);
  const answer: unknown = await response.json();
  const location =
    typeof answer === "object" && answer !== null && "location" in answer ? String(answer.location) : "";
  if (!/^https?:\/\//.test(location))
    throw new RequestFailure({
      status: response.status,
      request: `GET ${request}`,
      message: "The server did not say where to sign in.",
    });
  window.location.assign(location);
}

/** Ends the session, also at the provider where the operator says how. */
export function leaveSignOn(): void {
  window.location.assign(serverUrl("/auth/logout"));
}
