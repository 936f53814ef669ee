import type { BranchesQuestion, PullRequestsQuestion, Question } from "@capstan/engine";
import { isRecord } from "@capstan/formats";
import type { ApplicationSet } from "@capstan/model";
import { serverLanes, serverOf } from "../server-lanes.ts";
import type { AskNeeds } from "./ask-needs.ts";

const most = { atServer: 4, ofProject: 16 };

/** Asks when it is the set's turn; at once where nobody else asks by these lanes. */
export async function inTurn<Answer>(
  { lanes }: Pick<AskNeeds, "lanes">,
  { set, question, ask }: { set: ApplicationSet; question: Question; ask: () => Promise<Answer> },
  signal: AbortSignal,
): Promise<Answer> {
  const server = askedServer(question);
  // Our own cluster: without it there is nothing to do for anybody.
  if (!lanes || server === undefined) return ask();
  const project = `${set.metadata.namespace ?? ""}/${set.spec.template.spec.project}`;
  return lanes.run(serverLanes({ server, project }, most), ask, signal);
}

function askedServer({ kind, about }: Question): string | undefined {
  if (kind === "decision") return undefined;
  // A ConfigMap names one.
  if (kind === "plugin") return `plugin ${about.configMap}`;
  return kind === "git" ? serverOf(about.repoURL) : providerOf(about);
}

/** The server of an API that is named, or the provider, whose public one is meant. */
function providerOf(question: BranchesQuestion | PullRequestsQuestion): string {
  for (const [kind, written] of Object.entries(question))
    if (isRecord(written)) return typeof written.api === "string" ? serverOf(written.api) : kind;
  return "";
}
