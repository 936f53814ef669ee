import type { TerminalGenerator } from "@capstan/model";

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

/** What a plugin's server is asked for (applicationset/services/plugin ServiceRequest). */
export interface PluginQuestion {
  /** Name of the ConfigMap that says where the server is. */
  readonly configMap: string;
  readonly applicationSet: string;
  /** As the set gives them: any JSON. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface PluginAnswer {
  /** A set of parameters each. */
  readonly objects?: readonly Readonly<Record<string, unknown>>[];
  readonly problem?: string;
}

/** Which objects decide on clusters: the one of the name, or those that the selector takes. */
export interface DecisionQuestion {
  /** Name of the ConfigMap that says of which kind they are. */
  readonly configMap: string;
  readonly name?: string;
  readonly labelSelector?: unknown;
}

export interface DecisionAnswer {
  /** What the objects' statuses list, in the order of the objects. */
  readonly decisions?: readonly Readonly<Record<string, unknown>>[];
  /** The field of a decision that holds a cluster's name; "": none does. */
  readonly matchKey?: string;
  readonly problem?: string;
}

type ScmGenerator = NonNullable<TerminalGenerator["scmProvider"]>;
type PullRequestGenerator = NonNullable<TerminalGenerator["pullRequest"]>;
type Looks = "values" | "template" | "requeueAfterSeconds";

/** The branches that an SCM provider generator takes: its provider, clone protocol and filters. */
export type BranchesQuestion = Omit<ScmGenerator, Looks>;

export interface BranchFact {
  readonly organization: string;
  readonly repository: string;
  /** As the host numbers it; undefined: it does not. */
  readonly repositoryId: string | undefined;
  /** To clone it by the protocol that was asked for. */
  readonly url: string;
  readonly branch: string;
  /** "" where the host does not say it. */
  readonly sha: string;
  /** Topics or labels. */
  readonly labels: readonly string[];
}

export interface BranchesAnswer {
  readonly branches?: readonly BranchFact[];
  readonly problem?: string;
}

/** The pull requests of one repository that have the labels and the state that are asked for. */
export type PullRequestsQuestion = Omit<
  PullRequestGenerator,
  Looks | "filters" | "continueOnRepoNotFoundError"
>;

export interface PullRequestFact {
  readonly number: number;
  readonly title: string;
  readonly author: string;
  readonly branch: string;
  readonly targetBranch: string;
  readonly headSha: string;
  readonly labels: readonly string[];
}

export interface PullRequestsAnswer {
  readonly pullRequests?: readonly PullRequestFact[];
  readonly problem?: string;
  /** The host knows no such repository, or does not show it with this credential: what follows, for people. */
  readonly missing?: string;
}

interface Exchanges {
  readonly git: { readonly question: GitQuestion; readonly answer: GitAnswer };
  readonly branches: { readonly question: BranchesQuestion; readonly answer: BranchesAnswer };
  readonly pullRequests: { readonly question: PullRequestsQuestion; readonly answer: PullRequestsAnswer };
  readonly plugin: { readonly question: PluginQuestion; readonly answer: PluginAnswer };
  readonly decision: { readonly question: DecisionQuestion; readonly answer: DecisionAnswer };
}

export type QuestionKind = keyof Exchanges;

/** One that has to be answered before what a set means is known. Equal ones have equal JSON. */
export type Question<Kind extends QuestionKind = QuestionKind> = {
  [One in Kind]: { readonly kind: One; readonly about: Exchanges[One]["question"] };
}[Kind];

/** With a `problem` it fails the set. */
export type AnswerTo<Kind extends QuestionKind> = Exchanges[Kind]["answer"];

export interface GeneratorFacts {
  readonly clusters: readonly ClusterFacts[];
  /** undefined: it has to be asked first. */
  answerTo<Kind extends QuestionKind>(question: Question<Kind>): AnswerTo<Kind> | undefined;
}
