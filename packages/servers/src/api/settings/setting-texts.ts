import { CapstanError } from "@capstan/model";
import type { HandlerOf, Identity } from "../../call.ts";
import { requireRight } from "../access/rights.ts";
import { fetchMap, type HeldMap, writeMap } from "../config-maps.ts";
import type { ApiContext } from "../context.ts";
import { findWritable, isWritable, type WritableMap, writableNames } from "./writable-settings.ts";

type Needs = Pick<ApiContext, "kube" | "controlNamespace" | "rights" | "settings" | "clock">;

/** For whoever may write them, since they are read to be changed. */
export function readSettingTexts(context: Needs): HandlerOf<"readSettingTexts"> {
  return async ({ name }, { user, signal }) => {
    const map = requireMap(context, user, name);
    const held = await fetchMap(context, name, signal);
    const items = Object.entries(held.data)
      .filter(([setting]) => isWritable(map, setting))
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([setting, text]) => ({ setting, ...(map.isHidden(setting) ? {} : { text }) }));
    const schemas = await map.schemas();
    return { resourceVersion: versionOf(held), writable: [...map.settings], items, schemas };
  };
}

/** What would not count is refused, by the reader that makes it count. */
export function writeSettingText(context: Needs): HandlerOf<"writeSettingText"> {
  return async ({ name, setting, text = "", resourceVersion }, { user, signal }) => {
    const map = requireMap(context, user, name);
    requireSetting(map, name, setting);
    if (text.trim() === "")
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: setting, problem: "is empty" });
    const { refused, warnings } = await map.check(setting, text, context);
    if (refused.length > 0)
      throw new CapstanError({ code: "INVALID_ARGUMENT", field: setting, problem: refused.join("; ") });
    const held = await fetchAsRead(context, { name, resourceVersion, signal });
    await writeMap(context, held, { data: { ...held.data, [setting]: text }, signal });
    return { warnings: [...warnings] };
  };
}

export function deleteSettingText(context: Needs): HandlerOf<"deleteSettingText"> {
  return async ({ name, setting, resourceVersion }, { user, signal }) => {
    const map = requireMap(context, user, name);
    requireSetting(map, name, setting);
    const held = await fetchAsRead(context, { name, resourceVersion, signal });
    const { [setting]: removed, ...data } = held.data;
    if (removed === undefined)
      throw new CapstanError({ code: "NOT_FOUND", what: `${setting} of ConfigMap ${name}` });
    await writeMap(context, held, { data, signal });
    return {};
  };
}

/** The right comes first: who has none does not learn what there is. */
function requireMap({ rights }: Needs, user: Identity, name: string): WritableMap {
  requireRight(rights, user, { resource: "settings", action: "update", object: name });
  const map = findWritable(name);
  if (map !== undefined) return map;
  const problem = `is none of ${writableNames.join(", ")}: change others in the cluster`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "name", problem });
}

function requireSetting(map: WritableMap, name: string, setting: string): void {
  if (/^[-._a-zA-Z0-9]{1,253}$/.test(setting) && isWritable(map, setting)) return;
  const known = map.settings.map((one) => (one.endsWith(".") ? `${one}…` : one)).join(", ");
  const problem = `of ConfigMap ${name} these can be written: ${known}; change others in the cluster`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "setting", problem });
}

interface Read {
  readonly name: string;
  readonly resourceVersion: string | undefined;
  readonly signal: AbortSignal;
}

/** Refused where it is no longer what the caller has seen. */
async function fetchAsRead(context: Needs, { name, resourceVersion = "", signal }: Read): Promise<HeldMap> {
  const held = await fetchMap(context, name, signal);
  if (versionOf(held) === resourceVersion) return held;
  throw new CapstanError({ code: "CONFLICT", what: `ConfigMap ${name}` });
}

const versionOf = ({ stored }: HeldMap): string => stored?.metadata.resourceVersion ?? "";
