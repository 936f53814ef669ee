import {
  type AnswerTo,
  type ClusterFacts,
  type ElementMemory,
  type Generation,
  generateApplications,
  type Question,
  type QuestionKind,
} from "@capstan/engine";
import { canonicalJson } from "@capstan/formats";
import type { Settings } from "@capstan/kube";
import { type ApplicationSet, inClusterName, inClusterServer, messageOf } from "@capstan/model";
import { askDecision } from "./ask-decision.ts";
import { askGit } from "./ask-git.ts";
import { askBranches, askPullRequests } from "./ask-host.ts";
import { inTurn } from "./ask-lanes.ts";
import type { AskFreshness, AskNeeds } from "./ask-needs.ts";
import { askPlugin } from "./ask-plugin.ts";
import { openTemplates } from "./set-templates.ts";

export type GeneratedSet = Exclude<Generation, { kind: "asks" }>;

/** A matrix within a matrix, each with a repository that the one before names, and one for what nobody foresaw. */
const mostRounds = 8;
const mostQuestions = 1_000;

type Askers = {
  readonly [Kind in QuestionKind]: (about: Question<Kind>["about"]) => Promise<AnswerTo<Kind>>;
};

/** What has been answered while one set is looked at. */
class Answers {
  readonly #known: { readonly [Kind in QuestionKind]: Map<string, AnswerTo<Kind>> } = {
    git: new Map(),
    branches: new Map(),
    pullRequests: new Map(),
    plugin: new Map(),
    decision: new Map(),
  };
  readonly #askers: Askers;
  count = 0;

  constructor(askers: Askers) {
    this.#askers = askers;
  }

  find<Kind extends QuestionKind>({ kind, about }: Question<Kind>): AnswerTo<Kind> | undefined {
    return this.#known[kind].get(canonicalJson(about));
  }

  async ask<Kind extends QuestionKind>({ kind, about }: Question<Kind>): Promise<void> {
    this.#known[kind].set(canonicalJson(about), await this.#askers[kind](about));
    this.count += 1;
  }
}

interface GenerateInput {
  readonly set: ApplicationSet;
  readonly freshness?: AskFreshness;
  /** Where it is another. */
  readonly ofGit?: AskFreshness;
  readonly memory?: ElementMemory;
}

/** Whoever asks after a push means it; hosts, which count requests, are not asked anew by everybody who looks. */
export const forPeople = { ofGit: { noRevisionCache: true } } as const;

/**
 * The Applications that a set means now, for the controller and for whoever only wants to see them. What generators ask
 * for is fetched, and the set looked at again, until nothing is missing; a question without an answer fails it all.
 */
export async function generateSet(
  needs: AskNeeds,
  { set, freshness = {}, ofGit = freshness, memory }: GenerateInput,
  signal: AbortSignal,
): Promise<GeneratedSet> {
  const answers = new Answers({
    git: (question) => askGit(needs, { set, question, freshness: ofGit }, signal),
    branches: (question) => askBranches(needs, { set, question, freshness }, signal),
    pullRequests: (question) => askPullRequests(needs, { set, question, freshness }, signal),
    plugin: (question) => askPlugin(needs, question, signal),
    decision: (question) => askDecision(needs, question, signal),
  });
  const facts = {
    clusters: clustersOf(needs.settings.current),
    answerTo: <Kind extends QuestionKind>(question: Question<Kind>) => answers.find(question),
  };
  try {
    const templates = await openTemplates(set);
    for (let round = 0; round < mostRounds; round += 1) {
      signal.throwIfAborted();
      const found = generateApplications({ set, facts, templates, ...(memory ? { memory } : {}) });
      if (found.kind !== "asks") return found;
      const questions = new Map(found.questions.map((question) => [canonicalJson(question), question]));
      if (answers.count + questions.size > mostQuestions)
        return failed(`it asks more than ${mostQuestions} questions (repositories, servers, objects)`);
      for (const question of questions.values())
        await inTurn(needs, { set, question, ask: () => answers.ask(question) }, signal);
    }
    return failed("its generators ask for ever more");
  } catch (error) {
    signal.throwIfAborted();
    return failed(messageOf(error));
  }
}

function failed(message: string): GeneratedSet {
  return { kind: "failed", reason: "ApplicationGenerationFromParamsError", message };
}

/** The own cluster is there without a Secret too (applicationset/utils ListClusters). */
function clustersOf({ clusters }: Settings): ClusterFacts[] {
  const known = clusters.map(
    ({ name, server, project = "", labels, annotations }): ClusterFacts => ({
      name,
      server,
      project,
      labels,
      annotations,
    }),
  );
  if (known.some(({ server }) => server === inClusterServer)) return known;
  const local = {
    name: inClusterName,
    server: inClusterServer,
    project: "",
    labels: {},
    annotations: {},
    isLocal: true,
  };
  return [...known, local];
}
