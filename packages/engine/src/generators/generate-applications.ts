import { isRecord, stringifyJson } from "@capstan/formats";
import {
  type Application,
  type ApplicationSet,
  type ApplicationSetGenerator,
  argoApiVersion,
  finalizers,
  messageOf,
  readApplication,
} from "@capstan/model";
import { applyTemplatePatch } from "./apply-template-patch.ts";
import { ElementMemory, type MadeElement } from "./element-memory.ts";
import { evaluateGenerator, fillGaps, kindsOf } from "./evaluate-generator.ts";
import type { GeneratorFacts, Question } from "./facts.ts";
import { GenerationError, type GenerationReason } from "./generation-error.ts";
import type { Parameters } from "./parameters.ts";
import { fillTemplate, metered, type Templates } from "./templates.ts";

export interface GeneratedApplication {
  readonly application: Application;
  /** Which of which generator's sets of parameters it was made of, for people. */
  readonly element: string;
}

export type Generation =
  | { readonly kind: "made"; readonly applications: readonly GeneratedApplication[] }
  /** This has to be known first; then it is to be asked again. */
  | { readonly kind: "asks"; readonly questions: readonly Question[] }
  | { readonly kind: "failed"; readonly reason: GenerationReason; readonly message: string };

export interface GenerationLimits {
  readonly maxApplications: number;
  /** Characters of all Applications as JSON together. */
  readonly maxSize: number;
}

export const generationLimits: GenerationLimits = { maxApplications: 20_000, maxSize: 64 * 2 ** 20 };

interface Input {
  readonly set: ApplicationSet;
  readonly facts: GeneratorFacts;
  readonly templates: Templates;
  readonly limits?: GenerationLimits;
  /** What its elements became before; default: nothing is known. */
  readonly memory?: ElementMemory;
}

/** The Applications that a set means, in the order of its generators; all of them or none. */
export function generateApplications({
  set,
  facts,
  templates,
  limits = generationLimits,
  memory = new ElementMemory(),
}: Input): Generation {
  const questions: Question[] = [];
  const maxSets = limits.maxApplications;
  const { name } = set.metadata;
  const common = { set: name, facts, templates, isGo: set.spec.goTemplate === true, maxSets, questions };
  const made: GeneratedApplication[] = [];
  let size = 0;
  memory.begin(set);
  try {
    for (const [index, generator] of set.spec.generators.entries()) {
      const where = `spec.generators[${index}]`;
      for (const kind of kindsOf(generator, where)) {
        const sets = evaluateGenerator(generator, kind, { ...common, where });
        if (questions.length > 0) continue;
        const template = templateOf(set, generator, kind);
        for (const [at, parameters] of sets.entries()) {
          const element = `${where}, element ${at}`;
          const rendering = { set, template, parameters, templates, element };
          const one = memory.make(`${index} ${kind}`, parameters, () => makeElement(rendering));
          if (!one.isNew) templates.meter?.take(one.made.cost);
          size += one.made.size;
          made.push({ application: one.made.application, element });
          requireBounds(made.length, size, limits);
        }
      }
    }
  } catch (error) {
    if (!(error instanceof GenerationError)) throw error;
    return { kind: "failed", reason: error.reason, message: error.message };
  }
  if (questions.length > 0) return { kind: "asks", questions };
  memory.end();
  return { kind: "made", applications: made };
}

function requireBounds(count: number, size: number, { maxApplications, maxSize }: GenerationLimits): void {
  if (count > maxApplications)
    throw new GenerationError(`it makes more than ${maxApplications} Applications: split the set`);
  if (size > maxSize)
    throw new GenerationError(
      `its Applications have more than ${maxSize} characters together: split the set`,
    );
}

interface Template {
  readonly metadata: unknown;
  readonly spec: unknown;
}

function templateOf(set: ApplicationSet, generator: ApplicationSetGenerator, kind: string): Template {
  const { metadata, spec } = set.spec.template;
  const base = { metadata, spec };
  const part: unknown = Reflect.get(generator, kind);
  const merged = isRecord(part) && part.template !== undefined ? fillGaps(part.template, base) : base;
  return isRecord(merged) ? { metadata: merged.metadata, spec: merged.spec } : base;
}

interface Rendering {
  readonly set: ApplicationSet;
  readonly template: Template;
  readonly parameters: Parameters;
  readonly templates: Templates;
  readonly element: string;
}

function makeElement(rendering: Rendering): MadeElement {
  const { value, cost } = metered(rendering.templates, () => renderApplication(rendering));
  return { application: value, size: stringifyJson(value).length, cost };
}

/** applicationset/utils Render.RenderTemplateParams, then the patch; always in the set's own namespace. */
function renderApplication({ set, template, parameters, templates, element }: Rendering): Application {
  const { templatePatch, syncPolicy } = set.spec;
  try {
    const isBare = Object.keys(parameters).length === 0;
    const filled = isBare ? template : fillTemplate(template, parameters, templates);
    const named = applicationOf(filled, !isBare && syncPolicy?.preserveResourcesOnDeletion !== true);
    const rendered = templatePatch
      ? applyTemplatePatch(named, templates.render(templatePatch, parameters))
      : named;
    const { namespace } = set.metadata;
    const placed = { ...rendered, metadata: { ...rendered.metadata, ...(namespace ? { namespace } : {}) } };
    return readApplication(placed);
  } catch (error) {
    throw new GenerationError(`${element}: ${messageOf(error)}`, "RenderTemplateParamsError");
  }
}

type Fields = { [field: string]: unknown };

function applicationOf({ metadata, spec }: Template, needsFinalizer: boolean): Fields & { metadata: Fields } {
  const { name, labels, annotations, finalizers: own } = isRecord(metadata) ? metadata : {};
  const held =
    Array.isArray(own) && own.length > 0 ? own : needsFinalizer ? [finalizers.resources] : undefined;
  return {
    apiVersion: argoApiVersion,
    kind: "Application",
    metadata: {
      name,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(held ? { finalizers: held } : {}),
    },
    spec,
  };
}
