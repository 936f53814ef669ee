import { type GoRegexp, goRegexp } from "@capstan/formats/re2";
import { CapstanError, messageOf } from "@capstan/model";
import { type RenderContext, relativeTo, walk } from "@capstan/plugin-kit";
import { defaultOf } from "./parameters.ts";

const maxDirectories = 1_000;

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
    const expression = goRegexp(usual);
    return (file) => expression.test(file);
  }
  // The whole path counts, as with lovely.
  const files = (await walk(tree, path)).map((entry) => `/${entry.path}`);
  const expression = readExpression(pattern);
  const found = new Set(files.filter((file) => expression.test(file)));
  return (file) => found.has(`/${file}`);
}

function readExpression(pattern: string): GoRegexp {
  try {
    return goRegexp(pattern);
  } catch (error) {
    const problem = messageOf(error);
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "LOVELY_DETECTION_REGEX", problem }, error);
  }
}
