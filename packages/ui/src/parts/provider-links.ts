/** Where the pages of a commit and of what lies between two commits are, at the places that people know. */
interface Provider {
  readonly isHost: (host: string) => boolean;
  commit(root: string, revision: string): string;
  compare(root: string, from: string, to: string): string;
}

const named =
  (...parts: string[]) =>
  (host: string) =>
    parts.some((part) => host.split(".").includes(part));

const providers: readonly Provider[] = [
  {
    isHost: named("gitlab"),
    commit: (root, revision) => `${root}/-/commit/${revision}`,
    compare: (root, from, to) => `${root}/-/compare/${from}...${to}`,
  },
  {
    isHost: named("github", "gitea", "forgejo", "codeberg"),
    commit: (root, revision) => `${root}/commit/${revision}`,
    compare: (root, from, to) => `${root}/compare/${from}...${to}`,
  },
  {
    isHost: named("bitbucket"),
    commit: (root, revision) => `${root}/commits/${revision}`,
    compare: (root, from, to) => `${root}/branches/compare/${to}%0D${from}`,
  },
];

const isCommit = (revision: string) => /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(revision);

/** The page of a repository that git reaches under this address: `https://…`, `ssh://git@…` or `git@host:path`. */
function pageOf(repository: string): { root: string; host: string } | undefined {
  const ssh = /^(?:ssh:\/\/)?[\w.-]+@([\w.-]+)(?::\d+)?[:/](.+)$/.exec(repository);
  const web = /^https?:\/\/(?:[^@/]*@)?([\w.-]+(?::\d+)?)\/(.+)$/.exec(repository);
  const [, host, path] = web ?? ssh ?? [];
  if (host === undefined || path === undefined || /[\s"'<>\\]/.test(path)) return undefined;
  return { root: `https://${host}/${path.replace(/\/+$/, "").replace(/\.git$/, "")}`, host };
}

function find(repository: string) {
  const page = pageOf(repository);
  const provider = page && providers.find(({ isHost }) => isHost(page.host.replace(/:\d+$/, "")));
  return provider && { ...page, provider };
}

/** Undefined where the place is not one of those that people know, or the revision is no commit. */
export function commitLink(repository: string, revision: string): string | undefined {
  const found = isCommit(revision) ? find(repository) : undefined;
  return found?.provider.commit(found.root, revision);
}

export function compareLink(repository: string, from: string, to: string): string | undefined {
  const found = isCommit(from) && isCommit(to) && from !== to ? find(repository) : undefined;
  return found?.provider.compare(found.root, from, to);
}
