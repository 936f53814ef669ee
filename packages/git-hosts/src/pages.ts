import { at, type HostAnswer, type HostSite } from "./host-calls.ts";
import { HostError } from "./host-error.ts";

const mostPages = 500;
const mostItems = 50_000;

interface Page<Item> {
  readonly items: readonly Item[];
  /** What the next page is asked by; undefined: this was the last. */
  readonly next?: string | undefined;
}

/** All of a list, or an error: half a list would be taken for what there is. */
export async function allPages<Item>(
  site: HostSite,
  fetchPage: (from: string | undefined) => Promise<Page<Item>>,
): Promise<Item[]> {
  const all: Item[] = [];
  const asked = new Set<string>();
  let from: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const { items, next } = await fetchPage(from);
    all.push(...items);
    if (all.length > mostItems) throw new HostError(`${at(site)} lists more than ${mostItems} things`);
    if (next === undefined) return all;
    if (asked.has(next)) throw new HostError(`${at(site)} names a page of its list twice`);
    asked.add(next);
    from = next;
  }
  throw new HostError(`${at(site)} has more than ${mostPages} pages of one list`);
}

/** The page that a Link header (RFC 8288) names as the next. Nothing of its address is used but that number. */
export function nextLinked({ headers: { link } }: HostAnswer): string | undefined {
  const text = Array.isArray(link) ? link.join(",") : (link ?? "");
  for (const part of text.split(",")) {
    const [, target = "", rest = ""] = /^\s*<([^>]*)>(.*)$/.exec(part) ?? [];
    if (!/;\s*rel="?next"?/.test(rest) || !URL.canParse(target, "https://host")) continue;
    return new URL(target, "https://host").searchParams.get("page") ?? undefined;
  }
  return undefined;
}
