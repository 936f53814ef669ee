/** What generators are told of the world; whoever asks them has fetched it before. */

export interface ClusterFacts {
  readonly name: string;
  readonly server: string;
  /** "" where it is nobody's own. */
  readonly project: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** It has no Secret: the cluster that Capstan runs on. */
  readonly isLocal?: boolean;
}

interface PathPattern {
  readonly path: string;
  readonly exclude: boolean;
}

/** What a git generator has to know of a repository: one of both. Equal ones have equal JSON. */
export interface GitQuestion {
  readonly repoURL: string;
  readonly revision: string;
  readonly directories?: readonly PathPattern[];
  readonly files?: readonly PathPattern[];
}

export interface GitFile {
  readonly path: string;
  /** The objects that it holds, as YAML or JSON. */
  readonly objects: readonly Readonly<Record<string, unknown>>[];
}

export interface GitAnswer {
  readonly directories?: readonly string[];
  readonly files?: readonly GitFile[];
  /** Why there is no answer, for people. */
  readonly problem?: string;
}

export interface GeneratorFacts {
  readonly clusters: readonly ClusterFacts[];
  /** undefined: it has to be fetched first. */
  git(question: GitQuestion): GitAnswer | undefined;
}
