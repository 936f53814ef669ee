import { createHash } from "node:crypto";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import type { OidcSettings } from "./settings.ts";

interface From {
  /** argocd-cm. */
  readonly reader: ValueReader;
  /** argocd-cmd-params-cm. */
  readonly params: ValueReader;
  /** `server.secretkey` of argocd-secret. */
  readonly serverKey: string | undefined;
}

const field = "dex.config";
const addressField = "server.dex.server";

/**
 * `dex.config` of argocd-cm as a provider: the Dex that somebody runs with these connectors, which browsers find below
 * our own address. Its clients are those that argocd-dex rundex makes of the same ConfigMap (util/dex/config.go
 * GenerateDexConfigYAML), their secret included (util/settings DexOAuth2ClientSecret).
 */
export function readDex({ reader, params, serverKey }: From): OidcSettings | undefined {
  const text = reader.text(field);
  // One that cannot be read is no reason to log people in elsewhere.
  if (text === undefined || reader.text("oidc.config") !== undefined) return undefined;
  const problem = (said: string): undefined => {
    reader.problem(field, said);
  };
  let value: unknown;
  try {
    value = parseYaml(text, { file: field });
  } catch (error) {
    return problem(messageOf(error));
  }
  if (!isRecord(value) || !Array.isArray(value.connectors)) return problem("is no object with connectors");
  const url = reader.text("url");
  if (url === undefined || !URL.canParse(url)) return problem("needs url, below which Dex is shown");
  const address = params.text(addressField);
  if (address === undefined)
    return problem(
      `Capstan runs no Dex: run one with these connectors, as argocd-dex rundex makes it of this very ConfigMap, and name its address by --dex-server, or as ${addressField} of argocd-cmd-params-cm`,
    );
  const scheme = params.boolean("server.dex.server.plaintext", false) ? "http" : "https";
  const server = address.includes("://") ? address : `${scheme}://${address}`;
  if (!/^https?:\/\//.test(server) || !URL.canParse(server))
    return problem(`${addressField} is no http(s) address`);
  if (serverKey === undefined)
    return problem("needs server.secretkey of argocd-secret, of which its secret is made");
  return {
    name: "",
    issuer: `${withoutEndSlashes(url)}/api/dex`,
    clientId: "argo-cd",
    clientSecret: createHash("sha256").update(serverKey).digest("base64url").slice(0, 40),
    cliClientId: "argo-cd-cli",
    scopes: ["openid", "profile", "email", "groups", "federated:id"],
    idTokenClaims: {},
    isVerified: true,
    needsPkce: false,
    audiences: ["argo-cd", "argo-cd-cli"],
    takesAbsentAudience: false,
    usesWorkloadIdentity: false,
    dex: { server, isVerified: params.boolean("server.dex.server.strict.tls", false) },
  };
}
