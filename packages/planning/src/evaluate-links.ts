import { isSafeLink } from "@capstan/engine";
import type { DeepLink } from "@capstan/kube";
import { messageOf } from "@capstan/model";

/** What conditions and addresses may name; each as JSON has it. */
export interface LinkObjects {
  readonly application?: object;
  readonly cluster?: object;
  readonly project?: object;
  readonly resource?: object;
}

export interface EvaluatedLinks {
  readonly items: { title: string; url: string; description?: string; iconClass?: string }[];
  /** Of links that are not shown though nothing says that they should not be. */
  readonly problems: string[];
}

const [maxUrl, maxShown] = [8_192, 300];
const limits = { steps: 100_000, size: 2 ** 16 };

/**
 * Links of settings for one object (server/deeplinks EvaluateDeepLinksResponse): where the condition holds, the address
 * that its template makes. Only addresses of http and https are shown.
 */
export async function evaluateLinks(
  links: readonly DeepLink[],
  objects: LinkObjects,
): Promise<EvaluatedLinks> {
  const evaluated: EvaluatedLinks = { items: [], problems: [] };
  if (links.length === 0) return evaluated;
  // Loaded when the first link is set: few installations have any.
  const [{ Expr }, { GoTemplate, sprig }] = await Promise.all([
    import("@capstan/expr"),
    import("@capstan/go-template"),
  ]);
  const { application } = objects;
  const env = { ...objects, ...(application ? { app: application } : {}) };
  for (const { title, url: template, condition, description, iconClass } of links) {
    try {
      const holds = condition === undefined || new Expr(condition).evaluate(env);
      if (typeof holds !== "boolean") throw new Error("its condition is neither true nor false");
      if (!holds) continue;
      const url = new GoTemplate(template, { functions: sprig }).execute(env, limits).trim();
      if (url.length > maxUrl || !isAddress(url))
        throw new Error(`${JSON.stringify(url.slice(0, maxShown))} is no address of http or https`);
      const optional = { ...(description ? { description } : {}), ...(iconClass ? { iconClass } : {}) };
      evaluated.items.push({ title, url, ...optional });
    } catch (error) {
      evaluated.problems.push(`link ${JSON.stringify(title.slice(0, maxShown))}: ${messageOf(error)}`);
    }
  }
  return evaluated;
}

/** As a browser reads it: no line's end, and no title before a bar. */
function isAddress(url: string): boolean {
  return !/[\s|\p{Cc}]/u.test(url) && isSafeLink(url) && URL.canParse(url);
}
