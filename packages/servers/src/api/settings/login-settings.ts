import { isRecord } from "@capstan/formats";
import type { Settings } from "@capstan/kube";
import { parseYaml } from "@capstan/model";
import type { OutOf, Routes } from "@capstan/wire";

type General = Settings["general"];
type Shown = Pick<OutOf<Routes["getSettings"]>, "oidcConfig" | "dexConfig" | "loginButtonText">;

/** What the login page and the command line need to know of identity providers: nothing that is secret. */
export function loginSettings({ oidc, raw }: General): Shown {
  const connectors = oidc?.dex && connectorsOf(raw["dex.config"]);
  const label = raw["ui.loginButtonText"]?.trim();
  return {
    ...(oidc === undefined || oidc.dex ? {} : { oidcConfig: shownOidc(oidc) }),
    ...(connectors === undefined ? {} : { dexConfig: { connectors } }),
    ...(label ? { loginButtonText: label } : {}),
  };
}

function shownOidc(oidc: NonNullable<General["oidc"]>): NonNullable<Shown["oidcConfig"]> {
  const { name, issuer, clientId, cliClientId = "", scopes, idTokenClaims, needsPkce } = oidc;
  return {
    name,
    issuer,
    clientID: clientId,
    cliClientID: cliClientId,
    scopes: [...scopes],
    ...(Object.keys(idTokenClaims).length > 0 ? { idTokenClaims: { ...idTokenClaims } } : {}),
    enablePKCEAuthentication: needsPkce,
  };
}

/** Name and kind of each; their configurations hold secrets. */
function connectorsOf(text: string | undefined): { name: string; type: string }[] | undefined {
  if (!text) return undefined;
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch {
    return undefined;
  }
  const connectors = isRecord(value) && Array.isArray(value.connectors) ? value.connectors : [];
  return connectors
    .filter(isRecord)
    .map(({ name, type }) => ({ name: String(name ?? ""), type: String(type ?? "") }));
}
