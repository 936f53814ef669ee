import { CapstanError, withoutUserinfo } from "@capstan/model";
import { followLinks, joinWithin, type SourceTree } from "@capstan/plugin-kit";
import type { ManifestRequest } from "@capstan/wire";
import { refuseSubmoduleAt } from "./inputs/unfetched-content.ts";

/** The application's directory with links followed; it must be there, be a directory and stay in the repository. */
export async function findDirectory(
  { source, repository }: ManifestRequest,
  tree: SourceTree,
): Promise<string> {
  const given = source.path ?? "";
  const path = given.startsWith("/") ? undefined : joinWithin("", given);
  if (path === undefined) throw new CapstanError({ code: "PATH_OUTSIDE", path: given, field: "source.path" });
  const entry = await followLinks(tree, path);
  if (entry?.kind === "directory") return entry.path;
  await refuseSubmoduleAt(tree, path);
  const facts = { path: given, repository: withoutUserinfo(repository.url), revision: tree.revision };
  if (!entry) throw new CapstanError({ code: "PATH_MISSING", ...facts });
  throw new CapstanError({
    code: "INVALID_ARGUMENT",
    field: "source.path",
    problem: `${given} is a file: it must be a directory`,
  });
}
