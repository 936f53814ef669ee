import { CapstanError, messageOf } from "@capstan/model";
import { type RenderContext, relativeTo } from "@capstan/plugin-kit";

const maxDirectories = 1_000;

/**
 * The directories that are applications of their own, in the order of a walk: the first with a file that matches,
 * or with a helmfile.d, on each way down (argocd-lovely-plugin packageDirectories.go). From the application's.
 */
export async function findDirectories({ tree, path }: RenderContext, pattern: string): Promise<string[]> {
  const matches = compile(pattern);
  const found: string[] = [];
  const waiting = [path];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const entries = await tree.list(next);
    const isApplication = entries.some(({ kind, name, path: file }) =>
      kind === "directory" ? name === "helmfile.d" : matches.test(`/${file}`),
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

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern);
  } catch (error) {
    throw new CapstanError(
      { code: "INVALID_ARGUMENT", field: "LOVELY_DETECTION_REGEX", problem: messageOf(error) },
      error,
    );
  }
}
