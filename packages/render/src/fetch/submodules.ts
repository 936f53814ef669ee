import { hash } from "node:crypto";
import { BoundedMap, type Clock } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { CapstanError, messageOf, type Repository } from "@capstan/model";
import type { SourceTree } from "@capstan/plugin-kit";
import type { ManifestRequest } from "@capstan/wire";
import { joinTrees, type MountedTree } from "./joined-tree.ts";
import type { Sources } from "./sources.ts";
import { permittedRepository } from "./stage-credentials.ts";
import { readSubmodules, submoduleUrl } from "./submodule-list.ts";

/** Of one source, those within submodules included; and one within another. */
const [maxModules, maxDepth] = [50, 5];
/** What cannot be had is asked for again after so long, or once something else is known of its repository. */
const failedMs = 60_000;

interface Needs {
  sources: Sources;
  clock: Clock;
}

interface At {
  readonly repository: Repository;
  readonly depth: number;
}

interface Missing {
  readonly path: string;
  readonly problem: string;
}

/**
 * Puts the files of submodules in their places, each fetched as a repository of its own that the source's project has
 * to permit. What cannot be had stays away and says why: only what needs it fails by it.
 */
export class Submodules {
  readonly #needs: Needs;
  readonly #failed = new BoundedMap<{ problem: string; until: number }>(1_000);

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** The same tree where it has none, or where the operator wants none (reposerver.enable.git.submodule). */
  async complete(
    tree: SourceTree,
    { request, repository }: { request: ManifestRequest; repository: Repository },
    signal: AbortSignal,
  ): Promise<SourceTree> {
    if (request.settings?.withoutSubmodules === true || tree.idFormat === undefined) return tree;
    const budget = { left: maxModules };
    return this.#complete(tree, { repository, depth: 0 }, { request, budget, signal });
  }

  async #complete(
    tree: SourceTree,
    at: At,
    of: { request: ManifestRequest; budget: { left: number }; signal: AbortSignal },
  ): Promise<SourceTree> {
    const list = await tree.entry(".gitmodules");
    if (list?.kind !== "file" && list?.kind !== "executable") return tree;
    const mounted: MountedTree[] = [];
    const missing: Missing[] = [];
    for (const { path, url } of readSubmodules(await tree.read(list))) {
      const entry = await tree.entry(path);
      if (entry?.kind !== "submodule") continue;
      try {
        of.budget.left -= 1;
        if (of.budget.left < 0) throw new Error(`more than ${maxModules} submodules are not fetched`);
        mounted.push({ path, tree: await this.#open({ url, sha: entry.digest }, at, of) });
      } catch (error) {
        of.signal.throwIfAborted();
        missing.push({ path, problem: messageOf(error) });
      }
    }
    return joinTrees(tree, mounted, missing);
  }

  async #open(
    { url: given, sha }: { url: string; sha: string },
    { repository: above, depth }: At,
    of: { request: ManifestRequest; budget: { left: number }; signal: AbortSignal },
  ): Promise<SourceTree> {
    const { sources, clock } = this.#needs;
    if (depth >= maxDepth) throw new Error(`submodules within submodules are fetched ${maxDepth} deep`);
    const url = submoduleUrl(given, above.url);
    if (url === undefined)
      throw new CapstanError({
        code: "INVALID_ARGUMENT",
        field: ".gitmodules",
        problem: `${JSON.stringify(given.slice(0, 200))} is no address of a repository that is fetched`,
      });
    const repository = { ...permittedRepository(of.request, url).known, type: "git" as const };
    const known = hash("sha256", canonicalJson(repository), "base64url");
    const key = `${of.request.project} ${url} ${sha} ${known}`;
    const failed = this.#failed.get(key);
    if (failed && failed.until > clock.now() && of.request.noCache !== true) throw new Error(failed.problem);
    try {
      const source = { repoURL: url, targetRevision: sha };
      const tree = await sources.tree({ repository, source, revision: sha }, of.signal);
      return await this.#complete(tree, { repository, depth: depth + 1 }, of);
    } catch (error) {
      if (!of.signal.aborted)
        this.#failed.set(key, { problem: messageOf(error), until: clock.now() + failedMs });
      throw error;
    }
  }
}
