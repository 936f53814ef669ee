import type { Clock } from "@capstan/flow";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { callJson } from "@capstan/secret-services";
import type { Settings } from "@capstan/secret-services/settings";
import type { Backend } from "./backend.ts";

type Find = (path: string) => Promise<unknown>;

/** 1Password Connect: `vaults/V/items/I`, both by id or title, its fields by label (pkg/backends/onepasswordconnect.go). */
export async function onePasswordBackend(settings: Settings, { clock }: { clock: Clock }): Promise<Backend> {
  const host = withoutEndSlashes(settings.need("OP_CONNECT_HOST"));
  const headers = { authorization: `Bearer ${settings.need("OP_CONNECT_TOKEN")}` };
  const get = async (path: string, signal: AbortSignal): Promise<unknown> => {
    const { status, body } = await callJson(`${host}/v1/${path}`, { headers, clock, signal });
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`1Password Connect answers ${status}`);
    return body;
  };
  return {
    async read({ path }, signal) {
      const [, vault, item] = /^vaults\/([^/]+)\/items\/(.+)$/.exec(path) ?? [];
      if (vault === undefined || item === undefined)
        throw new Error('the path is no "vaults/VAULT/items/ITEM"');
      const find: Find = (asked) => get(asked, signal);
      const items = `vaults/${isId(vault) ? vault : await findId(find, "vaults", vault)}/items`;
      const byId = isId(item) ? await find(`${items}/${item}`) : undefined;
      const found = byId ?? (await find(`${items}/${await findId(find, items, item)}`));
      if (!isRecord(found)) return undefined;
      const fields = Array.isArray(found.fields) ? found.fields.filter(isRecord) : [];
      return Object.fromEntries(fields.map(({ label, value }) => [String(label ?? ""), value ?? ""]));
    },
  };
}

/** connect-sdk-go connect/client.go isValidUUID. */
function isId(text: string): boolean {
  return /^[a-z0-9]{26}$/.test(text);
}

async function findId(find: Find, where: string, title: string): Promise<string> {
  const what = where === "vaults" ? "vault" : "item";
  if (title.includes('"')) throw new Error(`a ${what} whose title has a quote is asked for by its id`);
  const listed = await find(`${where}?${new URLSearchParams({ filter: `title eq "${title}"` })}`);
  const found = Array.isArray(listed) ? listed.filter(isRecord) : [];
  const id = found[0]?.id;
  if (found.length !== 1 || typeof id !== "string" || !isId(id))
    throw new Error(`1Password Connect has ${found.length} ${what}s with this title or id`);
  return id;
}
