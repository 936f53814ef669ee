import { type Clock, isRecord } from "@capstan/model";
import type { Settings } from "../settings.ts";
import type { Backend } from "./backend.ts";
import { callJson } from "./call-json.ts";

/** Delinea Secret Server: a number, its items by field name and slug (pkg/backends/delineasecretserver.go). */
export async function delineaBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  const host = settings.need("AVP_DELINEA_URL").replace(/\/+$/, "");
  const domain = settings.get("AVP_DELINEA_DOMAIN");
  const form = new URLSearchParams({
    grant_type: "password",
    username: settings.need("AVP_DELINEA_USER"),
    password: settings.need("AVP_DELINEA_PASSWORD"),
    ...(domain && { domain }),
  });
  let token: Promise<string> | undefined;
  const login = async (signal: AbortSignal) => {
    const { status, body } = await callJson(`${host}/oauth2/token`, { method: "POST", form, clock, signal });
    const found = isRecord(body) ? body.access_token : undefined;
    if (status === 200 && typeof found === "string") return found;
    throw new Error(`Secret Server answers ${status} to the login`);
  };
  return {
    async read({ path }, signal) {
      if (!/^\d+$/.test(path)) throw new Error("the path is no number of a secret");
      token ??= login(signal);
      const headers = { authorization: `Bearer ${await token}` };
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
