import { isRecord, selectsLabels } from "@capstan/formats";
import {
  type ApplicationSetGenerator,
  messageOf,
  type NestedGenerator,
  type TerminalGenerator,
} from "@capstan/model";
import { branchesQuestion, branchParameters } from "./branch-parameters.ts";
import { clusterParameters } from "./cluster-parameters.ts";
import { combineParameters, mergeParameters } from "./combine-parameters.ts";
import { decisionParameters, decisionQuestion } from "./decision-parameters.ts";
import type { GeneratorFacts, Question } from "./facts.ts";
import { GenerationError } from "./generation-error.ts";
import { gitParameters, gitQuestion } from "./git-parameters.ts";
import { listParameters } from "./list-parameters.ts";
import { flattenParameters, type Parameters } from "./parameters.ts";
import { pluginParameters, pluginQuestion } from "./plugin-parameters.ts";
import { pullRequestParameters, pullRequestsQuestion } from "./pull-request-parameters.ts";
import { fillTemplate, type Templates } from "./templates.ts";

export interface EvaluationInput {
  /** Name of the set. */
  readonly set: string;
  readonly facts: GeneratorFacts;
  readonly templates: Templates;
  readonly isGo: boolean;
  /** More sets than this are an error, also on the way. */
  readonly maxSets: number;
  /** Collects what has to be fetched; while there is anything in it, what is evaluated is not whole. */
  readonly questions: Question[];
}

type AnyGenerator = ApplicationSetGenerator | NestedGenerator | TerminalGenerator;

const known = [
  "list",
  "clusters",
  "git",
  "scmProvider",
  "pullRequest",
  "clusterDecisionResource",
  "plugin",
  "matrix",
  "merge",
] as const;
type Kind = (typeof known)[number];

/** The kinds of generators that an entry has; one that nobody here works on is an error. */
export function kindsOf(generator: AnyGenerator, where: string): Kind[] {
  const names = Object.entries(generator)
    .filter(([name, value]) => name !== "selector" && value !== undefined && value !== null)
    .map(([name]) => name);
  if (names.length === 0) throw new GenerationError(`${where}: it names no generator that is known`);
  const unknown = names.find((name) => !known.some((kind) => kind === name));
  if (unknown !== undefined)
    throw new GenerationError(
      `${where}: the generator ${unknown} is not worked on yet: nothing of this set is made, changed or deleted`,
    );
  return known.filter((kind) => names.includes(kind));
}

/**
 * The sets of parameters of one kind of an entry, those that its selector takes. `outer`: those of a matrix' first
 * generator, which its second is a template for.
 */
export function evaluateGenerator(
  generator: AnyGenerator,
  kind: Kind,
  input: EvaluationInput & { where: string; outer?: Parameters },
): readonly Parameters[] {
  const { where, outer, templates } = input;
  try {
    const filled =
      outer && Object.keys(outer).length > 0 ? fillTemplate(generator, outer, templates) : generator;
    const { outer: _, ...inside } = input;
    const sets = setsOf(filled, kind, inside);
    requireFew(sets.length, input);
    const { selector } = generator;
    return selector ? sets.filter((set) => selectsLabels(selector, flattenParameters(set))) : sets;
  } catch (error) {
    // A nested one has said where already.
    if (error instanceof GenerationError && error.message.startsWith(where)) throw error;
    throw new GenerationError(`${where}: ${messageOf(error)}`);
  }
}

function setsOf(
  generator: AnyGenerator,
  kind: Kind,
  input: EvaluationInput & { where: string },
): readonly Parameters[] {
  const { isGo, facts, questions } = input;
  const { list, clusters, git } = generator;
  if (kind === "list" && list) return listParameters(list, isGo);
  if (kind === "clusters" && clusters) return clusterParameters(clusters, facts.clusters, input);
  if (kind === "git" && git) {
    const question = { kind, about: gitQuestion(git) };
    const answer = answerOr(questions, question, facts.answerTo(question));
    return answer ? gitParameters(git, answer, input) : [];
  }
  if (kind === "matrix" && "matrix" in generator && generator.matrix)
    return matrixParameters(generator.matrix.generators, input);
  if (kind === "merge" && "merge" in generator && generator.merge) {
    const { generators, mergeKeys } = generator.merge;
    if (generators.length < 2)
      throw new GenerationError(`${input.where}: merge needs two generators or more`);
    const sets = generators.map((child, index) => childSets(child, index, input));
    return questions.length > 0 ? [] : mergeParameters(sets, mergeKeys, isGo);
  }
  return setsOfServers(generator, kind, input);
}

