import { type FSWatcher, watch } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { equalJson } from "@capstan/formats";
import type { KubeLog, LiveState } from "@capstan/kube";
import { isLiveApplication, type LocalFolders, type Manifest, messageOf } from "@capstan/model";
import { judgeFolder } from "@capstan/plugin-kit";

interface Needs {
  /** Applications among others. */
  live: Pick<LiveState, "ofKind" | "onChange">;
  /** What applications may use of this machine. */
  folders: LocalFolders;
  /** A ref of the repository at this address may have moved: as a webhook of its host would tell. */
  moved(url: string, ref: string): void;
  log: Pick<KubeLog, "warn">;
}

/** Folders more than these are asked by polling alone, as all are where the system can watch no more. */
const mostFolders = 200;
const group = "argoproj.io";

/**
 * Watches the refs of git repositories of this machine that applications name, so that a commit counts at once and
 * without a webhook. Only names of files are looked at.
 */
export function watchLocalRepositories(needs: Needs): Disposable {
  return new LocalRepositories(needs);
}

class LocalRepositories implements Disposable {
  readonly #needs: Needs;
  /** The Applications that name an address, by their uids. */
  readonly #namedBy = new Map<string, Set<string>>();
  readonly #watched = new Map<string, WatchedRepository>();
  readonly #end: () => void;
  #hasSaid = false;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#end = needs.live.onChange(({ key, previous, current }) => {
      if (key.group === group && key.kind === "Application") this.#take(current, previous);
    });
    for (const app of needs.live.ofKind(group, "Application")) this.#take(app, undefined);
  }

  [Symbol.dispose](): void {
    this.#end();
    for (const one of this.#watched.values()) one.close();
  }

  #take(current: Manifest | undefined, previous: Manifest | undefined): void {
    if (current && previous && equalJson(current.spec, previous.spec)) return;
    const urls = current ? localAddresses(current) : [];
    const before = previous ? localAddresses(previous) : [];
    for (const url of urls) {
      this.#namedBy.set(url, (this.#namedBy.get(url) ?? new Set()).add(uidOf(current)));
      this.#watch(url);
    }
    for (const url of before)
      if (!urls.includes(url) || uidOf(previous) !== uidOf(current)) this.#leave(url, uidOf(previous));
  }

  #leave(url: string, uid: string): void {
    const apps = this.#namedBy.get(url);
    apps?.delete(uid);
    if (apps === undefined || apps.size > 0) return;
    this.#namedBy.delete(url);
    this.#watched.get(url)?.close();
    this.#watched.delete(url);
  }

  #watch(url: string): void {
    if (this.#watched.has(url)) return;
    const { folders, moved } = this.#needs;
    const failed = (error: unknown) => this.#say(messageOf(error));
    if (this.#watched.size >= mostFolders) failed(new Error(`more than ${mostFolders} of them are named`));
    else
      this.#watched.set(
        url,
        new WatchedRepository(url, { folders, moved: (ref) => moved(url, ref), failed }),
      );
  }

  #say(problem: string): void {
    if (this.#hasSaid) return;
    this.#hasSaid = true;
    this.#needs.log.warn(
      { problem },
      "not all local repositories are watched: some commits are noticed by polling",
    );
  }
}

function uidOf(app: Manifest | undefined): string {
  return String(app?.metadata.uid);
}

/** `file:///folder` and `/folder`, of every source. */
function localAddresses(app: Manifest): string[] {
  if (!isLiveApplication(app)) return [];
  const { source, sources = [] } = app.spec;
  const urls = [source, ...sources].flatMap((one) => (one && !one.chart ? [one.repoURL.trim()] : []));
  return [...new Set(urls.filter((url) => folderOf(url) !== undefined))].sort();
}

function folderOf(url: string): string | undefined {
  if (url.startsWith("/")) return url;
  return url.startsWith("file://") && URL.canParse(url)
    ? decodeURIComponent(new URL(url).pathname)
    : undefined;
}

interface WatchNeeds {
  folders: LocalFolders;
  moved(ref: string): void;
  failed(error: unknown): void;
}

class WatchedRepository {
  readonly #needs: WatchNeeds;
  readonly #watchers: FSWatcher[] = [];
  #isClosed = false;

  constructor(url: string, needs: WatchNeeds) {
    this.#needs = needs;
    this.#open(folderOf(url) ?? "").catch(needs.failed);
  }

  close(): void {
    this.#isClosed = true;
    for (const one of this.#watchers) one.close();
  }

  async #open(folder: string): Promise<void> {
    const { verdict, places } = await judgeFolder(folder, this.#needs.folders);
    if (verdict !== "permitted") return;
    for (const place of places)
      for (const git of [place, join(place, ".git")]) {
        const refs = join(git, "refs");
        if (!(await isFolder(refs)) || this.#isClosed) continue;
        this.#follow(refs, true, (name) => `refs/${name}`);
        // HEAD stands beside them.
        this.#follow(git, false, (name) => (name === "HEAD" ? name : undefined));
      }
  }

  #follow(folder: string, recursive: boolean, refOf: (name: string) => string | undefined): void {
    const watcher = watch(folder, { recursive, persistent: false }, (_event, name) => {
      const ref = name === null || name.endsWith(".lock") ? undefined : refOf(name);
      if (ref !== undefined) this.#needs.moved(ref);
    });
    watcher.on("error", this.#needs.failed);
    this.#watchers.push(watcher);
  }
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
