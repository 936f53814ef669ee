import { CapstanError, messageOf } from "@capstan/model";
import { type RenderContext, relativeTo, walk } from "@capstan/plugin-kit";
import { goRegexp } from "../go-regexp/go-regexp.ts";
import { MatchTookTooLong, matchInTime } from "../go-regexp/match-in-time.ts";
import { defaultOf } from "./parameters.ts";

const maxDirectories = 1_000;
const matchLimitMs = 500;

/**
 * The directories that are applications of their own, in the order of a walk: the first with a file that matches,
 * or with a helmfile.d, on each way down (argocd-lovely-plugin packageDirectories.go). From the application's.
 */
export async function findDirectories(context: RenderContext, pattern: string): Promise<string[]> {
  const { tree, path } = context;
  const matches = await matcher(context, pattern);
  const found: string[] = [];
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await tree.list(next);
    const isApplication = entries.some(({ kind, name, path: file }) =>
      kind === "directory" ? name === "helmfile.d" : matches(file),
    );
    if (isApplication) found.push(relativeTo(path, next));
    else
      for (const { kind, path: below } of entries.toReversed()) if (kind === "directory") waiting.push(below);
    if (found.length > maxDirectories)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: "source.path",
        problem: `more than ${maxDirectories} directories with applications. Point it at a smaller directory`,
      });
  }
  return found;
}

async function matcher({ tree, path }: RenderContext, pattern: string): Promise<(file: string) => boolean> {
  const usual = defaultOf("LOVELY_DETECTION_REGEX");
  if (pattern === usual) {
    const expression = new RegExp(usual);
    return (file) => expression.test(file);
  }
  // The whole path counts, as with lovely.
  const files = (await walk(tree, path)).map((entry) => `/${entry.path}`);
  const found = new Set(matching(files, pattern));
  return (file) => found.has(`/${file}`);
}

function matching(files: readonly string[], pattern: string): string[] {
  try {
    return matchInTime(goRegexp(pattern), files, matchLimitMs);
  } catch (error) {
    const problem =
      error instanceof MatchTookTooLong
        ? `the expression ${JSON.stringify(pattern)} took more than ${matchLimitMs} ms. Make it simpler`
        : messageOf(error);
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "LOVELY_DETECTION_REGEX", problem }, error);
  }
}
