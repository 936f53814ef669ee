import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap, writeMap } from "../config-maps.ts";
import { type GpgKeyNeeds, gpgMap, readKeyId, rightTo } from "./gpg-keys.ts";

/** By its id, whatever stands under it: so a damaged one goes as well. */
export function deleteGpgKey(context: GpgKeyNeeds): HandlerOf<"deleteGpgKey"> {
  return async ({ keyID }, { user, signal }) => {
    requireRight(context.rights, user, rightTo("delete"));
    const id = readKeyId(keyID);
    const held = await fetchMap(context, gpgMap, signal);
    const left = Object.entries(held.data).filter(([name]) => name.slice(-16).toUpperCase() !== id);
    if (left.length === Object.keys(held.data).length)
      throw new CapstanError({ code: "NOT_FOUND", what: `GPG key "${id}"` });
    await writeMap(context, held, { data: Object.fromEntries(left), signal });
    return {};
  };
}
