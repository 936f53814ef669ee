/** What a server of git repositories holds, for whatever API shows it. */
export interface HostedSketch {
  readonly owner: string;
  /** Without it nobody is answered; undefined: everybody is. */
  readonly token?: string | undefined;
  readonly repositories: readonly RepositorySketch[];
}

export interface RepositorySketch {
  readonly name: string;
  readonly id: number;
  /** undefined: it is empty. */
  readonly defaultBranch?: string;
  readonly isArchived?: boolean;
  readonly topics?: readonly string[];
  readonly branches?: readonly BranchSketch[];
  readonly pulls?: readonly PullSketch[];
}

export interface BranchSketch {
  readonly name: string;
  readonly sha: string;
  /** Files, of which the folders follow. */
  readonly files?: readonly string[];
}

export interface PullSketch {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly branch: string;
  readonly target: string;
  readonly sha: string;
  readonly labels?: readonly string[];
}

/** file, folder, or nothing of the kind. */
export function lookUp(branch: BranchSketch | undefined, path: string): "file" | "folder" | undefined {
  const files = branch?.files ?? [];
  if (files.includes(path)) return "file";
  return files.some((file) => file.startsWith(`${path}/`)) ? "folder" : undefined;
}
