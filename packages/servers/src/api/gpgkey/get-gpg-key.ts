import { CapstanError } from "@capstan/model";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap } from "../config-maps.ts";
import { type GpgKeyNeeds, gpgMap, readKeyId, readStored, rightTo } from "./gpg-keys.ts";

export function getGpgKey(context: GpgKeyNeeds): HandlerOf<"getGpgKey"> {
  return async ({ keyID }, { user, signal }) => {
    requireRight(context.rights, user, rightTo("get"));
    const id = readKeyId(keyID);
    const { data } = await fetchMap(context, gpgMap, signal);
    const found = Object.entries(data).find(([name]) => name.slice(-16).toUpperCase() === id);
    if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `GPG key "${id}"` });
    return readStored(...found);
  };
}
