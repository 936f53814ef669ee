import { type Clock, isRecord } from "@capstan/model";
import type { Settings } from "../settings.ts";
import type { Backend } from "./backend.ts";
import { callJson } from "./call-json.ts";

/** 1Password Connect: `vaults/V/items/I`, its fields by label (pkg/backends/onepasswordconnect.go). */
export async function onePasswordBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  const host = settings.need("OP_CONNECT_HOST").replace(/\/+$/, "");
  const headers = { authorization: `Bearer ${settings.need("OP_CONNECT_TOKEN")}` };
  return {
    async read({ path }, signal) {
      if (!/^vaults\/[^/]+\/items\/[^/]+$/.test(path))
        throw new Error('the path is no "vaults/VAULT/items/ITEM"');
      const { status, body } = await callJson(`${host}/v1/${path}`, { headers, clock, signal });
      if (status === 404) return undefined;
      if (status !== 200 || !isRecord(body)) throw new Error(`1Password Connect answers ${status}`);
      const fields = Array.isArray(body.fields) ? body.fields.filter(isRecord) : [];
      return Object.fromEntries(fields.map(({ label, value }) => [String(label), value]));
    },
  };
}
