import { fastTemplates, normalizeName, slugOf, type Templates } from "@capstan/engine";
import { dumpYaml } from "@capstan/formats/yaml";
import type { GoFunctions, GoTemplate, MissingKey } from "@capstan/go-template";
import { type ApplicationSet, parseYaml } from "@capstan/model";

type Library = typeof import("@capstan/go-template");

/** For each text of a template: it makes one field of one Application. */
const limits = { steps: 200_000, size: 2 ** 20 };
/** All texts of one set in one pass, in the same counts: what a stranger's set may take of everybody's time. */
const budget = { steps: 20_000_000, size: 2 ** 28 };

/** The form of templates that a set has; Go's are loaded when the first set asks for them. */
export async function openTemplates({ spec }: ApplicationSet): Promise<Templates> {
  if (spec.goTemplate !== true) return fastTemplates;
  const library = await import("@capstan/go-template");
  return goTemplates(library, missingKeyOf(spec.goTemplateOptions ?? []));
}

/** text/template Option: an unknown one panics there, and is said here. */
function missingKeyOf(options: readonly string[]): MissingKey {
  let found: MissingKey = "default";
  for (const option of options) {
    if (option === "missingkey=error") found = "error";
    else if (option === "missingkey=zero") found = "zero";
    else if (option === "missingkey=default" || option === "missingkey=invalid") found = "default";
    else throw new Error(`spec.goTemplateOptions: ${option} is none that Go's templates have`);
  }
  return found;
}

function goTemplates(library: Library, missingKey: MissingKey): Templates {
  const functions = { ...library.sprig, ...setFunctions(library) };
  const read = new Map<string, GoTemplate>();
  const left = { ...budget };
  return {
    meter: {
      taken: () => ({ steps: budget.steps - left.steps, size: budget.size - left.size }),
      take({ steps, size }) {
        left.steps -= steps;
        left.size -= size;
        if (left.steps < 0 || left.size < 0)
          throw new Error(
            `its templates take more than ${budget.steps} steps, or make more than ${budget.size} characters, together`,
          );
      },
    },
    render(text, parameters) {
      const template = read.get(text) ?? new library.GoTemplate(text, { functions });
      read.set(text, template);
      const most = { steps: Math.min(limits.steps, left.steps), size: Math.min(limits.size, left.size) };
      return template.execute(parameters, {
        ...most,
        missingKey,
        onEnd: ({ steps, size }) => {
          left.steps -= steps;
          left.size -= size;
        },
      });
    },
  };
}

/** What Argo CD adds to sprig (applicationset/utils template_functions.go, SlugifyName). */
function setFunctions({ define, defineRest, toValue, toJson }: Library): GoFunctions {
  return {
    normalize: define(["string"], ([text]) => normalizeName(text)),
    slugify: defineRest([], "any", (_none, given) => slugify(given)),
    toYaml: define(["any"], ([value], caller) => {
      const text = dumpYaml(JSON.parse(toJson(value, caller))).replace(/\n$/, "");
      caller.spend(text.length);
      return text;
    }),
    fromYaml: define(["string"], ([text]) => {
      const value = parseYaml(text) ?? {};
      if (typeof value !== "object" || Array.isArray(value))
        throw new Error("fromYaml: the text is no object");
      return toValue(value);
    }),
    fromYamlArray: define(["string"], ([text]) => {
      const value = parseYaml(text) ?? [];
      if (!Array.isArray(value)) throw new Error("fromYamlArray: the text is no list");
      return toValue(value);
    }),
  };
}

/** `slugify [most characters] [cut at a dash] text`. */
function slugify(given: readonly unknown[]): string {
  const [most, cuts] = given.slice(0, -1);
  const text = given.at(-1) ?? "";
  if (typeof text !== "string") throw new Error("slugify: its last argument is no text");
  if (cuts !== undefined && typeof cuts !== "boolean")
    throw new Error("slugify: its second argument is neither true nor false");
  return slugOf(normalizeName(text), most === undefined ? 50 : wholeNumber(most), cuts ?? true);
}

function wholeNumber(value: unknown): number {
  const is =
    typeof value === "object" && value !== null && "value" in value ? Number(value.value) : Number.NaN;
  if (!Number.isSafeInteger(is)) throw new Error("slugify: its first argument is no whole number");
  return is;
}
