import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson, shortToken } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backend.ts";

/** Delinea Secret Server: a number, its items by field name and slug (pkg/backends/delineasecretserver.go). */
export async function delineaBackend(settings: Settings, { clock, tokens }: BackendNeeds): Promise<Backend> {
  const host = withoutEndSlashes(settings.need("AVP_DELINEA_URL"));
  const domain = settings.get("AVP_DELINEA_DOMAIN");
  const form = new URLSearchParams({
    grant_type: "password",
    username: settings.need("AVP_DELINEA_USER"),
    password: settings.need("AVP_DELINEA_PASSWORD"),
    ...(domain && { domain }),
  });
  const url = `${host}/oauth2/token`;
  const login = async (signal: AbortSignal) => {
    const { status, body } = await callJson(url, { method: "POST", form, clock, signal });
    const answer = isRecord(body) ? body : {};
    if (status === 200 && typeof answer.access_token === "string")
      return shortToken(answer.access_token, answer.expires_in, clock);
    throw new Error(`Secret Server answers ${status} to the login`);
  };
  return {
    async read({ path }, signal) {
      if (!/^\d+$/.test(path)) throw new Error("the path is no number of a secret");
      const { token } = await tokens.get(["delinea", url, form.toString()], { login: () => login(signal) });
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await callJson(`${host}/api/v1/secrets/${path}`, { headers, clock, signal });
      if (status === 404) return undefined;
      if (status !== 200 || !isRecord(body)) throw new Error(`Secret Server answers ${status}`);
      const items = Array.isArray(body.items) ? body.items.filter(isRecord) : [];
      return Object.fromEntries(
        items.flatMap(({ fieldName, slug, itemValue }) => [
          [String(slug), itemValue],
          [String(fieldName), itemValue],
        ]),
      );
    },
  };
}
