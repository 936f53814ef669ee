import { messageOf } from "@capstan/model";
import type { GnuPGPublicKey } from "@capstan/wire";
import type { HandlerOf } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap } from "../config-maps.ts";
import { type GpgKeyNeeds, gpgMap, readStored, rightTo } from "./gpg-keys.ts";

/** Without the keys themselves. One that cannot be read is a warning; the real server then lists none. */
export function listGpgKeys(context: GpgKeyNeeds): HandlerOf<"listGpgKeys"> {
  return async (_request, { user, signal, warn }) => {
    requireRight(context.rights, user, rightTo("get"));
    const { data } = await fetchMap(context, gpgMap, signal);
    const items: GnuPGPublicKey[] = [];
    for (const [name, text] of Object.entries(data).sort()) {
      try {
        const { keyData: _, ...key } = readStored(name, text);
        items.push(key);
      } catch (error) {
        warn?.(messageOf(error));
      }
    }
    return { metadata: {}, items };
  };
}
