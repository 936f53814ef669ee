import type { GnuPGPublicKey } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap, writeMap } from "../config-maps.ts";
import { type GpgKeyNeeds, gpgMap, readGiven, rightTo, shown } from "./gpg-keys.ts";

/** One or more keys; those that are there already are skipped, unless they shall be replaced (util/db AddGPGPublicKey). */
export function createGpgKeys(context: GpgKeyNeeds): HandlerOf<"createGpgKeys"> {
  return async ({ publickey, upsert = false }, { user, signal }) => {
    requireRight(context.rights, user, rightTo("create"));
    const keys = readGiven(publickey?.keyData ?? "");
    const held = await fetchMap(context, gpgMap, signal);
    const data = { ...held.data };
    const items: GnuPGPublicKey[] = [];
    const skipped: string[] = [];
    for (const key of keys) {
      const isNew = !Object.hasOwn(data, key.keyId) || (upsert && data[key.keyId] !== key.armored);
      if (!isNew) skipped.push(key.keyId);
      else {
        data[key.keyId] = key.armored;
        items.push({ ...shown(key), keyData: key.armored.trimEnd() });
      }
    }
    if (items.length > 0) await writeMap(context, held, { data, signal });
    return { created: { metadata: {}, items }, skipped };
  };
}
