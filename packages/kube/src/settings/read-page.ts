import { isLabelKey } from "@capstan/formats";
import type { ValueReader } from "./read-values.ts";
import type { GeneralSettings, PageSettings } from "./settings.ts";

/** What the page shows beside objects (util/settings GetHelp, GetGoogleAnalytics, updateSettingsFromConfigMap). */
export function readPage(reader: ValueReader, raw: Readonly<Record<string, string>>): PageSettings {
  const chatUrl = address(reader, "help.chatUrl");
  const downloads = Object.keys(raw)
    .filter((key) => key.startsWith("help.download."))
    .flatMap((key) => {
      const url = address(reader, key);
      return url === undefined ? [] : [[key.slice("help.download.".length), url] as const];
    });
  const optional = {
    cssUrl: address(reader, "ui.cssurl", { mayBeRelative: true }),
    bannerContent: reader.text("ui.bannercontent"),
    bannerUrl: address(reader, "ui.bannerurl"),
    bannerPosition: reader.text("ui.bannerposition"),
    chatUrl,
    chatText: chatUrl === undefined ? undefined : (reader.text("help.chatText") ?? "Chat now!"),
    badgeRootUrl: address(reader, "statusbadge.url"),
    analyticsId: reader.text("ga.trackingid"),
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    ...(Object.fromEntries(given) as Partial<Record<keyof typeof optional, string>>),
    bannerPermanent: reader.boolean("ui.bannerpermanent", false),
    badgeEnabled: reader.boolean("statusbadge.enabled", false),
    anonymizeUsers: reader.boolean("ga.anonymizeusers", true),
    binaryUrls: Object.fromEntries(downloads),
  };
}

/** util/settings updateSettingsFromConfigMap: bash where there is one, and what stands in for it elsewhere. */
export function readTerminal(reader: ValueReader): GeneralSettings["terminal"] {
  const shells = reader.list("exec.shells");
  return {
    enabled: reader.boolean("exec.enabled", false),
    shells: shells.length > 0 ? shells : ["bash", "sh", "powershell", "cmd"],
  };
}

/** Keys of labels; what is none is left out (util/settings GetAllowedNodeLabels). */
export function readNodeLabels(reader: ValueReader): string[] {
  const field = "application.allowedNodeLabels";
  return reader.list(field).filter((one) => {
    if (isLabelKey(one)) return true;
    reader.problem(field, `"${one}" is no key of a label: it is not shown`);
    return false;
  });
}

/** Of a link that a person may follow: `javascript:` and the like are left out, and said. */
function address(reader: ValueReader, key: string, { mayBeRelative = false } = {}): string | undefined {
  const text = reader.text(key);
  if (text === undefined) return undefined;
  const isWeb = /^https?:\/\/[^/\\]/i.test(text) && URL.canParse(text);
  const isRelative = mayBeRelative && /^(?:\.{0,2}\/)?[\w-][\w./-]*$/.test(text) && !text.includes("//");
  if (isWeb || isRelative) return text;
  reader.problem(key, "is no address that begins with http:// or https://: it is not shown");
  return undefined;
}