/** Of generators that ask other servers than git's. */
function setsOfServers(
  { scmProvider, pullRequest, plugin, clusterDecisionResource: decision }: AnyGenerator,
  kind: Kind,
  input: EvaluationInput,
): readonly Parameters[] {
  const { isGo, facts, questions } = input;
  if (kind === "scmProvider" && scmProvider) {
    const question = { kind: "branches" as const, about: branchesQuestion(scmProvider) };
    const answer = answerOr(questions, question, facts.answerTo(question));
    return answer ? branchParameters(scmProvider, answer, input) : [];
  }
  if (kind === "pullRequest" && pullRequest) {
    const question = { kind: "pullRequests" as const, about: pullRequestsQuestion(pullRequest) };
    const answer = answerOr(questions, question, facts.answerTo(question));
    return answer ? pullRequestParameters(pullRequest, answer, input) : [];
  }
  if (kind === "plugin" && plugin) {
    const question = { kind, about: pluginQuestion(plugin, input.set) };
    const answer = answerOr(questions, question, facts.answerTo(question));
    return answer ? pluginParameters(plugin, answer, input) : [];
  }
  if (kind === "clusterDecisionResource" && decision) {
    const question = { kind: "decision" as const, about: decisionQuestion(decision) };
    const answer = answerOr(questions, question, facts.answerTo(question));
    return answer ? decisionParameters(decision, answer, { isGo, clusters: facts.clusters }) : [];
  }
  return [];
}

/** A question without an answer has to be asked first; an answer that is none fails the set. */
function answerOr<Answer extends { readonly problem?: string }>(
  questions: Question[],
  question: Question,
  answer: Answer | undefined,
): Answer | undefined {
  if (!answer) questions.push(question);
  else if (answer.problem !== undefined) throw new GenerationError(`${question.kind} ${answer.problem}`);
  return answer;
}

function matrixParameters(
  generators: readonly (NestedGenerator | TerminalGenerator)[],
  input: EvaluationInput & { where: string },
): readonly Parameters[] {
  const [first, second, third] = generators;
  if (!first || !second || third) throw new GenerationError(`${input.where}: matrix needs two generators`);
  const sets: Parameters[] = [];
  for (const outer of childSets(first, 0, input)) {
    for (const inner of childSets(second, 1, { ...input, outer }))
      sets.push(combineParameters(outer, inner, input.isGo));
    requireFew(sets.length, input);
  }
  return sets;
}

function childSets(
  child: NestedGenerator | TerminalGenerator,
  index: number,
  input: EvaluationInput & { where: string; outer?: Parameters },
): readonly Parameters[] {
  const where = `${input.where}, generator ${index + 1}`;
  const [kind, more] = kindsOf(child, where);
  if (!kind || more) throw new GenerationError(`${where}: give each generator an entry of its own`);
  return evaluateGenerator(child, kind, { ...input, where });
}

function requireFew(count: number, { maxSets, where }: { maxSets: number; where: string }): void {
  if (count <= maxSets) return;
  throw new GenerationError(`${where}: it gives more than ${maxSets} sets of parameters`);
}

/** A generator's own template wins; what it leaves empty is the set's (mergo.Merge of the template). */
export function fillGaps(template: unknown, base: unknown): unknown {
  if (!isRecord(template) || !isRecord(base)) return template ?? base;
  const merged = new Map(Object.entries(template));
  for (const [field, value] of Object.entries(base)) {
    const own = merged.get(field);
    if (own === undefined || own === null || own === "" || own === false || own === 0)
      merged.set(field, value);
    else if (Array.isArray(own)) merged.set(field, own.length === 0 ? value : own);
    else if (isRecord(own) && field !== "valuesObject") merged.set(field, fillGaps(own, value));
  }
  return Object.fromEntries(merged);
}
