/** Every ref of a remote with the commit it stands for (annotated tags are followed to theirs). */
export interface RemoteRefs {
  readonly commits: ReadonlyMap<string, string>;
  /** Of annotated tags, their own objects. */
  readonly tags: ReadonlyMap<string, string>;
}

const maxRefs = 500_000;

/** Output of `git ls-remote`. */
export function readRemoteRefs(output: string): RemoteRefs {
  const commits = new Map<string, string>();
  const tags = new Map<string, string>();
  for (const line of output.split("\n", maxRefs)) {
    const tab = line.indexOf("\t");
    if (tab !== 40) continue;
    // The line of the tag object comes first, the one of what it points to, marked ^{}, after it.
    const name = line.slice(tab + 1);
    const own = name.endsWith("^{}") ? name.slice(0, -3) : name;
    const before = commits.get(own);
    if (own !== name && before !== undefined) tags.set(own, before);
    commits.set(own, line.slice(0, tab));
  }
  return { commits, tags };
}

export function branchesOf(refs: RemoteRefs): string[] {
  return namesUnder(refs, "refs/heads/");
}

export function tagsOf(refs: RemoteRefs): string[] {
  return namesUnder(refs, "refs/tags/");
}

/** Tags that stand for this commit. */
export function tagsAt(refs: RemoteRefs, sha: string): string[] {
  return tagsOf(refs).filter((tag) => refs.commits.get(`refs/tags/${tag}`) === sha);
}

function namesUnder(refs: RemoteRefs, prefix: string): string[] {
  const names: string[] = [];
  for (const name of refs.commits.keys()) if (name.startsWith(prefix)) names.push(name.slice(prefix.length));
  return names;
}
