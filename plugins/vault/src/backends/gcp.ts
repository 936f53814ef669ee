import { isRecord } from "@capstan/formats";
import { callJson, readGoogleToken } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend, BackendNeeds } from "./backend.ts";

/** Google Secret Manager: a secret is one value, its key is its name (pkg/backends/gcpsecretmanager.go). */
export async function gcpBackend(settings: Settings, { clock, tokens }: BackendNeeds): Promise<Backend> {
  const endpoint = settings.get("GOOGLE_SECRET_MANAGER_ENDPOINT") ?? "https://secretmanager.googleapis.com";
  return {
    async read({ path, version }, signal) {
      const name = /^projects\/[^/]+\/secrets\/([^/]+)$/.exec(path)?.[1];
      if (name === undefined) throw new Error('the path is no "projects/PROJECT/secrets/SECRET"');
      const { token } = await readGoogleToken(settings, { clock, signal, tokens });
      const url = `${endpoint}/v1/${path}/versions/${encodeURIComponent(version ?? "latest")}:access`;
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await callJson(url, { headers, clock, signal });
      if (status === 404) return undefined;
      const payload = isRecord(body) && isRecord(body.payload) ? body.payload.data : undefined;
      if (status !== 200 || typeof payload !== "string") throw new Error(`Google answers ${status}`);
      return { [name]: Buffer.from(payload, "base64").toString() };
    },
  };
}
