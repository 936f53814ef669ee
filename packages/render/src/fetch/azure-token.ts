import { readFile } from "node:fs/promises";
import { withoutEndSlashes } from "@capstan/formats";
import type { Repository } from "@capstan/model";
import { askIssuer, type IssuerNeeds } from "./ask-issuer.ts";
import type { IssuedToken, TokenNeeds } from "./issued-tokens.ts";

interface WorkloadIdentity {
  readonly client: string | undefined;
  readonly tenant: string | undefined;
  readonly file: string | undefined;
  readonly authority: string;
}

/** Of Azure DevOps, the same for everybody (util/git/creds.go azureDevopsEntraResourceId). */
const resource = "499b84ac-1321-427f-aa17-267ca6975798";

/** The identity of this process's own account, as Azure's webhook puts it into a Pod's environment. */
export function azureOf(
  { useAzureWorkloadIdentity }: Repository,
  { env }: Pick<TokenNeeds, "env">,
): WorkloadIdentity | undefined {
  if (!useAzureWorkloadIdentity) return undefined;
  return {
    client: env.AZURE_CLIENT_ID,
    tenant: env.AZURE_TENANT_ID,
    file: env.AZURE_FEDERATED_TOKEN_FILE,
    authority: env.AZURE_AUTHORITY_HOST || "https://login.microsoftonline.com/",
  };
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow, with a federated credential. */
export async function askAzure(
  { client, tenant, file, authority }: WorkloadIdentity,
  needs: IssuerNeeds,
): Promise<IssuedToken> {
  const { hostname, protocol } = new URL(needs.repository.url);
  const { azureHosts } = needs.known;
  // The token is this installation's and not the repository's: it goes to nobody whom a Secret names.
  const isAzure = azureHosts.some(
    (one) => hostname === one || (one.startsWith(".") && hostname.endsWith(one)),
  );
  if (!isAzure)
    throw new Error(
      `useAzureWorkloadIdentity is for repositories at ${azureHosts.join(", ")}, not at ${hostname}`,
    );
  if (protocol !== "https:" && !azureHosts.includes(hostname)) throw new Error("its address is not https");
  if (!client || !tenant || !file)
    throw new Error(
      "useAzureWorkloadIdentity needs AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE in Capstan's environment",
    );
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client,
    scope: `${resource}/.default`,
    client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    client_assertion: (await readFile(file, "utf8")).trim(),
  });
  const url = `${withoutEndSlashes(authority)}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  const { access_token: token, expires_in: seconds } = await askIssuer({ name: "Azure", url, form }, needs);
  if (typeof token !== "string" || token === "" || typeof seconds !== "number")
    throw new Error("Azure answers with something other than a token");
  return { username: "", token, isBearer: true, until: needs.clock.now() + seconds * 1000 };
}
