import {
  type ClusterFacts,
  type Generation,
  type GeneratorFacts,
  type GitAnswer,
  generateApplications,
} from "@capstan/engine";
import { canonicalJson } from "@capstan/formats";
import type { Settings } from "@capstan/kube";
import { type ApplicationSet, inClusterName, inClusterServer, messageOf } from "@capstan/model";
import { type AskFreshness, type AskNeeds, askGit } from "./ask-git.ts";
import { openTemplates } from "./set-templates.ts";

export type GeneratedSet = Exclude<Generation, { kind: "asks" }>;

/** A matrix within a matrix, each with a repository that the one before names, and one for what nobody foresaw. */
const mostRounds = 8;
const mostQuestions = 1_000;

/**
 * The Applications that a set means now, for the controller and for whoever only wants to see them. What generators ask
 * for is fetched, and the set looked at again, until nothing is missing; a question without an answer fails it all.
 */
export async function generateSet(
  needs: AskNeeds,
  { set, freshness = {} }: { set: ApplicationSet; freshness?: AskFreshness },
  signal: AbortSignal,
): Promise<GeneratedSet> {
  const answers = new Map<string, GitAnswer>();
  const facts: GeneratorFacts = {
    clusters: clustersOf(needs.settings.current),
    git: (question) => answers.get(canonicalJson(question)),
  };
  try {
    const templates = await openTemplates(set);
    for (let round = 0; round < mostRounds; round += 1) {
      signal.throwIfAborted();
      const found = generateApplications({ set, facts, templates });
      if (found.kind !== "asks") return found;
      const questions = new Map(found.questions.map((question) => [canonicalJson(question), question]));
      if (answers.size + questions.size > mostQuestions)
        return failed(`it asks for more than ${mostQuestions} repositories and revisions`);
      for (const [key, question] of questions)
        answers.set(key, await askGit(needs, { set, question, freshness }, signal));
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
